#include "trainsight/risk/assessment.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "support/synthetic_lengths.h"
#include "trainsight/stats/length_sketch.h"

namespace trainsight::risk {
namespace {

Assessment judged(double cv, double p99, bool oom = false) {
  const auto result = assess({1000, cv, p99, oom});
  REQUIRE(result.has_value());
  return *result;
}

TEST_CASE("the four quadrants have the names of the matrix") {
  CHECK(text_of(judged(0.3, 300).quadrant).name == "clean execution");
  CHECK(text_of(judged(0.8, 300).quadrant).name == "padding memory waste");
  CHECK(text_of(judged(0.3, 2000).quadrant).name ==
        "throughput collapse & entropy inflation");
  CHECK(text_of(judged(0.8, 2000).quadrant).name ==
        "dual catastrophic failure");
  for (const Quadrant quadrant :
       {Quadrant::kCleanExecution, Quadrant::kPaddingMemoryWaste,
        Quadrant::kThroughputCollapse, Quadrant::kDualFailure}) {
    CHECK(text_of(quadrant).quadrant == quadrant);
  }
}

TEST_CASE("a factor between its thresholds takes the low name in transition") {
  CHECK(judged(0.3999, 499).in_transition() == false);
  const Assessment spread = judged(0.40, 300);
  CHECK(spread.quadrant == Quadrant::kCleanExecution);
  CHECK(spread.cv_level == Level::kInTransition);
  CHECK(spread.p99_level == Level::kLow);
  CHECK(judged(0.75, 300).quadrant == Quadrant::kCleanExecution);
  CHECK(judged(0.7501, 300).quadrant == Quadrant::kPaddingMemoryWaste);
  const Assessment tail = judged(0.8, 500);
  CHECK(tail.quadrant == Quadrant::kPaddingMemoryWaste);
  CHECK(tail.p99_level == Level::kInTransition);
  CHECK(tail.in_transition());
  CHECK(judged(0.3, 1000).quadrant == Quadrant::kCleanExecution);
  CHECK(judged(0.3, 1001).quadrant == Quadrant::kThroughputCollapse);
}

TEST_CASE("the grade follows sigma/mu alone, and a predicted OOM") {
  CHECK(judged(0.2499, 9000).grade == Grade::kLow);
  CHECK(judged(0.25, 100).grade == Grade::kModerate);
  CHECK(judged(0.3999, 100).grade == Grade::kModerate);
  CHECK(judged(0.40, 100).grade == Grade::kHigh);
  CHECK(judged(0.75, 100).grade == Grade::kHigh);
  CHECK(judged(0.7501, 100).grade == Grade::kCritical);
  CHECK(judged(0.1, 100, true).grade == Grade::kCritical);
}

TEST_CASE("no records, or no numbers, are not judged") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(assess({0, 0.3, 300, false}).has_value());
  CHECK_FALSE(assess({10, nan, 300, false}).has_value());
  CHECK_FALSE(assess({10, 0.3, HUGE_VAL, false}).has_value());
  CHECK_FALSE(assess({10, -0.1, 300, false}).has_value());
}

TEST_CASE("a policy's thresholds replace the calibrated ones") {
  Thresholds strict;
  strict.low_cv = 0.1;
  strict.high_cv = 0.2;
  strict.grade_critical_cv = 0.5;
  const auto result = assess({10, 0.6, 300, false}, strict);
  REQUIRE(result.has_value());
  CHECK(result->quadrant == Quadrant::kPaddingMemoryWaste);
  CHECK(result->grade == Grade::kCritical);
}

TEST_CASE("thresholds out of order are a usage error") {
  CHECK(check({}).has_value());
  Thresholds wrong;
  wrong.low_p99 = 2000;
  REQUIRE_FALSE(check(wrong).has_value());
  CHECK(check(wrong).error().kind == ErrorKind::kUsage);
  CHECK(check(wrong).error().message ==
        "thresholds of the tail must be numbers from 0 in ascending order");
  wrong = {};
  wrong.grade_high_cv = std::numeric_limits<double>::quiet_NaN();
  CHECK(check(wrong).error().message ==
        "thresholds of the risk grade must be numbers from 0 in ascending "
        "order");
  wrong = {};
  wrong.low_cv = -1;
  CHECK_FALSE(check(wrong).has_value());
}

TEST_CASE("grades have names, and names grades") {
  for (const Grade grade :
       {Grade::kLow, Grade::kModerate, Grade::kHigh, Grade::kCritical}) {
    CHECK(parse_grade(name_of(grade)) == grade);
  }
  CHECK(name_of(Grade::kCritical) == "critical");
  CHECK_FALSE(parse_grade("Critical").has_value());
  CHECK(name_of(Level::kInTransition) == "in transition");
}

// Grade and quadrant of the five published rows, from length sets made to
// have their sigma/mu and P99 (support/synthetic_lengths.h).
TEST_CASE("the five reference rows are classified as published") {
  struct Row {
    const char* dataset;
    double cv, p99;
    Grade grade;
    Quadrant quadrant;
    bool in_transition;
  };
  const Row rows[] = {
      {"GSM8K", 0.280, 242, Grade::kModerate, Quadrant::kCleanExecution, false},
      {"HumanEval", 0.316, 243, Grade::kModerate, Quadrant::kCleanExecution,
       false},
      {"FineWeb-Edu", 0.236, 525, Grade::kLow, Quadrant::kCleanExecution, true},
      {"ShareGPT", 0.377, 1077, Grade::kModerate, Quadrant::kThroughputCollapse,
       false},
      {"Alpaca", 0.802, 228, Grade::kCritical, Quadrant::kPaddingMemoryWaste,
       false},
  };
  for (const Row& row : rows) {
    INFO(row.dataset);
    stats::LengthSketch sketch;
    for (const auto length : test::synthetic_lengths(row.cv, row.p99)) {
      sketch.add(length);
    }
    const double p99 = static_cast<double>(sketch.quantile(0.99));
    REQUIRE(sketch.cv() == Approx(row.cv).epsilon(0.01));
    REQUIRE(p99 == Approx(row.p99).epsilon(0.01));
    const auto result = assess({sketch.count(), sketch.cv(), p99, false});
    REQUIRE(result.has_value());
    CHECK(result->grade == row.grade);
    CHECK(result->quadrant == row.quadrant);
    CHECK(result->in_transition() == row.in_transition);
  }
}

}  // namespace
}  // namespace trainsight::risk
