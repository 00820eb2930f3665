// Straightforward references for packing: one row at a time, no tricks.
#ifndef TRAINSIGHT_TESTS_UNIT_BATCHING_NAIVE_H_
#define TRAINSIGHT_TESTS_UNIT_BATCHING_NAIVE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "trainsight/batching/order.h"

namespace trainsight::batching::naive {

using Lengths = std::vector<std::uint32_t>;

/// Lengths between 1 and `most`, skewed towards short ones, from `seed`.
inline Lengths skewed_lengths(std::size_t n, std::uint32_t most,
                              std::uint64_t seed) {
  SplitMix64 random(seed);
  Lengths lengths;
  lengths.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t a = random.next() % most;
    const std::uint64_t b = random.next() % most;
    lengths.push_back(static_cast<std::uint32_t>(1 + a * b / most));
  }
  return lengths;
}

/// Pieces of at most `pack` tokens: cut (split) or shortened; no empty ones.
inline Lengths pieces(const Lengths& lengths, std::uint32_t pack, bool split) {
  Lengths result;
  for (std::uint32_t length : lengths) {
    if (!split) length = std::min(length, pack);
    for (; length > pack; length -= pack) result.push_back(pack);
    if (length > 0) result.push_back(length);
  }
  return result;
}

/// Best-fit decreasing: free space of every pack, ordered.
inline std::size_t best_fit_decreasing(Lengths items, std::uint32_t pack) {
  std::sort(items.begin(), items.end(), std::greater<>());
  std::map<std::uint32_t, std::size_t> open;  // free space -> packs
  std::size_t packs = 0;
  for (const std::uint32_t item : items) {
    auto space = open.lower_bound(item);
    std::uint32_t left = pack - item;
    if (space == open.end()) {
      ++packs;
    } else {
      left = space->first - item;
      if (--space->second == 0) open.erase(space);
    }
    ++open[left];
  }
  return packs;
}

/// First fit in the order given; free space of each pack.
inline Lengths first_fit(const Lengths& items, std::uint32_t pack) {
  Lengths space;
  for (const std::uint32_t item : items) {
    auto at = std::find_if(space.begin(), space.end(),
                           [item](std::uint32_t free) { return free >= item; });
    if (at == space.end()) at = space.insert(space.end(), pack);
    *at -= item;
  }
  return space;
}

inline std::size_t first_fit_decreasing(Lengths items, std::uint32_t pack) {
  std::sort(items.begin(), items.end(), std::greater<>());
  return first_fit(items, pack).size();
}

}  // namespace trainsight::batching::naive

#endif  // TRAINSIGHT_TESTS_UNIT_BATCHING_NAIVE_H_
