#include "tokenize/symbol_merge.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace trainsight::tokenize {
namespace {

using Symbols = std::vector<std::uint32_t>;
struct Rule {
  std::uint32_t rank, result;
};
using Rules = std::map<std::pair<std::uint32_t, std::uint32_t>, Rule>;

// The rule as it reads: lowest rank, then leftmost, until none merges.
Symbols merge_slowly(const Rules& rules, Symbols symbols) {
  for (;;) {
    std::size_t best = symbols.size();
    std::uint32_t rank = SymbolMerger::kNone;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto rule = rules.find({symbols[i], symbols[i + 1]});
      if (rule == rules.end() || rule->second.rank >= rank) continue;
      best = i;
      rank = rule->second.rank;
    }
    if (best == symbols.size()) return symbols;
    symbols[best] = rules.at({symbols[best], symbols[best + 1]}).result;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

// Merges over `letters` letters as training would give them: each makes a new
// symbol of two that exist.
Rules random_rules(std::mt19937& random, std::uint32_t letters,
                   std::uint32_t count) {
  Rules rules;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    const std::uint32_t known = letters + rank;
    const auto pair = std::pair(below(random, known), below(random, known));
    rules.emplace(pair, Rule{rank, known});
  }
  return rules;
}

SymbolMerger merger_of(const Rules& rules) {
  SymbolMerger merger(rules.size());
  for (const auto& [pair, rule] : rules) {
    merger.add(pair.first, pair.second, rule.rank, rule.result);
  }
  return merger;
}

TEST_CASE("merges of any length are those of the rule") {
  std::mt19937 random(20240501);
  SymbolMerger::Scratch scratch;
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t letters = 2 + below(random, 4);
    const Rules rules = random_rules(random, letters, 4 + below(random, 24));
    const SymbolMerger merger = merger_of(rules);
    for (const std::size_t size : {0U, 1U, 2U, 7U, 127U, 128U, 129U, 300U}) {
      Symbols symbols(size);
      for (std::uint32_t& symbol : symbols) symbol = below(random, letters);
      const Symbols expected = merge_slowly(rules, symbols);
      merger.merge(symbols, scratch);
      REQUIRE(symbols == expected);
    }
  }
}

TEST_CASE("windows of a very long text join to the rule's result") {
  std::mt19937 random(7);
  SymbolMerger::Scratch scratch;
  for (int round = 0; round < 4; ++round) {
    const Rules rules = random_rules(random, 3, 12);
    const SymbolMerger merger = merger_of(rules);
    Symbols symbols(6000);
    for (std::uint32_t& symbol : symbols) symbol = below(random, 3);
    const Symbols expected = merge_slowly(rules, symbols);
    merger.merge(symbols, scratch);
    REQUIRE(symbols == expected);
  }
}

TEST_CASE("a text of one letter is merged by doubling") {
  SymbolMerger merger(3);
  merger.add(0, 0, 0, 1);
  merger.add(1, 1, 1, 2);
  merger.add(2, 2, 2, 3);
  SymbolMerger::Scratch scratch;
  Symbols symbols(100001, 0);
  merger.merge(symbols, scratch);
  // 100001 = 12500 * 8 + 1.
  CHECK(symbols.size() == 12501);
  CHECK(symbols.front() == 3);
  CHECK(symbols.back() == 0);
}

}  // namespace
}  // namespace trainsight::tokenize
