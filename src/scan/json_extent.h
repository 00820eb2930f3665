// JsonExtent: where JSON values end, by brackets and quotes alone.
//
// Cuts a document into rows without judging it: the rows' own parser does. A
// raw line end ends a string that was left open, so that a lost quote spoils
// one line and not the rest of the file.
#ifndef TRAINSIGHT_SCAN_JSON_EXTENT_H_
#define TRAINSIGHT_SCAN_JSON_EXTENT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainsight::scan {

/// A scan that may be fed in pieces. Plain state; starts outside all values.
class JsonExtent {
 public:
  /// What stopped the scan.
  enum class Stop : std::uint8_t {
    kEnd,    ///< all bytes were taken
    kComma,  ///< a comma at depth 0
    kValue,  ///< the bracket that closes a value of depth 0
    kClose,  ///< a closing bracket at depth 0: of what is around
  };

  /// Takes bytes[at...] up to and including what stops the scan; `at` moves
  /// past it.
  Stop scan(std::string_view bytes, std::size_t& at);

  /// Whether brackets or a string are open.
  [[nodiscard]] bool is_inside() const { return depth_ > 0 || in_string_; }

 private:
  std::uint64_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;  // the next byte of the string is
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_EXTENT_H_
