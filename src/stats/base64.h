// Unpadded base64 (RFC 4648, section 4), canonical in both directions.
#ifndef TRAINSIGHT_STATS_BASE64_H_
#define TRAINSIGHT_STATS_BASE64_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainsight::stats {

std::string to_base64(const std::vector<std::uint8_t>& bytes);

/// Nothing for a character outside the alphabet, padding, an impossible length
/// or unused bits that are not zero.
std::optional<std::vector<std::uint8_t>> parse_base64(std::string_view text);

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_BASE64_H_
