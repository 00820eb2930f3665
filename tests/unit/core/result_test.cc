#include "trainsight/core/result.h"

#include <catch2/catch.hpp>

namespace trainsight {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{ErrorKind::kUsage, "odd number", ""};
  return n / 2;
}

TEST_CASE("a result holds a value or an error") {
  REQUIRE(half(4).has_value());
  CHECK(*half(4) == 2);
  REQUIRE_FALSE(half(3));
  CHECK(half(3).error().message == "odd number");
  CHECK(half(3).value_or(7) == 7);
}

TEST_CASE("context is put before the message and the hint is kept") {
  const Error inner{ErrorKind::kUnreadable, "permission denied", "run as root"};
  const Error outer = inner.with_context("cannot read a.jsonl");
  CHECK(outer.message == "cannot read a.jsonl: permission denied");
  CHECK(outer.hint == "run as root");
  CHECK(outer.kind == ErrorKind::kUnreadable);
}

TEST_CASE("what could not be checked outweighs a violation") {
  CHECK(graver(ExitCode::kViolation, ExitCode::kUnchecked) ==
        ExitCode::kUnchecked);
  CHECK(graver(ExitCode::kPass, ExitCode::kViolation) == ExitCode::kViolation);
  CHECK(exit_code_of(ErrorKind::kChanged) == ExitCode::kUnchecked);
  CHECK(exit_code_of(ErrorKind::kUsage) == ExitCode::kUsage);
}

}  // namespace
}  // namespace trainsight
