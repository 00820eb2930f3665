// PreTokenizer: cuts a normalized segment into words, one step after another.
//
// This is the general form, for the many combinations that have no scanner of
// their own; each step is exact to Hugging Face's (tokenizers/src/
// pre_tokenizers, version 0.23). Models are then asked word by word.
//
// Thread-safety: immutable after the last add(); a PreTokenizer::Worker is one
// thread's.
#ifndef TRAINSIGHT_TOKENIZE_PRE_TOKENIZER_H_
#define TRAINSIGHT_TOKENIZE_PRE_TOKENIZER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// A word; `at_start` where it begins at the beginning of the whole text.
struct Word {
  std::string_view text;
  bool at_start = false;
};

/// What becomes of the delimiters that a step finds.
enum class SplitBehavior : std::uint8_t {
  kRemoved,
  kIsolated,
  kMergedWithPrevious,
  kMergedWithNext,
  kContiguous,  ///< neighbouring delimiters are one word
};

/// Memory for words that are not stretches of the segment.
class WordStore {
 public:
  std::string& add() {
    if (used_ == texts_.size()) texts_.emplace_back();
    std::string& text = texts_[used_++];
    text.clear();
    return text;
  }
  void clear() { used_ = 0; }

 private:
  std::deque<std::string> texts_;  // a deque: views of them stay valid
  std::size_t used_ = 0;
};

/// One thread's state of a step.
class PreTokenizerStepWorker {
 public:
  virtual ~PreTokenizerStepWorker() = default;
  /// Appends the words of `word` to `words`, none of them empty.
  virtual void split(Word word, WordStore& store, std::vector<Word>& words) = 0;
};

/// One cutting of words.
class PreTokenizerStep {
 public:
  virtual ~PreTokenizerStep() = default;
  [[nodiscard]] virtual std::unique_ptr<PreTokenizerStepWorker> make_worker()
      const = 0;
};
using PreStepPtr = std::unique_ptr<const PreTokenizerStep>;

/// The steps in order; see the top of this file.
class PreTokenizer {
 public:
  void add(PreStepPtr step) { steps_.push_back(std::move(step)); }
  [[nodiscard]] bool empty() const { return steps_.empty(); }

  class Worker {
   public:
    explicit Worker(const PreTokenizer& owner);
    /// The words of a segment, valid until the next call.
    const std::vector<Word>& split(std::string_view segment, bool at_start);

   private:
    std::vector<std::unique_ptr<PreTokenizerStepWorker>> steps_;
    WordStore store_;
    std::vector<Word> words_, next_;
  };

 private:
  std::vector<PreStepPtr> steps_;
};

/// Cuts at white space, which is dropped.
PreStepPtr make_whitespace_split();
/// Runs of word characters and runs of what is neither these nor white space.
PreStepPtr make_whitespace();
/// White space is dropped, each punctuation character a word.
PreStepPtr make_bert_split();
PreStepPtr make_punctuation(SplitBehavior behavior);
PreStepPtr make_digits(bool individual);
PreStepPtr make_char_delimiter(char32_t delimiter);
/// Cuts at every occurrence of `text`. REQUIRES: not empty.
PreStepPtr make_string_split(std::string text, SplitBehavior behavior,
                             bool invert);
/// Cuts at the matches of a regular expression. Errors: kUnsupported.
Result<PreStepPtr> make_regex_split(std::string_view regex,
                                    SplitBehavior behavior, bool invert);

/// Before which words Metaspace puts its mark.
enum class MetaspaceScheme : std::uint8_t { kAlways, kFirst, kNever };
/// Spaces become `mark`; words begin with a mark where `split` is set.
PreStepPtr make_metaspace(std::string mark, MetaspaceScheme scheme, bool split);

/// ByteLevel. Where `spell_bytes` is set the words are spelled in its alphabet
/// of 256 printable characters, which later steps see; see unspell_bytes().
PreStepPtr make_byte_level(bool add_prefix_space, bool use_regex,
                           bool spell_bytes);

/// Appends the bytes that a word in ByteLevel's alphabet spells; false (and
/// nothing appended) where a character is not of this alphabet.
/// Source: openai/gpt-2, src/encoder.py, bytes_to_unicode().
bool unspell_bytes(std::string_view word, std::string& bytes);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_PRE_TOKENIZER_H_
