#include "tokenize/vocabulary.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace trainsight::tokenize {
namespace {

constexpr std::uint64_t kMix1 = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kMix2 = 0xD6E8FEB86659FD93;

std::uint64_t load(const char* from, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

}  // namespace

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = text.size() * kMix1;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    hash = (hash ^ load(at, 8)) * kMix2;
    hash ^= hash >> 32;
  }
  if (left > 0) hash = (hash ^ load(at, left)) * kMix2;
  hash ^= hash >> 29;
  hash *= kMix1;
  return hash ^ (hash >> 32);
}

Vocabulary::Vocabulary(std::size_t pieces, std::size_t bytes) {
  bytes_.reserve(bytes);
  pieces_.reserve(pieces);
  grow(std::bit_ceil(std::max<std::size_t>(16, pieces * 2)));
}

Vocabulary::Slot Vocabulary::slot_for(const Piece& piece, std::size_t index,
                                      std::uint64_t hash) {
  Slot slot;
  slot.piece_plus_one = static_cast<std::uint32_t>(index + 1);
  slot.begin = piece.begin;
  slot.id = piece.id;
  slot.tag = static_cast<std::uint16_t>(hash >> 48);
  slot.size =
      static_cast<std::uint16_t>(std::min<std::size_t>(piece.size, kLongText));
  return slot;
}

bool Vocabulary::holds(const Slot& slot, std::string_view text,
                       std::uint64_t hash) const {
  if (slot.tag != static_cast<std::uint16_t>(hash >> 48)) return false;
  const std::size_t size =
      slot.size < kLongText ? slot.size : pieces_[slot.piece_plus_one - 1].size;
  // An empty text may have no address, which memcmp must not get.
  return size == text.size() &&
         (size == 0 ||
          std::memcmp(bytes_.data() + slot.begin, text.data(), size) == 0);
}

std::size_t Vocabulary::slot_of(std::string_view text,
                                std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].piece_plus_one != 0 && !holds(slots_[at], text, hash)) {
    at = (at + 1) & mask;
  }
  return at;
}

void Vocabulary::grow(std::size_t slots) {
  slots_.assign(slots, Slot{});
  const std::size_t mask = slots - 1;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::uint64_t hash = hash_text(text(i));
    std::size_t at = hash & mask;
    while (slots_[at].piece_plus_one != 0) at = (at + 1) & mask;
    slots_[at] = slot_for(pieces_[i], i, hash);
  }
}

void Vocabulary::set(std::string_view text, std::uint32_t id) {
  id_limit_ = std::max(id_limit_, id + 1);
  if ((pieces_.size() + 1) * 2 > slots_.size()) grow(slots_.size() * 2);
  const std::uint64_t hash = hash_text(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.piece_plus_one != 0) {
    pieces_[slot.piece_plus_one - 1].id = id;
    slot.id = id;
    return;
  }
  pieces_.push_back(Piece{static_cast<std::uint32_t>(bytes_.size()),
                          static_cast<std::uint32_t>(text.size()), id});
  bytes_.append(text);
  slot = slot_for(pieces_.back(), pieces_.size() - 1, hash);
}

std::uint32_t Vocabulary::find(std::string_view text) const {
  return slots_[slot_of(text, hash_text(text))].id;
}

void Vocabulary::find_all(const std::string_view* texts, std::size_t count,
                          std::uint32_t* ids) const {
  constexpr std::size_t kBatch = 32;
  const std::size_t mask = slots_.size() - 1;
  std::uint64_t hashes[kBatch];
  for (std::size_t first = 0; first < count; first += kBatch) {
    const std::size_t batch = std::min(kBatch, count - first);
    for (std::size_t i = 0; i < batch; ++i) {
      hashes[i] = hash_text(texts[first + i]);
      __builtin_prefetch(&slots_[hashes[i] & mask]);
    }
    for (std::size_t i = 0; i < batch; ++i) {
      __builtin_prefetch(bytes_.data() + slots_[hashes[i] & mask].begin);
    }
    for (std::size_t i = 0; i < batch; ++i) {
      ids[first + i] = slots_[slot_of(texts[first + i], hashes[i])].id;
    }
  }
}

}  // namespace trainsight::tokenize
