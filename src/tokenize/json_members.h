// Members of JSON objects by name, with defaults: what loaders ask simdjson.
//
// Internal to the loaders; simdjson's types stay in src/tokenize.
#ifndef TRAINSIGHT_TOKENIZE_JSON_MEMBERS_H_
#define TRAINSIGHT_TOKENIZE_JSON_MEMBERS_H_

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"

namespace trainsight::tokenize {

using JsonElement = simdjson::dom::element;

/// The member, or nothing when it is missing, null, or `from` is no object.
inline std::optional<JsonElement> member(JsonElement from,
                                         std::string_view name) {
  JsonElement value;
  if (from.at_key(name).get(value) != simdjson::SUCCESS || value.is_null()) {
    return std::nullopt;
  }
  return value;
}

inline bool bool_member(JsonElement from, std::string_view name,
                        bool otherwise) {
  bool value = otherwise;
  const std::optional<JsonElement> found = member(from, name);
  if (!found || found->get(value) != simdjson::SUCCESS) return otherwise;
  return value;
}

/// The text of a string member; empty when there is none.
inline std::string_view string_member(JsonElement from, std::string_view name) {
  std::string_view value;
  const std::optional<JsonElement> found = member(from, name);
  if (!found || found->get(value) != simdjson::SUCCESS) return {};
  return value;
}

inline std::optional<std::uint64_t> uint_member(JsonElement from,
                                                std::string_view name) {
  std::uint64_t value = 0;
  const std::optional<JsonElement> found = member(from, name);
  if (!found || found->get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

inline std::optional<simdjson::dom::array> array_member(JsonElement from,
                                                        std::string_view name) {
  simdjson::dom::array value;
  const std::optional<JsonElement> found = member(from, name);
  if (!found || found->get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

/// A parsed document; elements of it live as long as this.
class JsonDocument {
 public:
  /// Parses `json`, of which it keeps a copy. `what` names the file in
  /// messages. Errors: kCorrupt for bytes that are no JSON object; kLimit.
  Result<JsonElement> parse(std::string_view what, std::string_view json) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    if (json.size() > kMostBytes) {
      return Error{ErrorKind::kLimit, std::string(what) + ": over 1 GiB", ""};
    }
    if (json.substr(0, 3) == "\xEF\xBB\xBF") json.remove_prefix(3);
    if (json.empty()) json = "";  // simdjson copies from no null pointer
    JsonElement root;
    const simdjson::error_code error =
        parser_.parse(json.data(), json.size(), true).get(root);
    if (error != simdjson::SUCCESS || !root.is_object()) {
      std::string why = error == simdjson::SUCCESS
                            ? "not a JSON object"
                            : simdjson::error_message(error);
      return Error{ErrorKind::kCorrupt, std::string(what) + ": " + why, ""};
    }
    return root;
  }

 private:
  simdjson::dom::parser parser_;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_JSON_MEMBERS_H_
