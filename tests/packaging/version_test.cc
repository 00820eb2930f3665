#include "trainsight/core/version.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>

namespace {

TEST_CASE("the version is three numbers") {
  const std::string_view version = trainsight::version();
  CHECK(std::count(version.begin(), version.end(), '.') == 2);
  CHECK(version.find_first_not_of("0123456789.") == std::string_view::npos);
}

TEST_CASE("the commit is twelve hex digits, or unknown") {
  const std::string_view commit = trainsight::commit();
  if (commit == "unknown") return;
  CHECK(commit.size() == 12);
  CHECK(commit.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

}  // namespace
