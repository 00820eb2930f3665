#include "scan/json_extent.h"

#include "scan/json_string_inl.h"

namespace trainsight::scan {

JsonExtent::Stop JsonExtent::scan(std::string_view bytes, std::size_t& at) {
  const char* p = bytes.data() + at;
  const char* const end = bytes.data() + bytes.size();
  Stop stop = Stop::kEnd;
  while (p < end && stop == Stop::kEnd) {
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
        if (*p != '\n') {
          ++p;
          continue;
        }
      }
      // Whole blocks while they last: what follows the bytes is not ours.
      const char* const blocks_end = end - p >= 16 ? end - 15 : p;
      p = find_special(p, blocks_end);
      if (p >= end) break;
      if (*p == '\\') {
        escaped_ = true;
      } else if (*p == '"' || *p == '\n') {
        in_string_ = false;
      }
      ++p;
      continue;
    }
    switch (*p++) {
      case '"':
        in_string_ = true;
        break;
      case '{':
      case '[':
        ++depth_;
        break;
      case '}':
      case ']':
        if (depth_ == 0) {
          stop = Stop::kClose;
        } else if (--depth_ == 0) {
          stop = Stop::kValue;
        }
        break;
      case ',':
        if (depth_ == 0) stop = Stop::kComma;
        break;
      default:
        break;
    }
  }
  at = static_cast<std::size_t>(p - bytes.data());
  return stop;
}

}  // namespace trainsight::scan
