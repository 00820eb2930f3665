// mix_hash: no collisions where a weak hash has them, and even bits.
#include "trainsight/text/mix_hash.h"

#include <bit>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

namespace trainsight::text {
namespace {

TEST_CASE("texts of every length, and their parts, differ", "[text]") {
  std::set<std::uint64_t> seen;
  std::size_t texts = 0;
  for (const char fill : {'\0', 'a', '\xFF'}) {
    for (std::size_t size = 0; size <= 400; ++size) {
      if (size == 0 && fill != '\0') continue;
      seen.insert(mix_hash(std::string(size, fill)));
      ++texts;
    }
  }
  CHECK(seen.size() == texts);
}

TEST_CASE("blocks that change places change the hash", "[text]") {
  // Of all pairs of the 16-byte blocks of a text, one by one.
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += std::string(16, static_cast<char>('a' + i));
  std::set<std::uint64_t> seen = {mix_hash(text)};
  std::size_t texts = 1;
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = i + 1; j < 20; ++j) {
      std::string swapped = text;
      swapped.replace(16 * i, 16, text, 16 * j, 16);
      swapped.replace(16 * j, 16, text, 16 * i, 16);
      seen.insert(mix_hash(swapped));
      ++texts;
    }
  }
  CHECK(seen.size() == texts);
}

TEST_CASE("each bit of the text turns half of the hash's", "[text]") {
  std::mt19937_64 random(5);  // the same texts on every run
  for (const std::size_t size :
       {1u, 3u, 4u, 8u, 15u, 16u, 17u, 48u, 49u, 200u}) {
    double turned = 0;
    int trials = 0;
    for (int round = 0; round < 20; ++round) {
      std::string text(size, ' ');
      for (char& c : text) c = static_cast<char>(random());
      const std::uint64_t hash = mix_hash(text);
      for (std::size_t bit = 0; bit < 8 * size; ++bit) {
        std::string other = text;
        other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
        turned += std::popcount(hash ^ mix_hash(other));
        ++trials;
      }
    }
    CAPTURE(size);
    CHECK(turned / trials == Approx(32).margin(1.5));
  }
}

TEST_CASE("the hash does not depend on where the bytes lie", "[text]") {
  const std::string text(100, 'x');
  for (std::size_t shift = 0; shift < 16; ++shift) {
    const std::string moved = std::string(shift, 'y') + text;
    CHECK(mix_hash(std::string_view(moved).substr(shift)) == mix_hash(text));
  }
}

}  // namespace
}  // namespace trainsight::text
