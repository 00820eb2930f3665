// FigureOrReason: a predicted number with its error, or why there is none.
//
// A prediction outside what its model was fitted on is not made, and the
// reader is told why: silence would look like an oversight, and a number like
// knowledge. Plain values.
#ifndef TRAINSIGHT_ESTIMATE_FIGURE_H_
#define TRAINSIGHT_ESTIMATE_FIGURE_H_

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace trainsight::estimate {

/// A predicted value and the interval that its model claims.
struct Figure {
  double value = 0;
  double low = 0;
  double high = 0;
};

class FigureOrReason {
 public:
  FigureOrReason(Figure figure) : state_(figure) {}
  /// `reason`: lower case, a clause, no full stop.
  static FigureOrReason without(std::string reason) {
    FigureOrReason result{Figure{}};
    result.state_ = std::move(reason);
    return result;
  }

  [[nodiscard]] bool has_figure() const { return state_.index() == 0; }
  explicit operator bool() const { return has_figure(); }

  /// REQUIRES: has_figure().
  [[nodiscard]] const Figure& figure() const {
    assert(has_figure());
    return *std::get_if<0>(&state_);
  }
  /// REQUIRES: !has_figure().
  [[nodiscard]] const std::string& reason() const {
    assert(!has_figure());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<Figure, std::string> state_;
};

}  // namespace trainsight::estimate

#endif  // TRAINSIGHT_ESTIMATE_FIGURE_H_
