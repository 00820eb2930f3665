#include "scan/text_fault.h"

#include <fmt/format.h>

#include <cstring>

#include "scan/utf8_check.h"

namespace trainsight::scan {

bool is_clean_text(std::string_view bytes) {
  return bytes.empty() ||
         (std::memchr(bytes.data(), 0, bytes.size()) == nullptr &&
          invalid_utf8_at(bytes) == std::string_view::npos);
}

std::string not_utf8_message(std::string_view bytes, std::size_t at) {
  return fmt::format("0x{:02X} is not UTF-8",
                     static_cast<unsigned char>(bytes[at]));
}

std::optional<BadRecord> text_fault(std::string_view record) {
  const std::size_t invalid = invalid_utf8_at(record);
  const std::size_t nul = record.find('\0');
  BadRecord bad;
  if (invalid < nul) {  // npos is the largest value
    bad.kind = BadRecordKind::kNotUtf8;
    bad.byte = invalid;
    bad.message = not_utf8_message(record, invalid);
    return bad;
  }
  if (nul == std::string_view::npos) return std::nullopt;
  bad.kind = BadRecordKind::kNulByte;
  bad.byte = nul;
  bad.message = "a NUL byte: UTF-16 text, or a hole in the file";
  return bad;
}

}  // namespace trainsight::scan
