// RegexSplitter: where an arbitrary pre-tokenizer's pattern matches, by PCRE2.
//
// For patterns without a hand-written scanner. The classes \s \p{L} \p{Lu} …
// mean Unicode 16.0's, as in the reference tokenizers, whatever version the
// library carries: they are rewritten before they are compiled.
// Thread-safety: immutable; a Matcher is one thread's.
#ifndef TRAINSIGHT_TOKENIZE_PCRE2_SPLIT_H_
#define TRAINSIGHT_TOKENIZE_PCRE2_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// A half-open range of bytes.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Whose patterns: tokenizer.json's engine takes ^ and $ for ends of lines,
/// that of rank files for ends of the text.
enum class RegexSyntax : std::uint8_t { kOniguruma, kRust };

class RegexSplitter {
 public:
  /// Errors: kUnsupported for what PCRE2 refuses or reads in another way than
  /// the references do, and for a pattern that may match nothing at all; the
  /// message quotes the pattern.
  static Result<std::unique_ptr<RegexSplitter>> make(
      std::string_view regex, RegexSyntax syntax = RegexSyntax::kOniguruma);
  ~RegexSplitter();
  RegexSplitter(const RegexSplitter&) = delete;
  RegexSplitter& operator=(const RegexSplitter&) = delete;

  class Matcher {
   public:
    ~Matcher();
    Matcher(const Matcher&) = delete;
    Matcher& operator=(const Matcher&) = delete;

    /// Finds the first match in `utf8` at or after `from` that is not empty;
    /// false when there is none (or the pattern's backtracking limit is met).
    /// REQUIRES: well-formed UTF-8; from <= utf8.size() and at a character.
    bool next(std::string_view utf8, std::size_t from, Span& match);

   private:
    friend class RegexSplitter;
    struct State;
    explicit Matcher(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };

  /// Must not outlive this splitter.
  [[nodiscard]] std::unique_ptr<Matcher> make_matcher() const;

 private:
  struct Code;
  explicit RegexSplitter(std::unique_ptr<Code> code);
  std::unique_ptr<Code> code_;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_PCRE2_SPLIT_H_
