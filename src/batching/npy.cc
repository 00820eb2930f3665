#include "trainsight/batching/npy.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace trainsight::batching {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kHeaderBytes = 128;

void append_word(std::uint64_t value, std::string& bytes) {
  std::array<char, 8> word;
  for (char& byte : word) {
    byte = static_cast<char>(value & 0xFF);
    value >>= 8;
  }
  bytes.append(word.data(), word.size());
}

std::uint64_t word_at(std::string_view bytes, std::size_t at,
                      std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

Error corrupt(std::string message) {
  return Error{ErrorKind::kCorrupt, std::move(message), ""};
}

// The number in "'shape': (N,)", or nothing.
std::optional<std::uint64_t> length_of(std::string_view header) {
  constexpr std::string_view kShape = "'shape': (";
  const std::size_t at = header.find(kShape);
  if (at == std::string_view::npos) return std::nullopt;
  const char* begin = header.data() + at + kShape.size();
  const char* end = header.data() + header.size();
  std::uint64_t count = 0;
  const std::from_chars_result parsed = std::from_chars(begin, end, count);
  if (parsed.ec != std::errc() || end - parsed.ptr < 2 ||
      std::string_view(parsed.ptr, 2) != ",)") {
    return std::nullopt;
  }
  return count;
}

}  // namespace

std::string npy_header(std::uint64_t count) {
  std::string header(kMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(kHeaderBytes - 10);  // of what follows
  header += '\x00';
  header += fmt::format(
      "{{'descr': '<i8', 'fortran_order': False, 'shape': ({},), }}", count);
  header.resize(kHeaderBytes - 1, ' ');
  header += '\n';
  return header;
}

void append_int64(std::span<const std::uint32_t> values, std::string& bytes) {
  bytes.reserve(bytes.size() + values.size() * 8);
  for (const std::uint32_t value : values) append_word(value, bytes);
}

void append_int64(std::span<const std::uint64_t> values, std::string& bytes) {
  bytes.reserve(bytes.size() + values.size() * 8);
  for (const std::uint64_t value : values) append_word(value, bytes);
}

Result<std::vector<std::uint64_t>> parse_npy(std::string_view bytes) {
  if (bytes.size() < 12 || bytes.substr(0, kMagic.size()) != kMagic) {
    return corrupt("not a .npy file");
  }
  const auto version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    return corrupt(fmt::format(".npy version {}", version));
  }
  const std::size_t size_bytes = version == 1 ? 2 : 4;
  const std::size_t begin = 8 + size_bytes;
  const std::uint64_t header_bytes = word_at(bytes, 8, size_bytes);
  if (header_bytes > bytes.size() - begin) {
    return corrupt(".npy header is cut off");
  }
  const std::string_view header = bytes.substr(begin, header_bytes);
  if (header.find("'descr': '<i8'") == std::string_view::npos ||
      header.find("'fortran_order': False") == std::string_view::npos) {
    return corrupt(".npy array is not little-endian int64");
  }
  const std::optional<std::uint64_t> count = length_of(header);
  if (!count) return corrupt(".npy array has not one dimension");
  const std::string_view body = bytes.substr(begin + header_bytes);
  if (body.size() % 8 != 0 || body.size() / 8 != *count) {
    return corrupt(fmt::format(".npy array of {} values has {} bytes", *count,
                               body.size()));
  }
  std::vector<std::uint64_t> values;
  values.reserve(*count);
  for (std::size_t at = 0; at < body.size(); at += 8) {
    values.push_back(word_at(body, at, 8));
    if (values.back() >> 63 != 0) return corrupt(".npy value is negative");
  }
  return values;
}

PackIndexInfo index_info(const PackingFigures& figures,
                         const PackOptions& options,
                         const Assignment& assignment) {
  PackIndexInfo info;
  info.strategy = name_of(options.strategy);
  info.pack_length = options.pack_length;
  info.overlong = name_of(options.overlong);
  info.window_rows = options.window_rows;
  info.seed = options.seed;
  info.rows_in = figures.rows_in;
  info.packs = figures.packs;
  info.segments = figures.segments;
  info.tokens = figures.tokens;
  info.tokens_lost = figures.tokens_lost;
  info.efficiency_ratio = figures.efficiency_ratio;
  info.rows_are_cut = !assignment.lengths.empty();
  return info;
}

}  // namespace trainsight::batching
