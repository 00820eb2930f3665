#include "io/system_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace trainsight::io {

Error system_error(std::string_view verb, std::string_view object, int number) {
  std::string reason = std::generic_category().message(number);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z' &&
      (reason.size() < 2 || reason[1] < 'A' || reason[1] > 'Z')) {
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  }
  const bool missing = number == ENOENT || number == ENOTDIR;
  return Error{missing ? ErrorKind::kNotFound : ErrorKind::kUnreadable,
               fmt::format("cannot {} {}: {}", verb, object, reason), ""};
}

}  // namespace trainsight::io
