// Normalizer: the rewriting of a text before it is cut into words.
//
// A list of steps, as tokenizer.json's "normalizer" has them; each is exact to
// Hugging Face's (tokenizers/src/normalizers, version 0.23). A step that finds
// nothing to do costs a scan and no copy.
// Thread-safety: immutable after the last add(); a NormalizerScratch is one
// worker's.
#ifndef TRAINSIGHT_TOKENIZE_NORMALIZER_H_
#define TRAINSIGHT_TOKENIZE_NORMALIZER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/charsmap.h"
#include "tokenize/normal_form.h"

namespace trainsight::tokenize {

/// One rewriting of a text.
class NormalizerStep {
 public:
  virtual ~NormalizerStep() = default;
  /// Puts the new text into `out` (replacing it) and returns true; or returns
  /// false when nothing changes, with `out` undefined.
  /// REQUIRES: well-formed UTF-8 that `out` does not hold.
  virtual bool apply(std::string_view utf8, std::string& out) const = 0;
};

/// Two buffers that the steps write to by turns.
struct NormalizerScratch {
  std::string front, back;
};

/// The steps in order; see the top of this file.
class Normalizer {
 public:
  void add(std::unique_ptr<const NormalizerStep> step) {
    steps_.push_back(std::move(step));
  }
  [[nodiscard]] bool empty() const { return steps_.empty(); }

  /// The normalized text: `utf8` itself when nothing changes, else a view of
  /// `scratch` that is valid until it is used again.
  std::string_view apply(std::string_view utf8,
                         NormalizerScratch& scratch) const;

 private:
  std::vector<std::unique_ptr<const NormalizerStep>> steps_;
};

using StepPtr = std::unique_ptr<const NormalizerStep>;

/// NFC, NFD, NFKC, NFKD.
StepPtr make_normal_form_step(NormalForm::Kind kind);
/// BertNormalizer; accents go only where `strip_accents` is set.
struct BertOptions {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};
StepPtr make_bert_step(BertOptions options);
StepPtr make_lowercase_step();
StepPtr make_strip_accents_step();
StepPtr make_strip_step(bool left, bool right);
/// Nmt: takes out controls and makes odd white space a space.
StepPtr make_nmt_step();
/// Prepends to every text that is not empty.
StepPtr make_prepend_step(std::string prefix);
/// Replaces every occurrence of `from`, left to right. REQUIRES: not empty.
StepPtr make_replace_step(std::string from, std::string to);
/// Replaces every run of two or more spaces (the pattern " {2,}").
StepPtr make_replace_spaces_step(std::string to);
/// Replaces every match of a regular expression. Errors: kUnsupported.
Result<StepPtr> make_replace_regex_step(std::string_view regex, std::string to);
/// Hugging Face's Precompiled: the charsmap by grapheme clusters.
StepPtr make_precompiled_step(Charsmap charsmap);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_NORMALIZER_H_
