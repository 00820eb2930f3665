#include "trainsight/core/result.h"

namespace trainsight {

ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return ExitCode::kUsage;
    case ErrorKind::kNotFound:
    case ErrorKind::kUnreadable:
    case ErrorKind::kUnsupported:
    case ErrorKind::kCorrupt:
    case ErrorKind::kChanged:
    case ErrorKind::kLimit:
      return ExitCode::kUnchecked;
    case ErrorKind::kInterrupted:
      return ExitCode::kInterrupted;
    case ErrorKind::kInternal:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

}  // namespace trainsight
