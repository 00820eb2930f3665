#include "trainsight/tokenize/load_files.h"

#include <utility>

#include "tokenize/sentencepiece_model.h"
#include "tokenize/tekken.h"
#include "tokenize/tiktoken.h"
#include "tokenize/tokenizer_config.h"
#include "tokenize/tokenizer_json.h"
#include "trainsight/text/xxhash64.h"
#include "trainsight/tokenize/load.h"

namespace trainsight::tokenize {
namespace {

Result<TokenizerConfig> read_config(const TokenizerFiles& files) {
  TokenizerConfig config;
  if (files.tokenizer_config_json) {
    const Status read = read_tokenizer_config(
        kTokenizerConfigName, *files.tokenizer_config_json, config);
    if (!read) return read.error();
  }
  if (files.special_tokens_map_json) {
    const Status read = read_tokenizer_config(
        kSpecialTokensMapName, *files.special_tokens_map_json, config);
    if (!read) return read.error();
  }
  if (files.chat_template_jinja) {
    config.chat_template = *files.chat_template_jinja;
  }
  return config;
}

// Puts what stands beside the tokenizer into its description.
void apply_config(const TokenizerConfig& config, TokenizerInfo& info) {
  info.chat_template = config.chat_template;
  if (!config.bos_token.empty()) info.bos_token = config.bos_token;
  if (!config.eos_token.empty()) info.eos_token = config.eos_token;
  const auto added = config.tokens_added_per_text();
  if (added && *added != info.tokens_added_per_text) {
    info.notes.push_back(
        "tokenizer_config.json: add_bos_token and add_eos_token decide on BOS "
        "and EOS");
    info.tokens_added_per_text = *added;
    info.tokens_added_before = config.add_bos_token.value_or(true) ? 1 : 0;
  }
}

// Llama 3's tokenizer.model is a rank file: its first line is a token in base64
// and its rank. A SentencePiece model begins with a byte that is neither.
bool is_rank_file(std::string_view bytes) {
  const std::string_view line =
      bytes.substr(0, bytes.substr(0, 256).find('\n'));
  const std::size_t space = line.find(' ');
  std::string token;
  return line.size() < bytes.size() && space != std::string_view::npos &&
         space > 0 && space + 1 < line.size() &&
         append_base64(line.substr(0, space), token) &&
         line.find_first_not_of("0123456789\r", space + 1) ==
             std::string_view::npos;
}

// A rank file has no parts of ours: the description is put over it.
class DescribedTokenizer final : public Tokenizer {
 public:
  DescribedTokenizer(std::unique_ptr<Tokenizer> inner, TokenizerInfo info)
      : inner_(std::move(inner)), info_(std::move(info)) {}
  [[nodiscard]] const TokenizerInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<TokenCounter> make_counter() const override {
    return inner_->make_counter();
  }

 private:
  std::unique_ptr<Tokenizer> inner_;
  TokenizerInfo info_;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_tokenizer(const TokenizerFiles& given) {
  TokenizerFiles files = given;
  if (files.sentencepiece_model && is_rank_file(*files.sentencepiece_model)) {
    files.tiktoken = std::exchange(files.sentencepiece_model, std::nullopt);
  }
  const Result<TokenizerConfig> config = read_config(files);
  if (!config) return config.error();
  std::string_view defining;
  Result<TokenizerParts> parts =
      Error{ErrorKind::kNotFound,
            "tokenizer " + files.name +
                ": no tokenizer.json, tekken.json, .model or .tiktoken file",
            ""};
  if (files.tokenizer_json) {
    defining = *files.tokenizer_json;
    parts = parse_tokenizer_json(defining, config->added_tokens);
  } else if (files.tekken_json) {
    defining = *files.tekken_json;
    parts = parse_tekken(defining);
  } else if (files.sentencepiece_model) {
    defining = *files.sentencepiece_model;
    parts = parse_sentencepiece_model(defining);
  } else if (files.tiktoken) {
    Result<std::unique_ptr<Tokenizer>> tiktoken =
        make_tiktoken(files.name, *files.tiktoken, files.tiktoken_regex);
    if (!tiktoken) return tiktoken;
    TokenizerInfo info = (*tiktoken)->info();
    info.name = files.name;
    apply_config(*config, info);
    return std::unique_ptr<Tokenizer>(std::make_unique<DescribedTokenizer>(
        std::move(*tiktoken), std::move(info)));
  }
  if (!parts) return parts.error();
  parts->info.name = files.name;
  parts->info.xxh64 = text::hex64(text::xxh64(defining));
  apply_config(*config, parts->info);
  return make_file_tokenizer(std::move(*parts));
}

}  // namespace trainsight::tokenize
