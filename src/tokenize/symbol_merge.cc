#include "tokenize/symbol_merge.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace trainsight::tokenize {
namespace {

constexpr std::size_t kLongestShort = 128;

// Windows and how much of one the next repeats, in the order of trying: the
// first with what merge_short() is good for.
struct Windows {
  std::size_t size, overlap;
};
constexpr Windows kWindows[] = {{kLongestShort, 48}, {1024, 256}};

}  // namespace

SymbolMerger::SymbolMerger(std::size_t pairs) {
  const std::size_t slots =
      std::bit_ceil(std::max<std::size_t>(16, pairs + pairs / 2));
  pairs_.resize(slots);
  mask_ = slots - 1;
  shift_ = 64 - std::countr_zero(slots);
}

void SymbolMerger::add(std::uint32_t left, std::uint32_t right,
                       std::uint32_t rank, std::uint32_t result) {
  std::size_t at = slot_of(left, right);
  while (pairs_[at].left != kNone &&
         (pairs_[at].left != left || pairs_[at].right != right)) {
    at = (at + 1) & mask_;
  }
  pairs_[at] = Pair{left, right, rank, result};
}

void SymbolMerger::merge(std::vector<std::uint32_t>& symbols,
                         Scratch& scratch) const {
  if (symbols.size() <= kLongestShort) {
    merge_short<false>(symbols, scratch.part_begins, scratch);
    return;
  }
  for (const Windows& windows : kWindows) {
    if (symbols.size() > 2 * windows.size &&
        merge_in_windows(symbols, windows.size, windows.overlap, scratch)) {
      return;
    }
  }
  merge_with_heap(symbols, scratch.part_begins, scratch);
}

template <bool kWithBegins>
void SymbolMerger::merge_short(std::vector<std::uint32_t>& symbols,
                               std::vector<std::uint32_t>& begins,
                               Scratch& scratch) const {
  if (kWithBegins) {
    begins.resize(symbols.size());
    for (std::uint32_t i = 0; i < begins.size(); ++i) begins[i] = i;
  }
  std::size_t size = symbols.size();
  if (size < 2) return;
  scratch.ranks.resize(size);
  scratch.results.resize(size);
  std::uint32_t* const ids = symbols.data();
  std::uint32_t* const ranks = scratch.ranks.data();
  std::uint32_t* const results = scratch.results.data();
  const auto look = [&](std::size_t i, std::uint32_t next) {
    const Pair& pair = find(ids[i], next);
    ranks[i] = pair.rank;
    results[i] = pair.result;
  };
  for (std::size_t i = 0; i + 1 < size; ++i) prefetch(ids[i], ids[i + 1]);
  for (std::size_t i = 0; i + 1 < size; ++i) look(i, ids[i + 1]);
  ranks[size - 1] = kNone;
  while (size > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < size; ++i) {
      if (ranks[i] < ranks[best]) best = i;
    }
    const std::uint32_t rank = ranks[best];
    if (rank == kNone) break;
    // All pairs of this rank from the left, closing up on the way, for as long
    // as no merge makes a pair that comes before the rest of them.
    std::size_t to = best;
    bool goes_on = true;
    for (std::size_t from = best; from < size; ++to) {
      const bool merges = goes_on && from + 1 < size && ranks[from] == rank;
      ids[to] = merges ? results[from] : ids[from];
      if (kWithBegins) begins[to] = begins[from];
      if (!merges) {
        ranks[to] = ranks[from];
        results[to] = results[from];
        ++from;
        continue;
      }
      from += 2;
      ranks[to] = kNone;
      if (from < size) look(to, ids[from]);
      if (to > 0) look(to - 1, ids[to]);
      goes_on = ranks[to] > rank && (to == 0 || ranks[to - 1] > rank);
    }
    size = to;
  }
  symbols.resize(size);
  if (kWithBegins) begins.resize(size);
}

