// Laws of `trainsight fix` on files put together at random: a second pass
// changes nothing, no record goes missing, chunks do not matter, and what was
// repaired is no fault any more.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/fixed.h"
#include "trainsight/stats/shuffle.h"

namespace trainsight::tests {
namespace {

const std::vector<std::string> kPieces = {
    "{\"a\":1}",
    "{\"a\":1}",
    "{\"text\":\"x\\ny\", \"n\":1.50}",
    "{\"messages\":\"[{\\\"role\\\":\\\"user\\\"}]\"}",
    "{\"messages\":\"[1]\",\"conversations\":\"[2]\"}",
    "{\"messages\":\"[1],\\\"x\\\":[2]\"}",
    "[{\"b\":2},{\"c\":\"]}\"}]",
    "[{\"b\":2} ,\t{\"b\":2}]",
    "[]",
    "[1,2]",
    "3",
    "\"s\"",
    "{\"bad\":",
    "}",
    "{\"z\":NaN}",
    "{\"u\":\"\xE9\"}",
    "{\"o\":{\"p\":[{}]}}",
    ",",
    " ",
    "\t",
    "\xEF\xBB\xBF",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
};

std::string random_file(stats::SplitMix64& random) {
  std::string file;
  const std::size_t count = random.next() % 24;
  for (std::size_t i = 0; i < count; ++i) {
    file += kPieces[random.next() % kPieces.size()];
    if (random.next() % 3 == 0) file += '\n';
  }
  return file;
}

TEST_CASE("fixing what is fixed changes nothing", "[property]") {
  stats::SplitMix64 random(42);
  int judged = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string in = random_file(random);
    const bool drop = random.next() % 2 == 0;
    CAPTURE(i, in, drop);
    const Fixed once = fixed(in, drop);
    if (once.format != "jsonl" && once.format != "json") continue;
    if (once.refused) {
      // Only a document, of which what follows its end would be lost.
      CHECK(once.format == "json");
      continue;
    }
    const Fixed twice = fixed(once.out, drop);
    if (twice.format != "jsonl") {
      // A first line that could not be repaired looks like something else.
      CHECK(once.changes.count(cli::Change::kLeft) > 0);
      continue;
    }
    ++judged;
    CHECK(twice.out == once.out);
    CHECK(fixed(in, drop, 16).out == once.out);
    // Nothing that can be repaired is left, and nothing went missing.
    for (std::size_t c = 0; c + 1 < cli::kChangeCount; ++c) {
      CAPTURE(c);
      CHECK(twice.changes.count(static_cast<cli::Change>(c)) == 0);
    }
    CHECK(twice.lines == once.lines);
    const Fixed kept = fixed(in, false);
    CHECK(once.lines + once.changes.count(cli::Change::kDuplicate) ==
          kept.lines);
  }
  CHECK(judged > 10'000);
}

TEST_CASE("sound rows come out byte for byte, in their order", "[property]") {
  const std::vector<std::string> rows = {
      "{\"a\":1.0}", "{\"b\":\"\\u00e9 \\n\"}", "{\"c\":[1e5,{\"d\":null}]}"};
  const std::vector<std::string> between = {"\n", "\r\n", "\n\n", "\n \n",
                                            "\n\xEF\xBB\xBF"};
  stats::SplitMix64 random(7);
  for (int i = 0; i < 2'000; ++i) {
    std::string in;
    std::string expected;
    const std::size_t count = 1 + random.next() % 12;
    for (std::size_t r = 0; r < count; ++r) {
      const std::string& row = rows[random.next() % rows.size()];
      in += row;
      in += between[random.next() % between.size()];
      expected += row + "\n";
    }
    CAPTURE(in);
    CHECK(fixed(in).out == expected);
  }
}

}  // namespace
}  // namespace trainsight::tests
