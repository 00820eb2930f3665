// Packing speed: rows/s, peak memory and packs, against a row-by-row
// best-fit decreasing.
//
//   pack_bench [ROWS [PACK_LENGTH]]     defaults 10,000,000 and 2,048
//
// Lengths are log-normal (median 245 tokens, σ of the logarithm 0.9, so mean
// about 367 and σ/μ about 1.1, a chat set's shape), from a fixed seed, cut at
// 32,768. Every strategy's answer is checked: the assignment is proved row by
// row, and best fit must not need more packs than the reference. Seconds are
// processor time.
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <numbers>
#include <set>
#include <string_view>
#include <vector>

#include "trainsight/batching/order.h"
#include "trainsight/batching/pack.h"
#include "trainsight/batching/padding.h"

namespace {

using trainsight::batching::Assignment;
using trainsight::batching::PackingFigures;
using trainsight::batching::PackOptions;
using trainsight::batching::Strategy;
using Lengths = std::vector<std::uint32_t>;

// Processor time of this single-threaded program: a busy machine does not
// disturb it as it would wall time.
struct Clock {
  static std::clock_t now() { return std::clock(); }
};

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Lengths log_normal_lengths(std::size_t rows) {
  trainsight::batching::SplitMix64 random(1);
  const auto uniform = [&random] {
    return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
  };
  Lengths lengths(rows);
  for (std::uint32_t& length : lengths) {
    const double normal = std::sqrt(-2 * std::log(uniform())) *
                          std::cos(2 * std::numbers::pi * uniform());
    length = static_cast<std::uint32_t>(
        std::clamp(std::exp(5.5 + 0.9 * normal), 1.0, 32768.0));
  }
  return lengths;
}

// The rule as it is told: descending, each row into the open pack with the
// least free space that holds it. A multiset is the straightforward index.
std::size_t reference_packs(Lengths lengths, std::uint32_t pack_length) {
  for (std::uint32_t& length : lengths) {
    length = std::min(length, pack_length);
  }
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  std::multiset<std::uint32_t> open;
  std::size_t packs = 0;
  for (const std::uint32_t length : lengths) {
    const auto space = open.lower_bound(length);
    if (space == open.end()) {
      ++packs;
      open.insert(pack_length - length);
    } else {
      const std::uint32_t left = *space - length;
      open.erase(space);
      open.insert(left);
    }
  }
  return packs;
}

std::size_t number(const char* text) {
  std::size_t value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

void print(std::string_view name, std::size_t rows, double seconds,
           const PackingFigures& figures) {
  std::printf("%-26.*s %8.3f s %9.1f M rows/s %10llu packs %8.3f %% full\n",
              static_cast<int>(name.size()), name.data(), seconds,
              static_cast<double>(rows) / seconds / 1e6,
              static_cast<unsigned long long>(figures.packs),
              figures.efficiency_ratio * 100);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? number(argv[1]) : 10'000'000;
  PackOptions how;
  if (argc > 2) how.pack_length = static_cast<std::uint32_t>(number(argv[2]));
  const Lengths lengths = log_normal_lengths(rows);
  std::printf("%zu rows, packs of %u, lengths alone %.1f MiB\n", rows,
              how.pack_length, peak_mib());

  auto start = Clock::now();
  const auto figures = trainsight::batching::pack(lengths, how);
  if (!figures) return 1;
  print("bfd, figures", rows, seconds_since(start), *figures);
  std::printf("%-26s %8.1f MiB\n", "  peak memory so far", peak_mib());

  start = Clock::now();
  Assignment assignment;
  if (!trainsight::batching::pack(lengths, how, {}, &assignment)) return 1;
  print("bfd, with assignment", rows, seconds_since(start), *figures);
  std::printf("%-26s %8.1f MiB\n", "  peak memory so far", peak_mib());
  start = Clock::now();
  const auto proof = trainsight::batching::verify(assignment, lengths, how);
  std::printf("%-26s %8.3f s %s\n", "  proof", seconds_since(start),
              proof ? "every row once" : proof.error().message.c_str());
  if (!proof) return 1;

  for (const Strategy strategy :
       {Strategy::kFirstFitDecreasing, Strategy::kModifiedFirstFitDecreasing,
        Strategy::kFirstFit, Strategy::kFirstFitShuffle, Strategy::kNextFit,
        Strategy::kWrapped}) {
    PackOptions other = how;
    other.strategy = strategy;
    start = Clock::now();
    const auto result =
        trainsight::batching::pack(lengths, other, {}, &assignment);
    if (!result) return 1;
    print(name_of(strategy), rows, seconds_since(start), *result);
    if (!trainsight::batching::verify(assignment, lengths, other)) return 1;
  }
  PackOptions windows = how;
  windows.window_rows = 1000;
  start = Clock::now();
  const auto windowed = trainsight::batching::pack(lengths, windows);
  if (!windowed) return 1;
  print("bfd, windows of 1000", rows, seconds_since(start), *windowed);

  assignment = Assignment{};
  if (rows > 20'000'000) return 0;  // the reference would take minutes
  start = Clock::now();
  const std::size_t reference = reference_packs(lengths, how.pack_length);
  std::printf("%-26s %8.3f s %31zu packs\n", "row-by-row reference",
              seconds_since(start), reference);
  if (figures->packs > reference) {
    std::printf("best fit needs more packs than the reference\n");
    return 1;
  }
  return 0;
}
