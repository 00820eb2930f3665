#include "tokenize/wordpiece.h"

#include <utility>

#include "tokenize/piece_trie.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

// Pieces that begin a word, and those inside one without their prefix.
struct Tables {
  explicit Tables(WordPieceSpec from) : spec(std::move(from)) {
    for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
      const std::string_view text = spec.pieces.text(i);
      if (text.empty()) continue;
      begins.insert(text, spec.pieces.id(i));
      const std::string_view prefix = spec.continuing_prefix;
      if (text.size() > prefix.size() &&
          text.substr(0, prefix.size()) == prefix) {
        continues.insert(text.substr(prefix.size()), spec.pieces.id(i));
      }
    }
  }
  WordPieceSpec spec;
  PieceTrie begins, continues;
};

class Counter final : public SegmentCounter {
 public:
  explicit Counter(const Tables& tables) : tables_(tables) {}

  std::uint64_t count(std::string_view word, bool at_start) override {
    ids_.clear();
    encode(word, at_start, ids_);
    return ids_.size();
  }

  void encode(std::string_view word, bool /*at_start*/,
              std::vector<std::uint32_t>& ids) override {
    if (word.empty()) return;
    const WordPieceSpec& spec = tables_.spec;
    if (spec.whole_words) {
      const std::uint32_t id = spec.pieces.find(word);
      ids.push_back(id == Vocabulary::kNone ? spec.unk_id : id);
      return;
    }
    const std::size_t size_before = ids.size();
    if (text::count_code_points(word) > spec.max_characters) {
      ids.push_back(spec.unk_id);
      return;
    }
    for (std::size_t at = 0; at < word.size();) {
      const PieceTrie& trie = at == 0 ? tables_.begins : tables_.continues;
      std::uint32_t node = PieceTrie::kRoot;
      std::uint32_t id = PieceTrie::kNone;
      std::size_t end = at;
      for (std::size_t i = at; i < word.size(); ++i) {
        node = trie.child(node, static_cast<unsigned char>(word[i]));
        if (node == PieceTrie::kNone) break;
        if (trie.value(node) != PieceTrie::kNone) {
          id = trie.value(node);
          end = i + 1;
        }
      }
      if (id == PieceTrie::kNone) {
        ids.resize(size_before);
        ids.push_back(spec.unk_id);
        return;
      }
      ids.push_back(id);
      at = end;
    }
  }

 private:
  const Tables& tables_;
  std::vector<std::uint32_t> ids_;
};

class Model final : public SegmentModel {
 public:
  explicit Model(WordPieceSpec spec) : tables_(std::move(spec)) {}
  [[nodiscard]] std::unique_ptr<SegmentCounter> make_counter() const override {
    return std::make_unique<Counter>(tables_);
  }

 private:
  Tables tables_;
};

}  // namespace

std::unique_ptr<SegmentModel> make_wordpiece(WordPieceSpec spec) {
  return std::make_unique<Model>(std::move(spec));
}

}  // namespace trainsight::tokenize
