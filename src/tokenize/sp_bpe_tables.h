// SpBpe::Tables: a vocabulary of characters, its merges, and where a text may
// be cut; see sp_bpe.h. Thread-safety: immutable after build().
#ifndef TRAINSIGHT_TOKENIZE_SP_BPE_TABLES_H_
#define TRAINSIGHT_TOKENIZE_SP_BPE_TABLES_H_

#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenize/bigram_cuts.h"
#include "tokenize/sp_bpe.h"
#include "tokenize/symbol_merge.h"
#include "tokenize/text_cursor.h"

namespace trainsight::tokenize {

/// How a space is spelled in pieces.
inline constexpr char32_t kSpaceMark = 0x2581;
inline constexpr std::string_view kSpaceMarkBytes = "\xE2\x96\x81";

class SpBpe::Tables {
 public:
  explicit Tables(SpBpeSpec spec)
      : spec_(std::move(spec)),
        merger_(spec_.merges.size()),
        plane0_(0x10000, Vocabulary::kNone),
        cuts_(estimated_bigrams(spec_)) {}

  /// Errors: kCorrupt for a merge of unknown symbols.
  Status build();

  [[nodiscard]] const SpBpeSpec& spec() const { return spec_; }
  [[nodiscard]] const BigramCuts& cuts() const { return cuts_; }
  [[nodiscard]] const SymbolMerger& merger() const { return merger_; }
  [[nodiscard]] bool has_cuts() const { return has_cuts_; }

  /// The symbol of a character, Vocabulary::kNone for an unknown one.
  [[nodiscard]] std::uint32_t symbol_of(char32_t c,
                                        std::string_view bytes) const {
    return c < 0x10000 ? plane0_[c] : spec_.pieces.find(bytes);
  }

  /// Whether unknown characters side by side stay together.
  [[nodiscard]] bool joins_unknown() const { return joins_unknown_; }

  /// 1 where the text may be cut between these characters (a space is one), or
  /// 0. A number, so that no compiler makes a branch of what is as good as
  /// random. Characters are given as packed_character() has them.
  /// kJoinsUnknown is joins_unknown().
  template <bool kJoinsUnknown>
  [[nodiscard]] std::uint64_t cut_bit(std::uint32_t left,
                                      std::uint32_t right) const {
    std::uint64_t joined = cuts_.joined_bit(left, right);
    if (kJoinsUnknown) {
      joined |= static_cast<std::uint64_t>(is_unknown(code_point_of(left)) &&
                                           is_unknown(code_point_of(right)));
    }
    return ~joined & 1;
  }

 private:
  static char32_t code_point_of(std::uint32_t packed) {
    std::array<char, 4> bytes;
    std::memcpy(bytes.data(), &packed, bytes.size());
    return tokenize::code_point_of(bytes.data());
  }
  static std::size_t estimated_bigrams(const SpBpeSpec& spec) {
    return spec.pieces.size() / 2;
  }

  [[nodiscard]] bool is_unknown(char32_t c) const {
    if (c == ' ' && spec_.space_is_mark) c = kSpaceMark;
    if (c < 0x10000) return plane0_[c] == Vocabulary::kNone;
    return true;  // may be known; not cutting is always right
  }

  void build_cuts();
  void join_all(std::string_view text);

  SpBpeSpec spec_;
  SymbolMerger merger_;
  std::vector<std::uint32_t> plane0_;
  BigramCuts cuts_;
  bool all_bytes_ = false;
  bool has_cuts_ = false;
  bool joins_unknown_ = false;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_SP_BPE_TABLES_H_
