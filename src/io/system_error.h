// Errors of the operating system in trainsight's words.
#ifndef TRAINSIGHT_IO_SYSTEM_ERROR_H_
#define TRAINSIGHT_IO_SYSTEM_ERROR_H_

#include <string>
#include <string_view>

#include "trainsight/core/result.h"

namespace trainsight::io {

/// "cannot <verb> <object>: permission denied", of the kind that `number` (an
/// errno) belongs to.
Error system_error(std::string_view verb, std::string_view object, int number);

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_SYSTEM_ERROR_H_
