// StrictJson: a JSON parser that says exactly what is wrong and where.
//
// It takes records of any length in memory that depends on their values, not
// on their bytes, and it is what judges a record that the fast parser
// (json_block.h) does not accept: byte, kind, JSON Pointer and a message for a
// person. Both fill the same tape; a property test holds them against each
// other.
//
// The grammar is RFC 8259's, with no liberties, but two clarifications: an
// escaped surrogate without its other half is a valid record (the text is
// marked), and a duplicate key is (the object is marked).
#ifndef TRAINSIGHT_SCAN_JSON_STRICT_H_
#define TRAINSIGHT_SCAN_JSON_STRICT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scan/json_tape.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan {

/// The first fault of a record.
struct JsonFault {
  BadRecordKind kind = BadRecordKind::kSyntax;
  std::uint64_t byte = 0;  ///< in the record, from 0
  std::string pointer;     ///< of the value that it is in
  std::string message;
};

/// One per worker; keeps its memory.
class StrictJson {
 public:
  /// Parses `record`, which must be one object with nothing but white space
  /// around it. True: `tape` holds it, unfinished (see tape_finish.h). False:
  /// `fault` says why not.
  /// REQUIRES: 16 readable bytes after the record, which is below 4 GiB.
  bool parse(std::string_view record, const JsonLimits& limits, JsonTape& tape,
             JsonFault& fault);

 private:
  bool begin_value(std::string_view key);
  bool step();
  bool key(std::string_view& key);
  bool string(std::uint64_t& bytes, struct EscapeFacts& facts);
  bool text_value(std::string_view key);
  bool number_value(std::string_view key);
  bool literal_value(std::string_view key);
  bool open(std::string_view key, ValueKind kind);
  void close();
  bool finish();

  bool fail(BadRecordKind kind, const char* at, std::string message);
  bool fail_in_string(BadRecordKind kind, const char* at, std::string message);
  bool fail_at_end();
  bool fail_at_value();
  bool fail_at_control(const char* at);
  bool fail_at_escape(const char* at);
  bool fail_at_utf8();
  bool fail_at_number(const char* begin, const char* at);
  void skip_space();
  [[nodiscard]] std::string pointer();

  const char* begin_ = nullptr;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  const char* not_utf8_ = nullptr;  // the first such byte, or nullptr
  JsonLimits limits_;
  JsonTape* tape_ = nullptr;
  JsonFault* fault_ = nullptr;
  std::vector<std::uint32_t> open_;  // tape indexes of open containers
  std::string_view pending_key_;     // of a member whose value has not begun
  bool in_child_ = false;  // the fault is in a child of the innermost container
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_STRICT_H_
