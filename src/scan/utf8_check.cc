#include "scan/utf8_check.h"

#include <simdjson.h>

#include "trainsight/text/utf8.h"

namespace trainsight::scan {

std::size_t invalid_utf8_at(std::string_view bytes) {
  if (simdjson::validate_utf8(bytes.data(), bytes.size())) {
    return std::string_view::npos;
  }
  return text::find_invalid_utf8(bytes);
}

}  // namespace trainsight::scan
