#include "trainsight/text/xxhash64.h"

#include <algorithm>
#include <cstring>

namespace trainsight::text {
namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87u;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4Fu;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9u;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63u;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5u;

constexpr std::uint64_t rotate_left(std::uint64_t x, int bits) {
  return (x << bits) | (x >> (64 - bits));
}

std::uint64_t load64(const char* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::uint32_t load32(const char* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::uint64_t round_of(std::uint64_t lane, std::uint64_t input) {
  return rotate_left(lane + input * kPrime2, 31) * kPrime1;
}

std::uint64_t merge_lane(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ round_of(0, lane)) * kPrime1 + kPrime4;
}

void start_lanes(std::uint64_t (&lanes)[4], std::uint64_t seed) {
  lanes[0] = seed + kPrime1 + kPrime2;
  lanes[1] = seed + kPrime2;
  lanes[2] = seed;
  lanes[3] = seed - kPrime1;
}

// Eats whole stripes of 32 bytes and returns where it stopped.
const char* eat_stripes(std::uint64_t (&lanes)[4], const char* at,
                        const char* end) {
  while (end - at >= 32) {
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = round_of(lanes[i], load64(at + 8 * i));
    }
    at += 32;
  }
  return at;
}

std::uint64_t join_lanes(const std::uint64_t (&lanes)[4]) {
  std::uint64_t hash = rotate_left(lanes[0], 1) + rotate_left(lanes[1], 7) +
                       rotate_left(lanes[2], 12) + rotate_left(lanes[3], 18);
  for (const std::uint64_t lane : lanes) hash = merge_lane(hash, lane);
  return hash;
}

std::uint64_t finish(std::uint64_t hash, const char* at, const char* end) {
  for (; end - at >= 8; at += 8) {
    hash = rotate_left(hash ^ round_of(0, load64(at)), 27) * kPrime1 + kPrime4;
  }
  if (end - at >= 4) {
    hash = rotate_left(hash ^ (load32(at) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < end; ++at) {
    const std::uint64_t byte = static_cast<unsigned char>(*at);
    hash = rotate_left(hash ^ (byte * kPrime5), 11) * kPrime1;
  }
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace

std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t hash = seed + kPrime5;
  if (bytes.size() >= 32) {
    std::uint64_t lanes[4];
    start_lanes(lanes, seed);
    at = eat_stripes(lanes, at, end);
    hash = join_lanes(lanes);
  }
  return finish(hash + bytes.size(), at, end);
}

Xxh64Stream::Xxh64Stream(std::uint64_t seed) : seed_(seed) {
  start_lanes(lanes_, seed);
}

void Xxh64Stream::update(std::string_view bytes) {
  if (bytes.empty()) return;
  total_bytes_ += bytes.size();
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  if (pending_bytes_ > 0) {
    const std::size_t wanted =
        std::min(sizeof(pending_) - pending_bytes_, bytes.size());
    std::memcpy(pending_ + pending_bytes_, at, wanted);
    pending_bytes_ += wanted;
    at += wanted;
    if (pending_bytes_ < sizeof(pending_)) return;
    eat_stripes(lanes_, pending_, pending_ + sizeof(pending_));
    pending_bytes_ = 0;
  }
  at = eat_stripes(lanes_, at, end);
  pending_bytes_ = static_cast<std::size_t>(end - at);
  std::memcpy(pending_, at, pending_bytes_);
}

std::uint64_t Xxh64Stream::digest() const {
  const std::uint64_t start =
      total_bytes_ >= 32 ? join_lanes(lanes_) : seed_ + kPrime5;
  return finish(start + total_bytes_, pending_, pending_ + pending_bytes_);
}

std::string hex64(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    digits[15 - i] = "0123456789abcdef"[(value >> (4 * i)) & 0xF];
  }
  return digits;
}

}  // namespace trainsight::text
