// XXH64: a fast 64-bit hash of bytes, for file identity and duplicates.
//
// Source: Y. Collet, xxHash fast digest algorithm, specification 0.1.1,
// section "XXH64". Not a cryptographic hash.
#ifndef TRAINSIGHT_TEXT_XXHASH64_H_
#define TRAINSIGHT_TEXT_XXHASH64_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainsight::text {

/// Hash of `bytes`; equal to the reference implementation's XXH64.
std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed = 0);

/// The same hash of bytes that come in pieces.
class Xxh64Stream {
 public:
  explicit Xxh64Stream(std::uint64_t seed = 0);
  void update(std::string_view bytes);
  /// Hash of all bytes so far; more may follow.
  [[nodiscard]] std::uint64_t digest() const;

 private:
  std::uint64_t lanes_[4];
  std::uint64_t seed_;
  std::uint64_t total_bytes_ = 0;
  char pending_[32];
  std::size_t pending_bytes_ = 0;
};

/// 16 lower-case hex digits.
std::string hex64(std::uint64_t value);

}  // namespace trainsight::text

#endif  // TRAINSIGHT_TEXT_XXHASH64_H_
