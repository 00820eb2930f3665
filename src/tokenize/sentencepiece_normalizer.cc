#include "tokenize/sentencepiece_normalizer.h"

#include <utility>

#include "tokenize/piece_trie.h"
#include "tokenize/text_cursor.h"

namespace trainsight::tokenize {
namespace {

constexpr std::string_view kMark = "\xE2\x96\x81";  // U+2581

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

class SentencePieceStep final : public NormalizerStep {
 public:
  explicit SentencePieceStep(SentencePieceNormalizerSpec spec)
      : spec_(std::move(spec)) {
    for (const std::string& text : spec_.user_defined) {
      if (!text.empty()) user_defined_.insert(text, 0);
    }
  }

  bool apply(std::string_view utf8, std::string& out) const override {
    out.clear();
    out.reserve(utf8.size() + utf8.size() / 2 + kMark.size());
    if (spec_.remove_extra_whitespaces) {
      while (!utf8.empty()) {
        const Prefix prefix = next_prefix(utf8);
        if (prefix.text != " ") break;
        utf8.remove_prefix(prefix.bytes);
      }
    }
    if (utf8.empty()) return true;
    const std::string_view space = spec_.escape_whitespaces ? kMark : " ";
    const bool adds_space = spec_.add_dummy_prefix;
    if (adds_space && !spec_.whitespace_as_suffix) out += space;
    bool after_space = spec_.remove_extra_whitespaces;
    while (!utf8.empty()) {
      const Prefix prefix = next_prefix(utf8);
      std::string_view text = prefix.text;
      while (after_space && !text.empty() && text[0] == ' ') {
        text.remove_prefix(1);
      }
      if (!text.empty()) {
        for (const char c : text) {
          if (c == ' ') {
            out += space;
          } else {
            out += c;
          }
        }
        after_space = spec_.remove_extra_whitespaces && text.back() == ' ';
      }
      utf8.remove_prefix(prefix.bytes);
    }
    if (spec_.remove_extra_whitespaces) {
      while (ends_with(out, space)) out.resize(out.size() - space.size());
    }
    if (adds_space && spec_.whitespace_as_suffix) out += space;
    return true;
  }

 private:
  // What the first `bytes` bytes of a text become.
  struct Prefix {
    std::string_view text;
    std::size_t bytes;
  };
  [[nodiscard]] Prefix next_prefix(std::string_view utf8) const {
    const auto first = static_cast<unsigned char>(utf8[0]);
    if (const std::size_t bytes = user_defined_bytes(utf8); bytes > 0) {
      return Prefix{utf8.substr(0, bytes), bytes};
    }
    const bool plain =
        first < 0x80 && spec_.charsmap.is_plain_ascii(first) &&
        (utf8.size() == 1 || static_cast<unsigned char>(utf8[1]) < 0x80);
    if (!plain) {
      if (const auto match = spec_.charsmap.longest(utf8)) {
        return Prefix{match->replacement, match->bytes};
      }
    }
    const std::size_t bytes = next_code_point(utf8, 0);
    return Prefix{utf8.substr(0, bytes), bytes};
  }
  [[nodiscard]] std::size_t user_defined_bytes(std::string_view utf8) const {
    std::size_t longest = 0;
    std::uint32_t node = PieceTrie::kRoot;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
      node = user_defined_.child(node, static_cast<unsigned char>(utf8[i]));
      if (node == PieceTrie::kNone) break;
      if (user_defined_.value(node) != PieceTrie::kNone) longest = i + 1;
    }
    return longest;
  }

  SentencePieceNormalizerSpec spec_;
  PieceTrie user_defined_;
};

}  // namespace

StepPtr make_sentencepiece_step(SentencePieceNormalizerSpec spec) {
  return std::make_unique<SentencePieceStep>(std::move(spec));
}

}  // namespace trainsight::tokenize
