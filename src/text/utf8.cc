#include "trainsight/text/utf8.h"

#include <cstring>

namespace trainsight::text {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080u;

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

// Length of the well-formed sequence at `at`; 0 when ill-formed, and then
// `subpart` is the length of the maximal subpart to replace.
std::size_t sequence_length(std::string_view bytes, std::size_t at,
                            std::size_t& subpart) {
  const std::uint8_t lead = byte_at(bytes, at);
  subpart = 1;
  if (lead < 0x80) return 1;
  std::size_t length;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= bytes.size()) return 0;
    const std::uint8_t next = byte_at(bytes, at + i);
    if (next < low || next > high) return 0;
    subpart = i + 1;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

// Length of the run of ASCII at `at`, 32 bytes at a time, then eight, then one.
std::size_t ascii_run(std::string_view bytes, std::size_t at) {
  std::size_t end = at;
  while (bytes.size() - end >= 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + end, 32);
    if (((words[0] | words[1] | words[2] | words[3]) & kHighBits) != 0) break;
    end += 32;
  }
  while (bytes.size() - end >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + end, 8);
    if ((word & kHighBits) != 0) break;
    end += 8;
  }
  while (end < bytes.size() && byte_at(bytes, end) < 0x80) ++end;
  return end - at;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (true) {
    at += ascii_run(bytes, at);
    if (at >= bytes.size()) return std::string_view::npos;
    std::size_t subpart;
    const std::size_t length = sequence_length(bytes, at, subpart);
    if (length == 0) return at;
    at += length;
  }
}

std::uint64_t count_code_points(std::string_view utf8) {
  // A continuation byte is 10xxxxxx: bit 7 set and bit 6 clear. Counted eight
  // at a time with the classic horizontal add.
  std::uint64_t continuations = 0;
  std::size_t at = 0;
  for (; utf8.size() - at >= 8; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, utf8.data() + at, 8);
    const std::uint64_t bits =
        ((word >> 7) & ~(word >> 6)) & 0x0101010101010101u;
    continuations += (bits * 0x0101010101010101u) >> 56;
  }
  for (; at < utf8.size(); ++at) {
    if ((byte_at(utf8, at) & 0xC0) == 0x80) ++continuations;
  }
  return utf8.size() - continuations;
}

std::size_t write_utf8(char* to, char32_t code_point) {
  char* const begin = to;
  const auto put = [&to](char32_t byte) {
    *to++ = static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
  return static_cast<std::size_t>(to - begin);
}

void append_utf8(std::string& out, char32_t code_point) {
  char bytes[4];
  out.append(bytes, write_utf8(bytes, code_point));
}

char32_t decode_utf8(std::string_view bytes, std::size_t& at) {
  std::size_t subpart;
  const std::size_t length = sequence_length(bytes, at, subpart);
  if (length == 0) {
    at += subpart;
    return 0xFFFD;
  }
  const std::uint8_t lead = byte_at(bytes, at);
  constexpr std::uint8_t kLeadMask[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code_point = lead & kLeadMask[length];
  for (std::size_t i = 1; i < length; ++i) {
    code_point = (code_point << 6) | (byte_at(bytes, at + i) & 0x3F);
  }
  at += length;
  return code_point;
}

void append_repaired_utf8(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    const std::size_t bad = find_invalid_utf8(bytes);
    if (bad == std::string_view::npos) {
      out.append(bytes);
      return;
    }
    out.append(bytes.substr(0, bad));
    std::size_t subpart;
    sequence_length(bytes, bad, subpart);
    append_utf8(out, 0xFFFD);
    bytes.remove_prefix(bad + subpart);
  }
}

}  // namespace trainsight::text
