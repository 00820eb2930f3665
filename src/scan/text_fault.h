// Faults of plain text: bytes that are not UTF-8, and NUL bytes.
#ifndef TRAINSIGHT_SCAN_TEXT_FAULT_H_
#define TRAINSIGHT_SCAN_TEXT_FAULT_H_

#include <optional>
#include <string_view>

#include "trainsight/scan/reader.h"

namespace trainsight::scan {

/// Whether `bytes` are UTF-8 without NUL: what text_fault() has nothing to say
/// about. For a whole chunk, so that its records need no look of their own.
bool is_clean_text(std::string_view bytes);

/// The first fault of a record: kNotUtf8 or kNulByte with `byte` and `message`
/// set, nothing else; nullopt when the record is clean.
std::optional<BadRecord> text_fault(std::string_view record);

/// "0xE9 is not UTF-8" for the byte at `at`.
std::string not_utf8_message(std::string_view bytes, std::size_t at);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_TEXT_FAULT_H_
