#include "scan/tape_finish.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace trainsight::scan {
namespace {

// Multiply two 64-bit words and fold the halves: the mixing step of wyhash and
// its kin. Source: W. Yi, wyhash, final version 4 (public domain).
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kOdd1 = 0xA0761D6478BD642F;
constexpr std::uint64_t kOdd2 = 0xE7037ED1A0B428DB;
constexpr std::uint64_t kOdd3 = 0x8EBC6AF09C88C6E3;

std::uint64_t load64(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, 8);
  return word;
}

std::uint64_t load32(const char* p) {
  std::uint32_t word = 0;
  std::memcpy(&word, p, 4);
  return word;
}

std::uint64_t hash_key(std::string_view key) {
  const char* p = key.data();
  std::size_t left = key.size();
  std::uint64_t hash = kSeed ^ key.size();
  while (left > 16) {
    hash = mix(load64(p) ^ kOdd1, load64(p + 8) ^ hash);
    p += 16;
    left -= 16;
  }
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (left >= 8) {
    low = load64(p);
    high = load64(p + left - 8);
  } else if (left >= 4) {
    low = load32(p);
    high = load32(p + left - 4);
  } else if (left > 0) {
    // First, middle and last byte are all bytes there are.
    low = static_cast<unsigned char>(p[0]);
    high = static_cast<std::uint64_t>(static_cast<unsigned char>(p[left / 2]))
               << 8 |
           static_cast<unsigned char>(p[left - 1]);
  }
  return mix(low ^ kOdd2, high ^ hash);
}

// Whether a key stands twice among the children of `object`, whose keys hash to
// `sorted` (in any order; sorted here).
bool has_duplicates(std::vector<std::uint64_t>& hashes) {
  if (hashes.size() <= 12) {
    for (std::size_t i = 1; i < hashes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (hashes[i] == hashes[j]) return true;
      }
    }
    return false;
  }
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) != hashes.end();
}

// Equal hashes may be a collision: only equal keys count.
bool has_equal_keys(std::span<const Value> values, const Value& object,
                    std::uint32_t first) {
  std::vector<std::string_view> keys;
  keys.reserve(object.count);
  for (std::uint32_t i = first; i < object.next; i = values[i].next) {
    keys.push_back(values[i].key);
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

std::uint64_t shape_of_object(std::span<Value> values, std::uint32_t at,
                              FinishScratch& scratch) {
  Value& object = values[at];
  std::vector<std::uint64_t>& hashes = scratch.sorted;
  hashes.clear();
  std::uint64_t shape = kOdd3 ^ object.count;
  for (std::uint32_t i = at + 1; i < object.next; i = values[i].next) {
    const std::uint64_t key = hash_key(values[i].key);
    hashes.push_back(key);
    shape = mix(shape ^ key, scratch.shapes[i] ^ kOdd1);
  }
  object.duplicate_keys =
      has_duplicates(hashes) && has_equal_keys(values, object, at + 1);
  return shape;
}

std::uint64_t shape_of_array(std::span<Value> values, std::uint32_t at,
                             FinishScratch& scratch) {
  const Value& array = values[at];
  std::vector<std::uint64_t>& distinct = scratch.sorted;
  distinct.clear();
  // Elements are mostly alike: the few shapes seen last are looked up first.
  constexpr std::size_t kLookBack = 8;
  for (std::uint32_t i = at + 1; i < array.next; i = values[i].next) {
    const std::uint64_t shape = scratch.shapes[i];
    const std::size_t from =
        distinct.size() > kLookBack ? distinct.size() - kLookBack : 0;
    if (std::find(distinct.begin() + static_cast<std::ptrdiff_t>(from),
                  distinct.end(), shape) == distinct.end()) {
      distinct.push_back(shape);
    }
  }
  if (distinct.size() > 1) {
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()),
                   distinct.end());
  }
  std::uint64_t shape = kOdd2 ^ distinct.size();
  for (const std::uint64_t element : distinct) {
    shape = mix(shape ^ kOdd1, element ^ kOdd3);
  }
  return shape;
}

}  // namespace

std::uint64_t finish_tape(std::span<Value> values, FinishScratch& scratch) {
  const auto count = static_cast<std::uint32_t>(values.size());
  if (scratch.shapes.size() < count) scratch.shapes.resize(count);
  // Backwards, so that children come before their parents.
  for (std::uint32_t i = count; i-- > 0;) {
    const Value& value = values[i];
    std::uint64_t shape = 0;
    if (value.kind == ValueKind::kObject) {
      shape = shape_of_object(values, i, scratch);
    } else if (value.kind == ValueKind::kArray) {
      shape = shape_of_array(values, i, scratch);
    } else {
      const auto code = static_cast<std::uint64_t>(value.kind) * 2 +
                        (value.has_reals ? 1 : 0);
      shape = (code + 1) * kSeed;
    }
    scratch.shapes[i] = shape;
  }
  return count == 0 ? 0 : scratch.shapes[0];
}

}  // namespace trainsight::scan
