#include "tokenize/file_tokenizer.h"

#include <simdjson.h>

#include <utility>
#include <vector>

#include "tokenize/text_cursor.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

class FileCounter final : public TokenCounter {
 public:
  explicit FileCounter(const TokenizerParts& parts)
      : parts_(parts), model_(parts.model->make_counter()) {
    if (parts.fused != nullptr) fused_ = parts.fused->make_counter();
    takes_tokens_ = fused_ != nullptr && parts.normalized_tokens.empty() &&
                    fused_->take_tokens(parts.raw_tokens);
  }

  std::uint64_t count(std::string_view utf8) override {
    if (takes_tokens_) {
      utf8 = repaired(utf8);
      parts_.raw_tokens.split(utf8, raw_parts_);
      return fused_->count_parts(utf8, raw_parts_);
    }
    std::uint64_t total = 0;
    run(
        utf8, [&](std::uint32_t) { ++total; },
        [&](SegmentCounter& model, std::string_view segment, bool at_start) {
          total += model.count(segment, at_start);
        });
    return total;
  }

  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    run(
        utf8, [&](std::uint32_t id) { ids.push_back(id); },
        [&](SegmentCounter& model, std::string_view segment, bool at_start) {
          model.encode(segment, at_start, ids);
        });
  }

  bool parts_at(std::string_view utf8, std::size_t at) override {
    if (!simdjson::validate_utf8(utf8.data(), utf8.size())) return false;
    if (!parts_.raw_tokens.may_match(utf8)) return segment_parts_at(utf8, at);
    if (!parts_.raw_tokens.are_plain()) return false;
    // What is found before `at` is found without what follows, too, unless a
    // token reaches over it.
    parts_.raw_tokens.split(utf8, raw_parts_);
    for (const TextPart& part : raw_parts_) {
      const auto begin =
          static_cast<std::size_t>(part.text.data() - utf8.data());
      if (at <= begin) return true;
      if (at >= begin + part.text.size()) continue;
      return part.id == TextPart::kText &&
             segment_parts_at(part.text, at - begin);
    }
    return true;
  }

 private:
  // Goes through the chain: `on_token` for added tokens, `on_segment` for what
  // a model is to be asked for.
  template <typename OnToken, typename OnSegment>
  void run(std::string_view utf8, OnToken on_token, OnSegment on_segment) {
    utf8 = repaired(utf8);
    if (!parts_.raw_tokens.may_match(utf8)) {
      run_segment(utf8, true, on_token, on_segment);
      return;
    }
    parts_.raw_tokens.split(utf8, raw_parts_);
    for (const TextPart& part : raw_parts_) {
      if (part.id != TextPart::kText) {
        on_token(part.id);
      } else {
        run_segment(part.text, part.text.data() == utf8.data(), on_token,
                    on_segment);
      }
    }
  }

  template <typename OnToken, typename OnSegment>
  void run_segment(std::string_view segment, bool at_start, OnToken on_token,
                   OnSegment on_segment) {
    if (fused_ != nullptr &&
        (parts_.normalized_tokens.empty() ||
         (parts_.normalized_mark != 0 &&
          segment.find(parts_.normalized_mark) == std::string_view::npos))) {
      on_segment(*fused_, segment, at_start);
      return;
    }
    at_start = at_start && keeps_begin(segment);
    const std::string_view normalized =
        parts_.normalizer.apply(segment, scratch_);
    if (!parts_.normalized_tokens.may_match(normalized)) {
      on_segment(*model_, normalized, at_start);
      return;
    }
    parts_.normalized_tokens.split(normalized, normalized_parts_);
    for (const TextPart& part : normalized_parts_) {
      if (part.id != TextPart::kText) {
        on_token(part.id);
      } else {
        on_segment(*model_, part.text,
                   at_start && part.text.data() == normalized.data());
      }
    }
  }

  // The reference goes by offsets into the text as it was: of one whose first
  // character is taken away nothing is at its beginning.
  bool keeps_begin(std::string_view segment) {
    if (!parts_.begin_matters || segment.empty()) return true;
    const std::string_view first =
        segment.substr(0, next_code_point(segment, 0));
    return !parts_.normalizer.apply(first, scratch_).empty();
  }

  bool segment_parts_at(std::string_view segment, std::size_t at) {
    if (fused_ != nullptr && parts_.normalized_tokens.empty()) {
      return fused_->parts_at(segment, at);
    }
    // Offsets mean the same only where normalizing changes nothing.
    const std::string_view normalized =
        parts_.normalizer.apply(segment, scratch_);
    return normalized.data() == segment.data() &&
           !parts_.normalized_tokens.may_match(normalized) &&
           model_->parts_at(normalized, at);
  }

  std::string_view repaired(std::string_view bytes) {
    if (simdjson::validate_utf8(bytes.data(), bytes.size())) return bytes;
    repaired_.clear();
    text::append_repaired_utf8(bytes, repaired_);
    return repaired_;
  }

  const TokenizerParts& parts_;
  std::unique_ptr<SegmentCounter> model_;
  std::unique_ptr<SegmentCounter> fused_;
  bool takes_tokens_ = false;
  NormalizerScratch scratch_;
  std::vector<TextPart> raw_parts_, normalized_parts_;
  std::string repaired_;
};

class FileTokenizer final : public Tokenizer {
 public:
  explicit FileTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {}
  [[nodiscard]] const TokenizerInfo& info() const override {
    return parts_.info;
  }
  [[nodiscard]] std::unique_ptr<TokenCounter> make_counter() const override {
    return std::make_unique<FileCounter>(parts_);
  }

 private:
  TokenizerParts parts_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_file_tokenizer(TokenizerParts parts) {
  return std::make_unique<FileTokenizer>(std::move(parts));
}

}  // namespace trainsight::tokenize
