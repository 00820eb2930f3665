#include "tokenize/symbol_merge.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace trainsight::tokenize {
namespace {

constexpr std::size_t kLongestShort = 48;
constexpr std::size_t kWindow = 1024;

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
    merge_short(symbols, scratch);
  } else if (symbols.size() <= 4 * kWindow ||
             !merge_in_windows(symbols, scratch)) {
    merge_with_heap(symbols, scratch.first_begins, scratch);
  }
}

void SymbolMerger::merge_short(std::vector<std::uint32_t>& symbols,
                               Scratch& scratch) const {
  std::size_t size = symbols.size();
  if (size < 2) return;
  scratch.ranks.resize(size);
  scratch.results.resize(size);
  std::uint32_t* const ids = symbols.data();
  std::uint32_t* const ranks = scratch.ranks.data();
  std::uint32_t* const results = scratch.results.data();
  const auto look = [&](std::size_t i) {
    const Pair& pair = find(ids[i], ids[i + 1]);
    ranks[i] = pair.rank;
    results[i] = pair.result;
  };
  for (std::size_t i = 0; i + 1 < size; ++i) look(i);
  while (size > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < size; ++i) {
      if (ranks[i] < ranks[best]) best = i;
    }
    if (ranks[best] == kNone) break;
    ids[best] = results[best];
    for (std::size_t i = best + 1; i + 1 < size; ++i) {
      ids[i] = ids[i + 1];
      ranks[i] = ranks[i + 1];
      results[i] = results[i + 1];
    }
    --size;
    if (best > 0) look(best - 1);
    if (best + 1 < size) look(best);
  }
  symbols.resize(size);
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
                                    Scratch& scratch) const {
  auto& tokens = scratch.joined;
  auto& begins = scratch.joined_begins;
  tokens.clear();
  begins.clear();
  for (std::size_t from = 0;; from += kWindow / 2) {
    const std::size_t to = std::min(symbols.size(), from + kWindow);
    scratch.second.assign(symbols.begin() + static_cast<std::ptrdiff_t>(from),
                          symbols.begin() + static_cast<std::ptrdiff_t>(to));
    merge_with_heap(scratch.second, scratch.second_begins, scratch);
    // The first token of this window that ends what is there already. The
    // last one of the earlier windows was cut by their edge and is no choice.
    std::size_t mine = 0;
    if (from > 0) {
      std::size_t other = static_cast<std::size_t>(
          std::lower_bound(begins.begin(), begins.end(), from) -
          begins.begin());
      bool shared = false;
      while (mine < scratch.second.size() && other + 1 < begins.size()) {
        const std::size_t begin = from + scratch.second_begins[mine];
        if (begin == begins[other] && scratch.second[mine] == tokens[other]) {
          shared = true;
          break;
        }
        if (begin <= begins[other]) {
          ++mine;
        } else {
          ++other;
        }
      }
      if (!shared) return false;
      tokens.resize(other);
      begins.resize(other);
    }
    for (; mine < scratch.second.size(); ++mine) {
      tokens.push_back(scratch.second[mine]);
      begins.push_back(
          static_cast<std::uint32_t>(from + scratch.second_begins[mine]));
    }
    if (to == symbols.size()) break;
  }
  symbols = tokens;
  return true;
}

}  // namespace trainsight::tokenize
