// SplitMix64 and the Fisher-Yates shuffle that padding truths are defined by.
//
// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom
// Number Generators", OOPSLA 2014 (the generator as in java.util
// .SplittableRandom); R. Durstenfeld, "Algorithm 235: Random permutation",
// CACM 1964.
#ifndef TRAINSIGHT_STATS_SHUFFLE_H_
#define TRAINSIGHT_STATS_SHUFFLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace trainsight::stats {

/// A stream of 64-bit numbers that the seed determines on every machine.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// For i = n-1 down to 1: j = next() mod (i+1), swap items i and j. (The bias
/// of the remainder is below n / 2^64.)
template <typename T>
void shuffle(std::span<T> items, SplitMix64& random) {
  for (std::size_t i = items.size(); i-- > 1;) {
    const std::size_t j = static_cast<std::size_t>(random.next() % (i + 1));
    std::swap(items[i], items[j]);
  }
}

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_SHUFFLE_H_
