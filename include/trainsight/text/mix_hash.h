// mix_hash: a fast 64-bit hash of bytes, for tables of one run.
//
// About ten bytes a cycle, two to three times xxh64, on which identities that
// are written down (manifests) stay. Its values may change between versions and
// differ between machines of other byte order: never store one. Not for keys
// that an adversary must not be able to make collide.
//
// Method: each 16 bytes are two factors, both masked by constants and the state
// so far, whose 128-bit product is folded into 64 bits by exclusive or ("MUM",
// the principle of wyhash); three such chains run side by side. The constants
// are the first words of SHA-512 (FIPS 180-4, 5.3.5: fractional parts of the
// square roots of primes).
#ifndef TRAINSIGHT_TEXT_MIX_HASH_H_
#define TRAINSIGHT_TEXT_MIX_HASH_H_

#include <cstdint>
#include <string_view>

namespace trainsight::text {

/// The hash of `bytes`. Pure; linear.
std::uint64_t mix_hash(std::string_view bytes);

}  // namespace trainsight::text

#endif  // TRAINSIGHT_TEXT_MIX_HASH_H_
