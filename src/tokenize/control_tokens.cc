#include "trainsight/tokenize/control_tokens.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tokenize/added_tokens.h"

namespace trainsight::tokenize {
namespace {

struct PublishedToken {
  std::uint32_t rank_count;  // of the rank files that it belongs to
  std::uint32_t id;
  std::string_view text;
};

constexpr PublishedToken kPublished[] = {
    {100256, 100257, "<|endoftext|>"},
    {100256, 100258, "<|fim_prefix|>"},
    {100256, 100259, "<|fim_middle|>"},
    {100256, 100260, "<|fim_suffix|>"},
    {100256, 100264, "<|im_start|>"},
    {100256, 100265, "<|im_end|>"},
    {100256, 100266, "<|im_sep|>"},
    {100256, 100276, "<|endofprompt|>"},
    {199998, 199999, "<|endoftext|>"},
    {199998, 200003, "<|im_start|>"},
    {199998, 200004, "<|im_end|>"},
    {199998, 200005, "<|im_sep|>"},
    {128000, 128000, "<|begin_of_text|>"},
    {128000, 128001, "<|end_of_text|>"},
    {128000, 128006, "<|start_header_id|>"},
    {128000, 128007, "<|end_header_id|>"},
    {128000, 128009, "<|eot_id|>"},
};

// Whether the model puts a mark in front of a text: then a letter alone is
// another token than behind a line end.
bool prepends_mark(TokenCounter& counter) {
  std::vector<std::uint32_t> alone;
  std::vector<std::uint32_t> behind;
  counter.encode("a", alone);
  counter.encode("\na", behind);
  return !alone.empty() && !behind.empty() && alone.back() != behind.back();
}

class ControlCounter final : public TokenCounter {
 public:
  ControlCounter(const AddedTokens& tokens, bool skips_space,
                 std::unique_ptr<TokenCounter> inner)
      : tokens_(tokens), skips_space_(skips_space), inner_(std::move(inner)) {}

  std::uint64_t count(std::string_view utf8) override {
    if (!tokens_.may_match(utf8)) return inner_->count(utf8);
    std::uint64_t total = 0;
    for_each_part(utf8, [&](const TextPart& part, std::string_view text) {
      total += part.id == TextPart::kText ? inner_->count(text) : 1;
    });
    return total;
  }

  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    for_each_part(utf8, [&](const TextPart& part, std::string_view text) {
      if (part.id == TextPart::kText) {
        inner_->encode(text, ids);
      } else {
        ids.push_back(part.id);
      }
    });
  }

  bool parts_at(std::string_view utf8, std::size_t at) override {
    return !tokens_.may_match(utf8) && inner_->parts_at(utf8, at);
  }

 private:
  template <typename Visit>
  void for_each_part(std::string_view utf8, const Visit& visit) {
    tokens_.split(utf8, parts_);
    bool is_behind = false;  // a control token
    for (const TextPart& part : parts_) {
      std::string_view text = part.text;
      if (skips_space_ && is_behind && !text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
      }
      visit(part, text);
      is_behind = part.id != TextPart::kText;
    }
  }

  const AddedTokens& tokens_;
  bool skips_space_;
  std::unique_ptr<TokenCounter> inner_;
  std::vector<TextPart> parts_;
};

class ControlTokenizer final : public Tokenizer {
 public:
  ControlTokenizer(std::shared_ptr<const Tokenizer> inner, TokenizerInfo info,
                   AddedTokens tokens, bool skips_space)
      : inner_(std::move(inner)),
        info_(std::move(info)),
        tokens_(std::move(tokens)),
        skips_space_(skips_space) {}
  [[nodiscard]] const TokenizerInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<TokenCounter> make_counter() const override {
    return std::make_unique<ControlCounter>(tokens_, skips_space_,
                                            inner_->make_counter());
  }

 private:
  std::shared_ptr<const Tokenizer> inner_;
  TokenizerInfo info_;
  AddedTokens tokens_;
  bool skips_space_;
};

}  // namespace

ControlTokens control_tokens_of(const TokenizerInfo& info) {
  ControlTokens control;
  control.bos_token = info.bos_token;
  control.eos_token = info.eos_token;
  for (const SpecialToken& token : info.special_tokens) {
    if (token.special) control.tokens.push_back(token);
  }
  const bool is_rank_file =
      info.kind.find("tiktoken ranks") != std::string::npos;
  if (!is_rank_file || !control.tokens.empty()) return control;
  for (const PublishedToken& token : kPublished) {
    if (token.rank_count != info.vocabulary_size) continue;
    control.tokens.push_back({std::string(token.text), token.id, true});
    if (token.text == "<|begin_of_text|>") control.bos_token = token.text;
  }
  return control;
}

std::shared_ptr<const Tokenizer> with_control_tokens(
    std::shared_ptr<const Tokenizer> tokenizer, const ControlTokens& control) {
  if (control.tokens.empty()) return tokenizer;
  const std::unique_ptr<TokenCounter> counter = tokenizer->make_counter();
  // One kind of file finds them all, the others none.
  if (counter->count(control.tokens.front().text) == 1) return tokenizer;
  TokenizerInfo info = tokenizer->info();
  info.bos_token = control.bos_token;
  info.eos_token = control.eos_token;
  std::vector<AddedToken> added;
  std::vector<std::string> patterns;
  for (const SpecialToken& token : control.tokens) {
    AddedToken one;
    one.content = token.text;
    one.id = token.id;
    one.normalized = false;
    one.special = true;
    patterns.push_back(token.text);
    added.push_back(std::move(one));
    const bool is_known = std::any_of(
        info.special_tokens.begin(), info.special_tokens.end(),
        [&](const SpecialToken& s) { return s.text == token.text; });
    if (!is_known) info.special_tokens.push_back(token);
    info.vocabulary_size = std::max(info.vocabulary_size, token.id + 1);
  }
  const bool skips_space = prepends_mark(*counter);
  return std::make_shared<ControlTokenizer>(
      std::move(tokenizer), std::move(info), AddedTokens(added, patterns),
      skips_space);
}

}  // namespace trainsight::tokenize
