#include "trainsight/estimate/reference_calibration.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace trainsight::estimate {
namespace {

TEST_CASE("throughput is within 8 % and entropy within 0.06 of each row") {
  for (const ReferenceRow& row : kReferenceRows) {
    INFO(row.dataset);
    const ReferencePrediction p = predict({row.cv, row.p99, row.waste_ratio});
    REQUIRE(p.tokens_per_second);
    REQUIRE(p.attention_entropy);
    const Figure& speed = p.tokens_per_second.figure();
    CHECK(std::abs(speed.value / row.tokens_per_second - 1) <= 0.08);
    const Figure& entropy = p.attention_entropy.figure();
    CHECK(std::abs(entropy.value - row.attention_entropy) <= 0.06);
    // The interval that a report prints holds what was measured.
    CHECK(entropy.low <= row.attention_entropy);
    CHECK(row.attention_entropy <= entropy.high);
    CHECK(speed.low < speed.value);
    CHECK(speed.value < speed.high);
  }
}

TEST_CASE("the fits are those of the header, worked out for one input") {
  // P99 500, waste 0.25, sigma/mu 0.5: 0.585 + 3.55 + 2.995 = 7.13;
  // H = -0.049 + 0.288 * 6.214608 - 0.201 = 1.539807.
  const ReferencePrediction p = predict({0.5, 500, 0.25});
  CHECK(p.tokens_per_second.figure().value == Approx(1e4 / 7.13));
  CHECK(p.throughput_index.figure().value == Approx(1e4 / 7.13 / 1961.7));
  CHECK(p.attention_entropy.figure().value == Approx(1.539807).margin(1e-6));
}

TEST_CASE("the published fall of ShareGPT is predicted") {
  // 867.5 of 1,961.7 tokens/s: an index of 0.442, a fall of 55.8 %.
  const ReferencePrediction p = predict({0.377, 1077, 0.2656});
  CHECK(p.throughput_index.figure().value == Approx(0.442).epsilon(0.08));
}

TEST_CASE("outside the calibrated range there is a reason instead") {
  const auto reason = [](double cv, double p99) {
    const ReferencePrediction p = predict({cv, p99, 0.3});
    REQUIRE_FALSE(p.tokens_per_second);
    REQUIRE_FALSE(p.throughput_index);
    REQUIRE_FALSE(p.attention_entropy);
    CHECK(p.attention_entropy.reason() == p.tokens_per_second.reason());
    return p.tokens_per_second.reason();
  };
  CHECK(reason(0.5, 227) ==
        "P99 227 is outside the calibrated range 228 to 1077 tokens");
  CHECK(reason(0.5, 1078) ==
        "P99 1078 is outside the calibrated range 228 to 1077 tokens");
  CHECK(reason(0.2354, 500) ==
        "σ/μ 0.235 is outside the calibrated range 0.236 to 0.802");
  CHECK(reason(0.81, 500) ==
        "σ/μ 0.810 is outside the calibrated range 0.236 to 0.802");
  CHECK(predict({0.802, 228, 0.4}).tokens_per_second);
  CHECK(predict({0.236, 1077, 0.2}).attention_entropy);
}

TEST_CASE("numbers that are none predict nothing") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const ReferenceInput& input :
       {ReferenceInput{nan, 500, 0.2}, ReferenceInput{0.5, nan, 0.2},
        ReferenceInput{0.5, 500, nan}, ReferenceInput{0.5, 500, 1.0},
        ReferenceInput{0.5, 500, -0.1}}) {
    const ReferencePrediction p = predict(input);
    REQUIRE_FALSE(p.tokens_per_second);
    CHECK(p.tokens_per_second.reason() ==
          "there are no lengths to predict from");
  }
}

}  // namespace
}  // namespace trainsight::estimate