void SymbolMerger::merge_with_heap(std::vector<std::uint32_t>& symbols,
                                   std::vector<std::uint32_t>& begins,
                                   Scratch& scratch) const {
  const auto size = static_cast<std::uint32_t>(symbols.size());
  auto& ranks = scratch.ranks;
  auto& results = scratch.results;
  auto& next = scratch.next;
  auto& previous = scratch.previous;
  auto& heap = scratch.heap;
  ranks.assign(size, kNone);
  results.resize(size);
  next.resize(size);
  previous.resize(size);
  heap.clear();
  // ranks[i] is that of symbol i with the one after it, kNone when they do
  // not merge or symbol i is gone: an entry of the heap that says otherwise
  // is out of date.
  const auto look = [&](std::uint32_t i) {
    const std::uint32_t after = next[i];
    if (after == kNone) {
      ranks[i] = kNone;
      return;
    }
    const Pair& pair = find(symbols[i], symbols[after]);
    ranks[i] = pair.rank;
    results[i] = pair.result;
  };
  const auto entry = [&](std::uint32_t i) {
    return std::uint64_t{ranks[i]} << 32 | i;
  };
  for (std::uint32_t i = 0; i < size; ++i) {
    previous[i] = i == 0 ? kNone : i - 1;
    next[i] = i + 1 < size ? i + 1 : kNone;
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    constexpr std::uint32_t kAhead = 16;
    if (i + kAhead + 1 < size) {
      prefetch(symbols[i + kAhead], symbols[i + kAhead + 1]);
    }
    look(i);
    if (ranks[i] != kNone) heap.push_back(entry(i));
  }
  std::make_heap(heap.begin(), heap.end(), std::greater<>());
  const auto push = [&](std::uint32_t i) {
    look(i);
    if (ranks[i] == kNone) return;
    heap.push_back(entry(i));
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  };
  while (!heap.empty()) {
    const std::uint64_t top = heap.front();
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    const auto at = static_cast<std::uint32_t>(top);
    if (ranks[at] == kNone || ranks[at] != top >> 32) continue;
    const std::uint32_t gone = next[at];
    symbols[at] = results[at];
    ranks[gone] = kNone;
    next[at] = next[gone];
    if (next[at] != kNone) previous[next[at]] = at;
    push(at);
    if (previous[at] != kNone) push(previous[at]);
  }
  begins.clear();
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i != kNone && i < size; i = next[i]) {
    begins.push_back(i);
    symbols[kept++] = symbols[i];
  }
  symbols.resize(kept);
}

bool SymbolMerger::merge_in_windows(std::vector<std::uint32_t>& symbols,
                                    std::size_t window, std::size_t overlap,
                                    Scratch& scratch) const {
  auto& part = scratch.part;
  auto& part_begins = scratch.part_begins;
  auto& tokens = scratch.joined;
  auto& begins = scratch.joined_begins;
  tokens.clear();
  begins.clear();
  for (std::size_t from = 0;;) {
    const std::size_t to = std::min(symbols.size(), from + window);
    part.assign(symbols.begin() + static_cast<std::ptrdiff_t>(from),
                symbols.begin() + static_cast<std::ptrdiff_t>(to));
    if (part.size() <= kLongestShort) {
      merge_short<true>(part, part_begins, scratch);
    } else {
      merge_with_heap(part, part_begins, scratch);
    }
    // The first token of this window that is there already.
    std::size_t mine = 0;
    if (from > 0) {
      auto other = static_cast<std::size_t>(
          std::lower_bound(begins.begin(), begins.end(), from) -
          begins.begin());
      bool shared = false;
      while (!shared && mine < part.size() && other < begins.size()) {
        const std::size_t begin = from + part_begins[mine];
        if (begin == begins[other] && part[mine] == tokens[other]) {
          shared = true;
        } else if (begin <= begins[other]) {
          ++mine;
        } else {
          ++other;
        }
      }
      if (!shared) return false;
      tokens.resize(other);
      begins.resize(other);
    }
    for (; mine < part.size(); ++mine) {
      tokens.push_back(part[mine]);
      begins.push_back(static_cast<std::uint32_t>(from + part_begins[mine]));
    }
    if (to == symbols.size()) break;
    // The next window begins where a token does, so that windows of periodic
    // texts are in step.
    auto next = std::lower_bound(begins.begin(), begins.end(), to - overlap);
    if (next == begins.end()) --next;
    if (*next <= from) return false;
    from = *next;
  }
  symbols = tokens;
  return true;
}

}  // namespace trainsight::tokenize
