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

std::size_t Vocabulary::slot_of(std::string_view text,
                                std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = hash & mask;
  for (;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.piece_plus_one == 0) return at;
    if (slot.tag == tag && this->text(slot.piece_plus_one - 1) == text) {
      return at;
    }
  }
}

void Vocabulary::grow(std::size_t slots) {
  slots_.assign(slots, Slot{0, 0});
  const std::size_t mask = slots - 1;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::uint64_t hash = hash_text(text(i));
    std::size_t at = hash & mask;
    while (slots_[at].piece_plus_one != 0) at = (at + 1) & mask;
    slots_[at] = Slot{static_cast<std::uint32_t>(i + 1),
                      static_cast<std::uint32_t>(hash >> 32)};
  }
}

void Vocabulary::set(std::string_view text, std::uint32_t id) {
  id_limit_ = std::max(id_limit_, id + 1);
  if ((pieces_.size() + 1) * 2 > slots_.size()) grow(slots_.size() * 2);
  const std::uint64_t hash = hash_text(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.piece_plus_one != 0) {
    pieces_[slot.piece_plus_one - 1].id = id;
    return;
  }
  pieces_.push_back(Piece{static_cast<std::uint32_t>(bytes_.size()),
                          static_cast<std::uint32_t>(text.size()), id});
  bytes_.append(text);
  slot = Slot{static_cast<std::uint32_t>(pieces_.size()),
              static_cast<std::uint32_t>(hash >> 32)};
}

std::uint32_t Vocabulary::find(std::string_view text) const {
  const Slot& slot = slots_[slot_of(text, hash_text(text))];
  return slot.piece_plus_one == 0 ? kNone : pieces_[slot.piece_plus_one - 1].id;
}

}  // namespace trainsight::tokenize
