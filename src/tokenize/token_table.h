// TokenTable: from the bytes of a token to its id, in one cache line mostly.
//
// Tokens of up to 15 bytes (nearly all) are keys of 16 bytes that are compared
// whole; longer ones are found by hash and compared with the vocabulary.
// Thread-safety: immutable once built.
#ifndef TRAINSIGHT_TOKENIZE_TOKEN_TABLE_H_
#define TRAINSIGHT_TOKENIZE_TOKEN_TABLE_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace trainsight::tokenize {

class TokenBytes;

/// No token, no rank.
inline constexpr std::uint32_t kNoToken = 0xFFFFFFFF;

/// Up to 15 bytes and their number as two words; distinct strings differ.
struct ShortKey {
  static constexpr std::size_t kMaxBytes = 15;

  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const ShortKey&) const = default;

  /// REQUIRES: size <= kMaxBytes and 16 bytes can be read at `bytes`.
  static ShortKey of_padded(const char* bytes, std::size_t size) {
    ShortKey key;
    std::memcpy(&key.low, bytes, 8);
    std::memcpy(&key.high, bytes + 8, 8);
    if (size < 8) {
      key.low &= (std::uint64_t{1} << (8 * size)) - 1;
      key.high = 0;
    } else {
      key.high &= (std::uint64_t{1} << (8 * (size - 8))) - 1;
    }
    key.high |= std::uint64_t{size} << 56;
    return key;
  }

  static ShortKey of(std::string_view bytes) {
    char padded[16] = {};
    std::memcpy(padded, bytes.data(), bytes.size());
    return of_padded(padded, bytes.size());
  }

  /// Its `bits` highest bits depend on every byte.
  [[nodiscard]] std::uint64_t hash() const {
    return (low * 0x9E3779B97F4A7C15U) ^ (high * 0xC2B2AE3D27D4EB4FU);
  }
};

class TokenTable {
 public:
  /// Of equal tokens the one with the lowest id is found. `tokens` must
  /// outlive the table and stay where it is.
  explicit TokenTable(const TokenBytes& tokens);

  /// The id of `bytes`, or kNoToken.
  [[nodiscard]] std::uint32_t find(std::string_view bytes) const {
    return bytes.size() <= ShortKey::kMaxBytes ? find_short(ShortKey::of(bytes))
                                               : find_long(bytes);
  }

  /// The same. REQUIRES: 16 bytes can be read from bytes.data() on.
  [[nodiscard]] std::uint32_t find_padded(std::string_view bytes) const {
    return bytes.size() <= ShortKey::kMaxBytes
               ? find_short(ShortKey::of_padded(bytes.data(), bytes.size()))
               : find_long(bytes);
  }

  [[nodiscard]] std::size_t longest_bytes() const { return longest_bytes_; }

 private:
  struct LongSlot {
    std::uint32_t tag = 0;
    std::uint32_t id = kNoToken;
  };

  static constexpr int kFilterBits = 21;

  [[nodiscard]] std::uint32_t find_short(const ShortKey& key) const {
    const std::uint64_t hash = key.hash();
    const std::uint64_t bit = hash >> (64 - kFilterBits);
    if ((filter_[bit / 64] >> (bit % 64) & 1) == 0) return kNoToken;
    std::size_t slot = hash >> shift_;
    while (true) {
      if (keys_[slot] == key) return ids_[slot];
      if (keys_[slot].high == 0) return kNoToken;
      slot = (slot + 1) & mask_;
    }
  }
  [[nodiscard]] std::uint32_t find_long(std::string_view bytes) const;

  const TokenBytes* tokens_;
  // A bit for each hash that occurs: most neighbours in a word are no token,
  // and this is small enough to stay near the processor.
  std::vector<std::uint64_t> filter_;
  // Open addressing, at most half full; an empty slot's key is all zero.
  std::vector<ShortKey> keys_;
  std::vector<std::uint32_t> ids_;
  std::size_t mask_ = 0;
  int shift_ = 0;
  std::vector<LongSlot> long_slots_;
  std::size_t longest_bytes_ = 0;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TOKEN_TABLE_H_
