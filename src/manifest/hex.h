// The inverse of text::hex64().
#ifndef TRAINSIGHT_MANIFEST_HEX_H_
#define TRAINSIGHT_MANIFEST_HEX_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainsight::manifest {

/// The value of exactly 16 lower-case hex digits; nothing for any other text.
inline std::optional<std::uint64_t> parse_hex64(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (text.size() != 16 ||
      text.find_first_not_of(kDigits) != std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

}  // namespace trainsight::manifest

#endif  // TRAINSIGHT_MANIFEST_HEX_H_
