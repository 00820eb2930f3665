#include "trainsight/risk/thresholds.h"

#include <cmath>
#include <initializer_list>
#include <string>

namespace trainsight::risk {
namespace {

Status ascending(const char* what, std::initializer_list<double> values) {
  double before = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || value < before) {
      return Error{ErrorKind::kUsage,
                   std::string("thresholds of ") + what +
                       " must be numbers from 0 in ascending order",
                   ""};
    }
    before = value;
  }
  return {};
}

}  // namespace

Status check(const Thresholds& t) {
  if (auto ok = ascending("the spread", {t.low_cv, t.high_cv}); !ok) return ok;
  if (auto ok = ascending("the tail", {t.low_p99, t.high_p99}); !ok) return ok;
  return ascending("the risk grade",
                   {t.grade_moderate_cv, t.grade_high_cv, t.grade_critical_cv});
}

}  // namespace trainsight::risk
