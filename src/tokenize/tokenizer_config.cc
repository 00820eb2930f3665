#include "tokenize/tokenizer_config.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace trainsight::tokenize {
namespace {

namespace od = simdjson::ondemand;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kMostAddedTokens = std::size_t{1} << 20;

std::optional<bool> read_bool(od::value value) {
  bool result = false;
  if (value.get_bool().get(result) != simdjson::SUCCESS) return std::nullopt;
  return result;
}

// A token is a string or an object with its "content".
std::string read_token(od::value value) {
  std::string_view text;
  if (value.get_string().get(text) == simdjson::SUCCESS) {
    return std::string(text);
  }
  od::object object;
  if (value.get_object().get(object) == simdjson::SUCCESS &&
      object["content"].get_string().get(text) == simdjson::SUCCESS) {
    return std::string(text);
  }
  return {};
}

// A template is a string, or one of several with names.
std::string read_template(od::value value) {
  std::string_view text;
  if (value.get_string().get(text) == simdjson::SUCCESS) {
    return std::string(text);
  }
  od::array list;
  if (value.get_array().get(list) != simdjson::SUCCESS) return {};
  std::string first;
  for (auto element : list) {
    od::object object;
    std::string_view name;
    if (element.get_object().get(object) != simdjson::SUCCESS ||
        object["name"].get_string().get(name) != simdjson::SUCCESS) {
      return first;
    }
    const bool is_default = name == "default";
    if (object["template"].get_string().get(text) != simdjson::SUCCESS) {
      return first;
    }
    if (is_default) return std::string(text);
    if (first.empty()) first = text;
  }
  return first;
}

std::vector<AddedToken> read_added_tokens(od::value value) {
  std::vector<AddedToken> tokens;
  od::object by_id;
  if (value.get_object().get(by_id) != simdjson::SUCCESS) return tokens;
  for (auto field : by_id) {
    std::string_view key;
    od::object object;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) break;
    AddedToken token;
    const auto parsed =
        std::from_chars(key.data(), key.data() + key.size(), token.id);
    if (parsed.ec != std::errc() ||
        field.value().get_object().get(object) != simdjson::SUCCESS) {
      break;
    }
    for (auto flag : object) {
      std::string_view name;
      if (flag.unescaped_key().get(name) != simdjson::SUCCESS) break;
      const std::string flag_name(name);
      if (flag_name == "content") {
        std::string_view text;
        if (flag.value().get_string().get(text) == simdjson::SUCCESS) {
          token.content = text;
        }
        continue;
      }
      bool* const target = flag_name == "single_word"  ? &token.single_word
                           : flag_name == "lstrip"     ? &token.lstrip
                           : flag_name == "rstrip"     ? &token.rstrip
                           : flag_name == "normalized" ? &token.normalized
                           : flag_name == "special"    ? &token.special
                                                       : nullptr;
      bool set = false;
      if (target != nullptr &&
          flag.value().get_bool().get(set) == simdjson::SUCCESS) {
        *target = set;
      }
    }
    tokens.push_back(std::move(token));
    if (tokens.size() == kMostAddedTokens) break;
  }
  std::stable_sort(
      tokens.begin(), tokens.end(),
      [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  return tokens;
}

}  // namespace

std::optional<std::uint32_t> TokenizerConfig::tokens_added_per_text() const {
  constexpr std::string_view kClasses[] = {"Llama", "CodeLlama", "Gemma",
                                           "Cohere"};
  const bool rebuilds = std::any_of(
      std::begin(kClasses), std::end(kClasses), [&](std::string_view name) {
        const std::string slow = std::string(name) + "Tokenizer";
        return tokenizer_class == slow || tokenizer_class == slow + "Fast";
      });
  if (!rebuilds || (!add_bos_token && !add_eos_token)) return std::nullopt;
  return static_cast<std::uint32_t>(add_bos_token.value_or(true)) +
         static_cast<std::uint32_t>(add_eos_token.value_or(false));
}

Status read_tokenizer_config(std::string_view what, std::string_view json,
                             TokenizerConfig& config) {
  const auto corrupt = [&](std::string_view why) {
    return Error{ErrorKind::kCorrupt,
                 std::string(what) + ": " + std::string(why), ""};
  };
  if (json.size() > kMostBytes) {
    return Error{ErrorKind::kLimit, std::string(what) + ": over 256 MiB", ""};
  }
  if (json.substr(0, 3) == "\xEF\xBB\xBF") json.remove_prefix(3);
  // On demand: numbers that nobody asks for may be of any size here
  // (model_max_length has 31 digits in many files).
  od::parser parser;
  const simdjson::padded_string padded(json);
  od::document document;
  simdjson::error_code error = parser.iterate(padded).get(document);
  od::object object;
  if (error == simdjson::SUCCESS) error = document.get_object().get(object);
  if (error != simdjson::SUCCESS)
    return corrupt(simdjson::error_message(error));
  for (auto field : object) {
    std::string_view key;
    od::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(value) != simdjson::SUCCESS) {
      return corrupt("broken JSON");
    }
    const std::string name(key);
    if (name == "chat_template" && config.chat_template.empty()) {
      config.chat_template = read_template(value);
    } else if (name == "bos_token" && config.bos_token.empty()) {
      config.bos_token = read_token(value);
    } else if (name == "eos_token" && config.eos_token.empty()) {
      config.eos_token = read_token(value);
    } else if (name == "tokenizer_class") {
      config.tokenizer_class = read_token(value);
    } else if (name == "add_bos_token") {
      config.add_bos_token = read_bool(value);
    } else if (name == "add_eos_token") {
      config.add_eos_token = read_bool(value);
    } else if (name == "added_tokens_decoder") {
      config.added_tokens = read_added_tokens(value);
    }
  }
  return {};
}

}  // namespace trainsight::tokenize
