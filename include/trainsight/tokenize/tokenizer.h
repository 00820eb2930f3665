// Tokenizer: the model's own vocabulary, as exact counts of tokens.
//
// A Tokenizer is immutable and shared by all workers; each worker makes a
// TokenCounter, which holds its caches. Counting is the fast path; encode()
// gives the ids themselves and is exact too, but slower.
//
// Thread-safety: a Tokenizer may be used from any thread; a TokenCounter from
// one at a time.
#ifndef TRAINSIGHT_TOKENIZE_TOKENIZER_H_
#define TRAINSIGHT_TOKENIZE_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/text/json_text.h"
#include "trainsight/text/text_view.h"

namespace trainsight::tokenize {

/// How far counts can be trusted; printed in every report.
enum class Exactness : std::uint8_t {
  kExact,      ///< identical to the reference implementation's
  kEstimated,  ///< no vocabulary: tokens are guessed from bytes
};

/// A token of the vocabulary that is matched as a whole in raw text.
struct SpecialToken {
  std::string text;
  std::uint32_t id = 0;
  bool special = true;  ///< a control token, as opposed to a plain added one
};

/// What a report says about a tokenizer. Strings are empty when unknown.
struct TokenizerInfo {
  std::string name;   ///< as given by the user, or built-in name
  std::string kind;   ///< "byte-level BPE", "WordPiece", "bytes", …
  std::string xxh64;  ///< 16 hex digits over the defining file; or empty
  Exactness exactness = Exactness::kExact;
  std::uint32_t vocabulary_size = 0;  ///< largest id + 1; 0 for bytes, chars
  std::uint32_t tokens_added_per_text = 0;  ///< BOS/EOS of the post-processor
  std::uint32_t tokens_added_before = 0;    ///< of those, in front of the text
  std::string chat_template;                ///< Jinja source, empty without one
  std::string bos_token, eos_token;
  std::vector<SpecialToken> special_tokens;
  std::vector<std::string> notes;  ///< what was ignored, mentioned to the user
};

/// Counts and encodes texts; owns one worker's caches.
class TokenCounter {
 public:
  virtual ~TokenCounter() = default;

  /// The number of tokens of `utf8` on its own, without BOS, EOS or template.
  ///
  /// Special and added tokens inside the text are recognised where the
  /// reference does so (tokenizer.json: yes; tiktoken rank files: no).
  /// Bytes that are not UTF-8 count as their U+FFFD replacements would.
  /// Cost: linear in the text, whatever it holds.
  virtual std::uint64_t count(std::string_view utf8) = 0;

  /// count() of a text as its file holds it. `scratch` may be overwritten with
  /// the unescaped text; units that need no look at it count in O(1).
  virtual std::uint64_t count_text(text::TextView text, std::string& scratch) {
    return count(text::as_utf8(text, scratch));
  }

  /// Appends the ids of `utf8` to `ids`; their number equals count(utf8).
  virtual void encode(std::string_view utf8,
                      std::vector<std::uint32_t>& ids) = 0;

  /// Whether the first tokens of `utf8` are those of its first `at` bytes
  /// alone, so that none crosses `at`. False also where that is not quickly
  /// told. REQUIRES: at <= utf8.size().
  virtual bool parts_at(std::string_view /*utf8*/, std::size_t /*at*/) {
    return false;
  }
};

/// An immutable vocabulary with its rules.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  [[nodiscard]] virtual const TokenizerInfo& info() const = 0;
  /// A counter for one worker; must not outlive this Tokenizer.
  [[nodiscard]] virtual std::unique_ptr<TokenCounter> make_counter() const = 0;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TOKENIZER_H_
