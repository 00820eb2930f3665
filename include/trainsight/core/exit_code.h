// The exit codes of the process: a contract that gates and CI rely on.
//
// A gate never passes by accident: when a limit is violated (1) and something
// could not be checked (3), the code is 3 and both are printed.
#ifndef TRAINSIGHT_CORE_EXIT_CODE_H_
#define TRAINSIGHT_CORE_EXIT_CODE_H_

namespace trainsight {

enum class ExitCode : int {
  kPass = 0,       ///< everything was read and every limit held
  kViolation = 1,  ///< a limit or a rule was violated
  kUsage = 2,      ///< wrong usage or configuration
  kUnchecked = 3,  ///< could not check: unreadable, unknown, changed, missing
  kInternal = 4,   ///< a bug of ours
  kInterrupted = 130  ///< SIGINT or SIGTERM
};

/// The code of a run in which both happened: the graver one, in the order
/// interrupted, internal, usage, unchecked, violation, pass.
constexpr ExitCode graver(ExitCode a, ExitCode b) {
  constexpr auto rank = [](ExitCode code) {
    switch (code) {
      case ExitCode::kPass:
        return 0;
      case ExitCode::kViolation:
        return 1;
      case ExitCode::kUnchecked:
        return 2;
      case ExitCode::kUsage:
        return 3;
      case ExitCode::kInternal:
        return 4;
      case ExitCode::kInterrupted:
        return 5;
    }
    return 4;
  };
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace trainsight

#endif  // TRAINSIGHT_CORE_EXIT_CODE_H_
