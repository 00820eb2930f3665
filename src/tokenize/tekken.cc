#include "tokenize/tekken.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tokenize/json_members.h"
#include "tokenize/tiktoken.h"

namespace trainsight::tokenize {
namespace {

constexpr std::string_view kFile = "tekken.json";
constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 24;

Error corrupt(std::string_view why) {
  return Error{ErrorKind::kCorrupt, fmt::format("{}: {}", kFile, why), ""};
}

// Of files before they listed them. Source: mistralai/mistral-common 1.13.1,
// tokens/tokenizers/tekken.py.
constexpr std::string_view kOldSpecialTokens[] = {"<unk>",
                                                  "<s>",
                                                  "</s>",
                                                  "[INST]",
                                                  "[/INST]",
                                                  "[AVAILABLE_TOOLS]",
                                                  "[/AVAILABLE_TOOLS]",
                                                  "[TOOL_RESULTS]",
                                                  "[/TOOL_RESULTS]",
                                                  "[TOOL_CALLS]",
                                                  "[IMG]",
                                                  "<pad>",
                                                  "[IMG_BREAK]",
                                                  "[IMG_END]",
                                                  "[PREFIX]",
                                                  "[MIDDLE]",
                                                  "[SUFFIX]",
                                                  "[SYSTEM_PROMPT]",
                                                  "[/SYSTEM_PROMPT]",
                                                  "[TOOL_CONTENT]"};

void read_special_tokens(JsonElement root, TokenizerInfo& info) {
  const auto list = array_member(root, "special_tokens");
  if (!list) {
    for (const std::string_view text : kOldSpecialTokens) {
      const auto id = static_cast<std::uint32_t>(info.special_tokens.size());
      info.special_tokens.push_back(SpecialToken{std::string(text), id, true});
    }
    info.bos_token = "<s>";
    info.eos_token = "</s>";
    return;
  }
  for (const JsonElement element : *list) {
    const auto rank = uint_member(element, "rank");
    const std::string_view text = string_member(element, "token_str");
    if (!rank || *rank >= kMostTokens || text.empty()) continue;
    info.special_tokens.push_back(SpecialToken{
        std::string(text), static_cast<std::uint32_t>(*rank), true});
    if (text == "<s>") info.bos_token = text;
    if (text == "</s>") info.eos_token = text;
  }
}

}  // namespace

Result<TokenizerParts> parse_tekken(std::string_view json) {
  JsonDocument document;
  const Result<JsonElement> root = document.parse(kFile, json);
  if (!root) return root.error();
  const auto config = member(*root, "config");
  const auto vocabulary = array_member(*root, "vocab");
  if (!config || !vocabulary) return corrupt("no config or no vocab");
  const std::string_view pattern = string_member(*config, "pattern");
  const auto size = uint_member(*config, "default_vocab_size");
  const auto specials = uint_member(*config, "default_num_special_tokens");
  if (pattern.empty() || !size || !specials || *specials > *size ||
      *size > kMostTokens) {
    return corrupt("config without pattern or sensible sizes");
  }

  ByteBpeSpec spec;
  spec.by_rank = true;
  spec.id_offset = static_cast<std::uint32_t>(*specials);
  spec.pattern = pattern_of_source(pattern);
  if (spec.pattern == Pattern::kRegex) spec.regex = pattern;
  const std::uint64_t kept = *size - *specials;
  std::string bytes;
  for (const JsonElement element : *vocabulary) {
    if (spec.tokens.size() == kept) break;
    bytes.clear();
    if (uint_member(element, "rank") != spec.tokens.size() ||
        !append_base64(string_member(element, "token_bytes"), bytes) ||
        bytes.empty()) {
      return corrupt(
          fmt::format("vocab entry {} is not in order of rank or has no bytes",
                      spec.tokens.size()));
    }
    spec.tokens.add(bytes);
  }
  TokenizerParts parts;
  parts.info.kind = "byte-level BPE";
  parts.info.vocabulary_size = spec.tokens.size() + spec.id_offset;
  read_special_tokens(*root, parts.info);
  Result<std::unique_ptr<ByteBpe>> bpe = ByteBpe::make(std::move(spec));
  if (!bpe) return bpe.error().with_context(std::string(kFile));
  parts.model = make_byte_bpe_segments(std::move(*bpe));
  return parts;
}

}  // namespace trainsight::tokenize
