#include "tokenize/bpe_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace trainsight::tokenize {
namespace {

constexpr std::size_t kWindowBytes = 128;
// Of a window, the part that the next one begins in; where that is too little
// to find a token in common, the larger part.
constexpr std::size_t kOverlapBytes = 16;
constexpr std::size_t kLargeOverlapBytes = 64;
constexpr std::size_t kPadBytes = 16;
// A window's keys are rank * 128 + position in 32 bits.
constexpr int kPositionBits = 7;
constexpr std::uint32_t kMaxRanks = (1U << (32 - kPositionBits)) - 1;

constexpr std::uint64_t pair_hash(std::uint32_t left, std::uint32_t right) {
  return (std::uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15U;
}

// A window's symbols by the position of their first byte. key[i] orders the
// merge of the symbol at i with the next one: lowest rank, then leftmost.
struct Window {
  alignas(64) std::uint32_t key[kWindowBytes];
  std::uint32_t result[kWindowBytes];
  std::uint32_t id[kWindowBytes];
  std::uint8_t next[kWindowBytes];
  std::uint8_t previous[kWindowBytes + 1];
};

std::uint32_t lowest_key(const Window& window, std::size_t padded_size) {
  std::uint32_t lowest[8];
  std::memcpy(lowest, window.key, sizeof lowest);
  for (std::size_t i = 8; i < padded_size; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) {
      lowest[j] = std::min(lowest[j], window.key[i + j]);
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    lowest[j] = std::min(lowest[j], lowest[j + 4]);
  }
  return std::min(std::min(lowest[0], lowest[1]),
                  std::min(lowest[2], lowest[3]));
}

}  // namespace

BpeMerger::BpeMerger(const ByteBpeSpec& spec)
    : table_(spec.tokens),
      by_rank_(spec.by_rank),
      whole_words_(spec.by_rank || spec.ignore_merges) {
  for (std::size_t b = 0; b < 256; ++b) {
    const char byte = static_cast<char>(b);
    byte_ids_[b] = table_.find(std::string_view(&byte, 1));
    every_byte_known_ = every_byte_known_ && byte_ids_[b] != kNoToken;
  }
}

Result<BpeMerger> BpeMerger::make(const ByteBpeSpec& spec) {
  if (spec.tokens.size() >= kMaxRanks || spec.merges.size() >= kMaxRanks) {
    return Error{
        ErrorKind::kLimit,
        fmt::format("vocabulary of {} tokens and {} merges exceeds {}",
                    spec.tokens.size(), spec.merges.size(), kMaxRanks - 1),
        ""};
  }
  BpeMerger merger(spec);
  if (!spec.by_rank) {
    if (Status added = merger.add_merges(spec); !added) return added.error();
  }
  merger.add_byte_pairs(spec);
  return merger;
}

Status BpeMerger::add_merges(const ByteBpeSpec& spec) {
  const std::size_t slots =
      std::bit_ceil(std::max<std::size_t>(16, spec.merges.size() * 2));
  pairs_.resize(slots);
  pair_shift_ = 64 - std::countr_zero(slots);
  for (std::uint32_t rank = 0; rank < spec.merges.size(); ++rank) {
    const Merge& merge = spec.merges[rank];
    const std::uint32_t size = spec.tokens.size();
    if (merge.left >= size || merge.right >= size || merge.result >= size) {
      return Error{
          ErrorKind::kCorrupt,
          fmt::format("merge {}: a token id is outside the vocabulary", rank),
          ""};
    }
    std::size_t slot = pair_hash(merge.left, merge.right) >> pair_shift_;
    while (pairs_[slot].left != kNoToken &&
           !(pairs_[slot].left == merge.left &&
             pairs_[slot].right == merge.right)) {
      slot = (slot + 1) & (slots - 1);
    }
    pairs_[slot] = Pair{merge.left, merge.right, rank, merge.result};
  }
  return {};
}

void BpeMerger::add_byte_pairs(const ByteBpeSpec& spec) {
  byte_pairs_.resize(256 * 256);
  if (by_rank_) {
    for (std::uint32_t id = 0; id < spec.tokens.size(); ++id) {
      const std::string_view bytes = spec.tokens[id];
      if (bytes.size() != 2) continue;
      const std::uint32_t found = table_.find(bytes);
      byte_pairs_[static_cast<std::size_t>(
          static_cast<unsigned char>(bytes[0]) * 256 +
          static_cast<unsigned char>(bytes[1]))] = Merged{found, found};
    }
    return;
  }
  for (std::size_t left = 0; left < 256; ++left) {
    for (std::size_t right = 0; right < 256; ++right) {
      if (byte_ids_[left] == kNoToken || byte_ids_[right] == kNoToken) continue;
      byte_pairs_[left * 256 + right] =
          merged(byte_ids_[left], byte_ids_[right], {});
    }
  }
}

BpeMerger::Merged BpeMerger::merged(std::uint32_t left, std::uint32_t right,
                                    std::string_view both) const {
  if (by_rank_) {
    const std::uint32_t id = table_.find_padded(both);
    return {id, id};
  }
  std::size_t slot = pair_hash(left, right) >> pair_shift_;
  while (true) {
    const Pair& pair = pairs_[slot];
    if (pair.left == left && pair.right == right) {
      return {pair.rank, pair.result};
    }
    if (pair.left == kNoToken) return {};
    slot = (slot + 1) & (pairs_.size() - 1);
  }
}

BpeMerger::Merged BpeMerger::merged_bytes(char left, char right) const {
  return byte_pairs_[static_cast<std::size_t>(
      static_cast<unsigned char>(left) * 256 +
      static_cast<unsigned char>(right))];
}

void BpeMerger::merge_window(std::string_view padded,
                             std::vector<TokenAt>& tokens) const {
  const std::size_t size = padded.size();
  const std::size_t padded_size = (size + 7) & ~std::size_t{7};
  const char* bytes = padded.data();
  Window w;
  const auto set_pair = [&w](std::size_t at, const Merged& pair) {
    w.result[at] = pair.id;
    w.key[at] = pair.rank == kNoToken ? kNoToken
                                      : pair.rank << kPositionBits |
                                            static_cast<std::uint32_t>(at);
  };
  for (std::size_t i = 0; i < size; ++i) {
    w.id[i] = byte_ids_[static_cast<unsigned char>(bytes[i])];
    w.next[i] = static_cast<std::uint8_t>(i + 1);
    w.previous[i + 1] = static_cast<std::uint8_t>(i);
  }
  for (std::size_t i = 0; i + 1 < size; ++i) {
    set_pair(i, merged_bytes(bytes[i], bytes[i + 1]));
  }
  for (std::size_t i = size - 1; i < padded_size; ++i) w.key[i] = kNoToken;

  while (true) {
    const std::uint32_t lowest = lowest_key(w, padded_size);
    if (lowest == kNoToken) break;
    const std::size_t at = lowest & ((1U << kPositionBits) - 1);
    const std::size_t absorbed = w.next[at];
    const std::size_t next = w.next[absorbed];
    w.id[at] = w.result[at];
    w.next[at] = static_cast<std::uint8_t>(next);
    w.previous[next] = static_cast<std::uint8_t>(at);
    w.key[absorbed] = kNoToken;
    if (next < size) {
      set_pair(at, merged(w.id[at], w.id[next],
                          padded.substr(at, w.next[next] - at)));
    } else {
      w.key[at] = kNoToken;
    }
    if (at > 0) {
      const std::size_t before = w.previous[at];
      set_pair(before, merged(w.id[before], w.id[at],
                              padded.substr(before, next - before)));
    }
  }
  for (std::size_t i = 0; i < size; i = w.next[i]) {
    tokens.push_back(TokenAt{static_cast<std::uint32_t>(i), w.id[i]});
  }
}

void BpeMerger::merge_by_heap(std::string_view padded, MergeScratch& scratch,
                              std::vector<TokenAt>& tokens) const {
  const auto size = static_cast<std::uint32_t>(padded.size());
  auto& ids = scratch.ids;
  auto& next = scratch.next;
  auto& previous = scratch.previous;
  auto& heap = scratch.heap;  // rank << 32 | position, lowest on top
  ids.resize(size);
  next.resize(size);
  previous.resize(size + 1);
  heap.clear();
  for (std::uint32_t i = 0; i < size; ++i) {
    ids[i] = byte_ids_[static_cast<unsigned char>(padded[i])];
    next[i] = i + 1;
    previous[i + 1] = i;
    if (i + 1 == size) break;
    const Merged pair = merged_bytes(padded[i], padded[i + 1]);
    if (pair.rank != kNoToken) {
      heap.push_back(std::uint64_t{pair.rank} << 32 | i);
    }
  }
  const auto pair_at = [&](std::uint32_t at) -> Merged {
    const std::uint32_t right = next[at];
    if (right >= size) return {};
    if (right == at + 1 && next[right] == right + 1) {
      return merged_bytes(padded[at], padded[right]);
    }
    return merged(ids[at], ids[right], padded.substr(at, next[right] - at));
  };
  const auto push = [&](std::uint32_t at) {
    const Merged pair = pair_at(at);
    if (pair.rank == kNoToken) return;
    heap.push_back(std::uint64_t{pair.rank} << 32 | at);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  };
  std::make_heap(heap.begin(), heap.end(), std::greater<>());
  while (!heap.empty()) {
    const std::uint64_t top = heap.front();
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    const auto at = static_cast<std::uint32_t>(top);
    // An entry is out of date when its symbol is gone or has another pair.
    if (next[at] == 0) continue;
    const Merged pair = pair_at(at);
    if (pair.rank != top >> 32) continue;
    const std::uint32_t absorbed = next[at];
    ids[at] = pair.id;
    next[at] = next[absorbed];
    previous[next[at]] = at;
    next[absorbed] = 0;
    push(at);
    if (at > 0) push(previous[at]);
  }
  for (std::uint32_t i = 0; i < size; i = next[i]) {
    tokens.push_back(TokenAt{i, ids[i]});
  }
}

void BpeMerger::merge_part(std::string_view word, std::size_t begin,
                           std::size_t size, MergeScratch& scratch,
                           std::vector<TokenAt>& tokens) const {
  const std::string_view part = word.substr(begin, size);
  // What repeats itself gives the same window again and again.
  if (size != scratch.memo_size ||
      part != word.substr(scratch.memo_begin, size)) {
    scratch.memo.clear();
    if (part.size() <= kWindowBytes) {
      merge_window(part, scratch.memo);
    } else {
      merge_by_heap(part, scratch, scratch.memo);
    }
    scratch.memo_begin = begin;
    scratch.memo_size = size;
  }
  tokens.assign(scratch.memo.begin(), scratch.memo.end());
  for (TokenAt& token : tokens) {
    token.begin += static_cast<std::uint32_t>(begin);
  }
}

void BpeMerger::merge_long(std::string_view padded,
                           MergeScratch& scratch) const {
  std::vector<TokenAt>& done = scratch.tokens;
  std::vector<TokenAt>& first = scratch.first_window;
  std::vector<TokenAt>& second = scratch.second_window;
  const auto end_of = [](const std::vector<TokenAt>& tokens, std::size_t i,
                         std::size_t window_end) -> std::size_t {
    return i + 1 < tokens.size() ? tokens[i + 1].begin : window_end;
  };
  scratch.memo_size = 0;
  std::size_t window = kWindowBytes;
  std::size_t first_begin = 0;
  std::size_t first_end = std::min(window, padded.size());
  merge_part(padded, 0, first_end, scratch, first);
  while (first_end < padded.size()) {
    // The second window begins at a token of the first, well before its end.
    std::size_t from = first.size() - 1;
    bool joined = false;
    for (const std::size_t overlap : {kOverlapBytes, kLargeOverlapBytes}) {
      if (joined) break;
      while (from > 0 && first[from].begin + overlap > first_end) --from;
      if (from == 0) break;
      const std::size_t begin = first[from].begin;
      const std::size_t end = std::min(begin + window, padded.size());
      merge_part(padded, begin, end - begin, scratch, second);
      std::size_t i = from;
      std::size_t j = 0;
      while (i < first.size() && j < second.size() && !joined) {
        if (first[i] == second[j] &&
            end_of(first, i, first_end) == end_of(second, j, end)) {
          joined = true;
        } else if (first[i].begin <= second[j].begin) {
          ++i;
        } else {
          ++j;
        }
      }
      if (joined) {
        done.insert(done.end(), first.begin(),
                    first.begin() + static_cast<std::ptrdiff_t>(i));
        second.erase(second.begin(),
                     second.begin() + static_cast<std::ptrdiff_t>(j));
        first.swap(second);
        first_begin = first.front().begin;
        first_end = end;
      }
    }
    if (joined) continue;
    // Larger windows; where the larger one does not begin with the token that
    // joins it to what is done, nothing of that is kept.
    window *= 8;
    const TokenAt joint = first.front();
    const std::size_t joint_end = end_of(first, 0, first_end);
    first_end = std::min(first_begin + window, padded.size());
    merge_part(padded, first_begin, first_end - first_begin, scratch, first);
    if (first_begin > 0 &&
        !(first.front() == joint && end_of(first, 0, first_end) == joint_end)) {
      done.clear();
      first_begin = 0;
      first_end = padded.size();
      merge_part(padded, 0, first_end, scratch, first);
    }
  }
  done.insert(done.end(), first.begin(), first.end());
}

std::size_t BpeMerger::merge(std::string_view word,
                             MergeScratch& scratch) const {
  scratch.tokens.clear();
  if (every_byte_known_ && word.size() <= kWindowBytes) {
    if (word.empty()) return 0;
    char padded[kWindowBytes + kPadBytes];
    std::memcpy(padded, word.data(), word.size());
    std::memset(padded + word.size(), 0, kPadBytes);
    merge_window(std::string_view(padded, word.size()), scratch.tokens);
    return scratch.tokens.size();
  }
  std::string& kept = scratch.kept_bytes;
  kept.clear();
  kept.reserve(word.size() + kPadBytes);
  for (const char byte : word) {
    if (byte_ids_[static_cast<unsigned char>(byte)] != kNoToken) {
      kept.push_back(byte);
    }
  }
  const std::size_t size = kept.size();
  if (size == 0) return 0;
  kept.append(kPadBytes, '\0');
  merge_long(std::string_view(kept).substr(0, size), scratch);
  return scratch.tokens.size();
}

std::size_t BpeMerger::merge_word(std::string_view word,
                                  MergeScratch& scratch) const {
  if (whole_words_) {
    if (const std::uint32_t id = table_.find(word); id != kNoToken) {
      scratch.tokens.assign(1, TokenAt{0, id});
      return 1;
    }
  }
  return merge(word, scratch);
}

}  // namespace trainsight::tokenize
