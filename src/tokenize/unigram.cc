#include "tokenize/unigram.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "tokenize/piece_trie.h"
#include "tokenize/text_cursor.h"

namespace trainsight::tokenize {
namespace {

// Source of the figure: kUnkPenalty in both implementations.
constexpr double kUnknownPenalty = 10.0;
// Source: SentencePiece gives a user-defined piece length * max_score - 0.1.
constexpr double kUserDefinedPenalty = 0.1;

constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

std::size_t text_bytes(const UnigramSpec& spec) {
  std::size_t bytes = 0;
  for (const UnigramPiece& piece : spec.pieces) bytes += piece.text.size();
  return bytes;
}

struct Tables {
  explicit Tables(const UnigramSpec& from)
      : trie(text_bytes(from)),
        unk_id(from.unk_id),
        byte_ids(from.byte_ids),
        single_precision(from.single_precision) {
    const double unknown = from.min_score - kUnknownPenalty;
    unknown_score =
        single_precision
            ? static_cast<double>(static_cast<float>(from.min_score) -
                                  static_cast<float>(kUnknownPenalty))
            : unknown;
    for (const UnigramPiece& piece : from.pieces) {
      if (piece.text.empty()) continue;
      if (piece.id == unk_id) unk_text = piece.text;
      trie.insert(piece.text, static_cast<std::uint32_t>(scores.size()));
      double score = piece.score;
      if (piece.is_user_defined) {
        const float bonus = static_cast<float>(piece.text.size()) *
                            static_cast<float>(from.max_score);
        score = static_cast<double>(bonus) - kUserDefinedPenalty;
      }
      scores.push_back(score);
      ids.push_back(piece.id);
    }
    has_bytes =
        from.byte_fallback &&
        std::none_of(byte_ids.begin(), byte_ids.end(),
                     [](std::uint32_t id) { return id == Vocabulary::kNone; });
  }

  PieceTrie trie;  // value: index into scores and ids
  std::vector<double> scores;
  std::vector<std::uint32_t> ids;
  double unknown_score = 0.0;
  std::uint32_t unk_id;
  std::string unk_text;  // where texts may hold the unknown token's piece
  std::array<std::uint32_t, 256> byte_ids;
  bool has_bytes = false;
  bool single_precision;
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
    if (tables_.single_precision) {
      find_best<float>(word);
    } else {
      find_best<double>(word);
    }
    // From the end to the beginning along the best way.
    path_.clear();
    for (std::size_t end = word.size(); end > 0; end = nodes_[end].begin) {
      path_.push_back(end);
    }
    std::size_t begin = 0;
    bool after_unknown = false;
    for (auto end = path_.rbegin(); end != path_.rend(); ++end) {
      const Node& node = nodes_[*end];
      const bool unknown = node.id == tables_.unk_id;
      if (!unknown) {
        ids.push_back(node.id);
      } else if (tables_.has_bytes) {
        // The unknown token's own piece is itself, not bytes, unless it has
        // unknown neighbours, with which it would be one token.
        while (end + 1 != path_.rend() &&
               nodes_[*(end + 1)].id == tables_.unk_id) {
          ++end;
        }
        append_unknown(word.substr(begin, *end - begin), ids);
      } else if (!after_unknown && node.id != Vocabulary::kNone) {
        ids.push_back(node.id);
      }
      after_unknown = unknown;
      begin = *end;
    }
  }

 private:
  void append_unknown(std::string_view text, std::vector<std::uint32_t>& ids) {
    if (!tables_.unk_text.empty() && text == tables_.unk_text) {
      ids.push_back(tables_.unk_id);
      return;
    }
    for (const char c : text) {
      ids.push_back(tables_.byte_ids[static_cast<unsigned char>(c)]);
    }
  }

  struct Node {
    double score = 0.0;              // of the best way to here
    std::uint32_t begin = kNowhere;  // of its last piece
    std::uint32_t id = 0;
  };

  // Fills nodes_: nodes_[end] is the best way to the first `end` bytes.
  template <typename Sum>
  void find_best(std::string_view word) {
    nodes_.assign(word.size() + 1, Node{});
    const PieceTrie& trie = tables_.trie;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t next = next_code_point(word, at);
      const double score_here = nodes_[at].score;
      bool has_single = false;
      std::uint32_t trie_node = PieceTrie::kRoot;
      for (std::size_t i = at; i < word.size(); ++i) {
        trie_node = trie.child(trie_node, static_cast<unsigned char>(word[i]));
        if (trie_node == PieceTrie::kNone) break;
        const std::uint32_t piece = trie.value(trie_node);
        if (piece == PieceTrie::kNone) continue;
        offer<Sum>(i + 1, at, score_here + tables_.scores[piece],
                   tables_.ids[piece]);
        has_single = has_single || i + 1 == next;
      }
      if (!has_single) {
        offer<Sum>(next, at, score_here + tables_.unknown_score,
                   tables_.unk_id);
      }
      at = next;
    }
  }

  // Sums are compared before they are rounded to what is kept.
  template <typename Sum>
  void offer(std::size_t end, std::size_t begin, double score,
             std::uint32_t id) {
    Node& node = nodes_[end];
    if (node.begin != kNowhere && score <= node.score) return;
    node = Node{static_cast<double>(static_cast<Sum>(score)),
                static_cast<std::uint32_t>(begin), id};
  }

  const Tables& tables_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> path_;
  std::vector<std::uint32_t> ids_;
};

class Model final : public SegmentModel {
 public:
  explicit Model(const UnigramSpec& spec) : tables_(spec) {}
  [[nodiscard]] std::unique_ptr<SegmentCounter> make_counter() const override {
    return std::make_unique<Counter>(tables_);
  }

 private:
  Tables tables_;
};

}  // namespace

std::unique_ptr<SegmentModel> make_unigram(const UnigramSpec& spec) {
  return std::make_unique<Model>(spec);
}

}  // namespace trainsight::tokenize
