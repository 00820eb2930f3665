#include "trainsight/tokenize/embedded_ranks.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string_view>

namespace {

using trainsight::tokenize::o200k_base_ranks;

TEST_CASE("the embedded ranks are the whole file") {
  const std::string_view ranks = o200k_base_ranks();
  if (ranks.empty()) {
    std::puts("SKIPPED: built without the o200k_base ranks");
    return;
  }
  const std::string_view first = "IQ== 0\nIg== 1\n";
  const std::string_view last = "\nIGNvY29z 199997\n";
  CHECK(ranks.size() == 3613922);
  CHECK(ranks.substr(0, first.size()) == first);
  CHECK(ranks.substr(ranks.size() - last.size()) == last);
  CHECK(std::count(ranks.begin(), ranks.end(), '\n') == 199998);
}

}  // namespace
