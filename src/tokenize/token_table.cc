#include "tokenize/token_table.h"

#include <algorithm>
#include <bit>

#include "tokenize/byte_bpe.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::tokenize {

TokenTable::TokenTable(const TokenBytes& tokens) : tokens_(&tokens) {
  std::size_t long_count = 0;
  for (std::uint32_t id = 0; id < tokens.size(); ++id) {
    const std::size_t size = tokens[id].size();
    longest_bytes_ = std::max(longest_bytes_, size);
    if (size > ShortKey::kMaxBytes) ++long_count;
  }
  const std::size_t slots =
      std::bit_ceil(std::max<std::size_t>(16, std::size_t{tokens.size()} * 2));
  filter_.resize((std::size_t{1} << kFilterBits) / 64);
  keys_.resize(slots);
  ids_.resize(slots, kNoToken);
  mask_ = slots - 1;
  shift_ = 64 - std::countr_zero(slots);
  long_slots_.resize(std::bit_ceil(std::max<std::size_t>(16, long_count * 2)));

  for (std::uint32_t id = 0; id < tokens.size(); ++id) {
    const std::string_view bytes = tokens[id];
    if (bytes.empty()) continue;
    if (bytes.size() <= ShortKey::kMaxBytes) {
      const ShortKey key = ShortKey::of(bytes);
      const std::uint64_t hash = key.hash();
      const std::uint64_t bit = hash >> (64 - kFilterBits);
      filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
      std::size_t slot = hash >> shift_;
      while (keys_[slot].high != 0 && !(keys_[slot] == key)) {
        slot = (slot + 1) & mask_;
      }
      if (keys_[slot].high != 0) continue;
      keys_[slot] = key;
      ids_[slot] = id;
    } else if (find_long(bytes) == kNoToken) {
      const std::uint64_t hash = text::xxh64(bytes);
      std::size_t slot = hash & (long_slots_.size() - 1);
      while (long_slots_[slot].id != kNoToken) {
        slot = (slot + 1) & (long_slots_.size() - 1);
      }
      long_slots_[slot] = LongSlot{static_cast<std::uint32_t>(hash >> 32), id};
    }
  }
}

std::uint32_t TokenTable::find_long(std::string_view bytes) const {
  if (bytes.size() > longest_bytes_) return kNoToken;
  const std::uint64_t hash = text::xxh64(bytes);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t slot = hash & (long_slots_.size() - 1);
  while (long_slots_[slot].id != kNoToken) {
    const LongSlot& found = long_slots_[slot];
    if (found.tag == tag && (*tokens_)[found.id] == bytes) return found.id;
    slot = (slot + 1) & (long_slots_.size() - 1);
  }
  return kNoToken;
}

}  // namespace trainsight::tokenize
