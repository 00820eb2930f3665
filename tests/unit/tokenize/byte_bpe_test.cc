#include "tokenize/byte_bpe.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tokenize/bpe_merge.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

// All bytes, then tokens that random merges make of them: ids 256 and up are
// ranks too. With a seed of its own each time, so that no shape is special.
ByteBpeSpec random_spec(std::uint64_t seed, std::size_t merges,
                        std::string_view alphabet) {
  std::mt19937_64 random(seed);
  std::vector<std::string> tokens;
  for (int b = 0; b < 256; ++b) {
    tokens.emplace_back(1, static_cast<char>(b));
  }
  std::map<std::string, std::uint32_t> ids;
  for (std::uint32_t id = 0; id < 256; ++id) ids[tokens[id]] = id;
  ByteBpeSpec spec;
  std::vector<std::uint32_t> usable;
  for (const char c : alphabet) {
    usable.push_back(static_cast<unsigned char>(c));
  }
  while (spec.merges.size() < merges) {
    const std::uint32_t left = usable[random() % usable.size()];
    const std::uint32_t right = usable[random() % usable.size()];
    const std::string both = tokens[left] + tokens[right];
    if (both.size() > 40 || ids.count(both) != 0) continue;
    const auto id = static_cast<std::uint32_t>(tokens.size());
    ids[both] = id;
    tokens.push_back(both);
    usable.push_back(id);
    spec.merges.push_back(Merge{left, right, id});
  }
  // Ranks out of the order of ids, as Llama-3's list has them.
  std::shuffle(spec.merges.begin(), spec.merges.end(), random);
  for (const std::string& token : tokens) spec.tokens.add(token);
  return spec;
}

// The definition itself: again and again the lowest rank, the leftmost first.
std::vector<std::uint32_t> defined_merge(const ByteBpeSpec& spec,
                                         std::string_view word) {
  std::map<std::pair<std::uint32_t, std::uint32_t>,
           std::pair<std::size_t, std::uint32_t>>
      pairs;
  std::map<std::string_view, std::uint32_t> by_bytes;
  for (std::uint32_t id = spec.tokens.size(); id-- > 0;) {
    by_bytes[spec.tokens[id]] = id;
  }
  for (std::size_t rank = 0; rank < spec.merges.size(); ++rank) {
    const Merge& merge = spec.merges[rank];
    pairs[{merge.left, merge.right}] = {rank, merge.result};
  }
  if (spec.by_rank || spec.ignore_merges) {
    const auto whole = by_bytes.find(word);
    if (whole != by_bytes.end()) return {whole->second};
  }
  std::vector<std::uint32_t> ids;
  for (const char byte : word) ids.push_back(static_cast<unsigned char>(byte));
  while (true) {
    std::size_t best_rank = static_cast<std::size_t>(-1);
    std::size_t best_at = 0;
    std::uint32_t result = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      std::pair<std::size_t, std::uint32_t> found;
      if (spec.by_rank) {
        const std::string both = std::string(spec.tokens[ids[i]]) +
                                 std::string(spec.tokens[ids[i + 1]]);
        const auto token = by_bytes.find(both);
        if (token == by_bytes.end()) continue;
        found = {token->second, token->second};
      } else {
        const auto pair = pairs.find({ids[i], ids[i + 1]});
        if (pair == pairs.end()) continue;
        found = pair->second;
      }
      if (found.first >= best_rank) continue;
      best_rank = found.first;
      best_at = i;
      result = found.second;
    }
    if (best_rank == static_cast<std::size_t>(-1)) return ids;
    ids[best_at] = result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
  }
}

std::string random_word(std::mt19937_64& random, std::string_view alphabet,
                        std::size_t size) {
  std::string word;
  const bool repeats = random() % 4 == 0;
  while (word.size() < size) {
    if (repeats && word.size() > 3 && random() % 8 != 0) {
      word += word.substr(word.size() - 1 - random() % 3);
    } else {
      word += alphabet[random() % alphabet.size()];
    }
  }
  word.resize(size);
  return word;
}

TEST_CASE("merges are those of the definition, for words of any length") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::string_view alphabet = seed % 3 == 0 ? "ab" : "abcde ";
    ByteBpeSpec spec = random_spec(seed, 20 + 40 * (seed % 4), alphabet);
    spec.by_rank = seed % 2 == 0;
    const auto merger = BpeMerger::make(spec);
    REQUIRE(merger);
    MergeScratch scratch;
    std::mt19937_64 random(seed * 977);
    for (int round = 0; round < 60; ++round) {
      const std::size_t size = 1 + random() % (round % 6 == 0 ? 900 : 140);
      const std::string word = random_word(random, alphabet, size);
      merger->merge_word(word, scratch);
      std::vector<std::uint32_t> ids;
      for (const TokenAt& token : scratch.tokens) ids.push_back(token.id);
      INFO("seed " << seed << " word " << word);
      REQUIRE(ids == defined_merge(spec, word));
    }
  }
}

TEST_CASE("tokens longer than a window are merged as defined") {
  // a, aa, aaaa, … up to 512 bytes; then words around the windows' edges.
  ByteBpeSpec spec;
  for (int b = 0; b < 256; ++b) {
    const char byte = static_cast<char>(b);
    spec.tokens.add(std::string_view(&byte, 1));
  }
  std::uint32_t last = 'a';
  for (std::uint32_t size = 2; size <= 512; size *= 2) {
    spec.tokens.add(std::string(size, 'a'));
    const std::uint32_t id = spec.tokens.size() - 1;
    spec.merges.push_back(Merge{last, last, id});
    last = id;
  }
  const auto merger = BpeMerger::make(spec);
  REQUIRE(merger);
  MergeScratch scratch;
  for (const std::size_t size : {127U, 128U, 129U, 255U, 512U, 513U, 1500U}) {
    merger->merge(std::string(size, 'a'), scratch);
    std::vector<std::uint32_t> ids;
    for (const TokenAt& token : scratch.tokens) ids.push_back(token.id);
    INFO(size);
    CHECK(ids == defined_merge(spec, std::string(size, 'a')));
  }
}

TEST_CASE("a byte without a token is dropped before the merges") {
  ByteBpeSpec spec;
  spec.tokens.add("a");
  spec.tokens.add("b");
  spec.tokens.add("ab");
  spec.merges = {Merge{0, 1, 2}};
  const auto bpe = ByteBpe::make(std::move(spec));
  REQUIRE(bpe);
  const auto worker = (*bpe)->make_worker();
  std::vector<std::uint32_t> ids;
  worker->encode("a?b?", ids);
  CHECK(ids == std::vector<std::uint32_t>{2});
  CHECK(worker->count("a?b?") == 1);
  CHECK(worker->count("???") == 0);
  CHECK(worker->count("") == 0);
}

TEST_CASE(
    "a word in the vocabulary stays whole only where merges are ignored") {
  for (const bool ignore : {false, true}) {
    ByteBpeSpec spec;
    for (const char* token : {"a", "b", "c", "abc"}) spec.tokens.add(token);
    spec.ignore_merges = ignore;
    spec.id_offset = 1000;
    const auto bpe = ByteBpe::make(std::move(spec));
    REQUIRE(bpe);
    const auto worker = (*bpe)->make_worker();
    std::vector<std::uint32_t> ids;
    worker->encode_word("abc", ids);
    CHECK(ids == (ignore ? std::vector<std::uint32_t>{1003}
                         : std::vector<std::uint32_t>{1000, 1001, 1002}));
    CHECK(worker->count_word("abc") == ids.size());
  }
}

TEST_CASE("merges of unknown tokens are refused") {
  ByteBpeSpec spec;
  spec.tokens.add("a");
  spec.merges = {Merge{0, 0, 1}};
  const auto bpe = ByteBpe::make(std::move(spec));
  REQUIRE_FALSE(bpe);
  CHECK(bpe.error().kind == ErrorKind::kCorrupt);
  CHECK(bpe.error().message == "merge 0: a token id is outside the vocabulary");
}

// Words of all lengths and scripts, ill-formed bytes among them.
std::string random_text(std::mt19937_64& random) {
  std::string text;
  for (std::size_t i = 0, n = random() % 300; i < n; ++i) {
    switch (random() % 10) {
      case 0:
        text += static_cast<char>(random() % 256);
        break;
      case 1:
      case 2:
        text += ' ';
        break;
      case 3:
        text::append_utf8(text, static_cast<char32_t>(0x4E00 + random() % 12));
        text::append_utf8(text, static_cast<char32_t>(0x4E00 + random() % 12));
        break;
      case 4:
        text::append_utf8(text, static_cast<char32_t>(0x430 + random() % 8));
        break;
      case 5:
        text += "\xF0\x9F\x98";  // of four bytes
        break;
      case 6:
        text += "\n";
        break;
      default:
        text += static_cast<char>('a' + random() % 5);
        break;
    }
  }
  return text;
}

TEST_CASE("a count is the number of ids, from the cache and without") {
  std::mt19937_64 random(99);
  int parted = 0;
  const std::string bytes =
      "abcde \xE4\xB8\xB9\x80\x81\x82\x83\xD0\xB0\xB1\xB2";
  for (const Pattern pattern :
       {Pattern::kNone, Pattern::kGpt2, Pattern::kLlama3, Pattern::kQwen2,
        Pattern::kQwen35, Pattern::kO200k, Pattern::kTekken,
        Pattern::kDeepSeekV3, Pattern::kDigit1Gpt2, Pattern::kRegex}) {
    ByteBpeSpec spec = random_spec(5, 120, bytes);
    spec.ignore_merges = true;
    spec.pattern = pattern;
    spec.regex = "[ab]+| ?\\p{L}+";
    const auto bpe = ByteBpe::make(std::move(spec));
    REQUIRE(bpe);
    const auto cached = (*bpe)->make_worker();
    const auto plain = (*bpe)->make_worker();
    for (int round = 0; round < 150; ++round) {
      const std::string text = random_text(random);
      std::vector<std::uint32_t> ids;
      plain->encode(text, ids);
      INFO("pattern " << static_cast<int>(pattern) << " round " << round);
      REQUIRE(cached->count(text) == ids.size());
      REQUIRE(cached->count(text) == ids.size());
      std::string repaired;
      text::append_repaired_utf8(text, repaired);
      REQUIRE(cached->count(repaired) == ids.size());
      std::string decoded;
      for (const std::uint32_t id : ids) decoded += (*bpe)->tokens()[id];
      REQUIRE(decoded == repaired);
      const std::size_t at = repaired.empty() ? 0 : random() % repaired.size();
      if (cached->parts_at(repaired, at)) {
        ++parted;
        std::vector<std::uint32_t> first;
        plain->encode(repaired.substr(0, at), first);
        REQUIRE(first.size() <= ids.size());
        REQUIRE(std::equal(first.begin(), first.end(), ids.begin()));
      }
    }
  }
  CHECK(parted > 50);
}

TEST_CASE("long words are cut only where the tokens stay the same") {
  // Tokens over ideographs, parts of which are no characters.
  std::mt19937_64 random(3);
  for (std::uint64_t seed = 20; seed < 28; ++seed) {
    ByteBpeSpec spec =
        random_spec(seed, 60, "\xE4\xB8\xB9\xBA\x80\x81\x82\x83\x84");
    spec.pattern = Pattern::kO200k;
    const auto bpe = ByteBpe::make(std::move(spec));
    REQUIRE(bpe);
    const auto worker = (*bpe)->make_worker();
    for (int round = 0; round < 200; ++round) {
      std::string word;
      // Up to three runs of characters that are looked at together.
      for (std::size_t i = 0, n = 1 + random() % (round % 4 == 0 ? 180 : 60);
           i < n; ++i) {
        char32_t c =
            static_cast<char32_t>(0x4E00 + random() % 4 + 64 * (random() % 3));
        if (round % 3 == 0 && random() % 8 == 0) {
          c = static_cast<char32_t>(random() % 2 == 0 ? 0x20000 + random() % 4
                                                      : 0xE0 + random() % 4);
        }
        text::append_utf8(word, c);
      }
      std::vector<std::uint32_t> ids;
      worker->encode(word, ids);
      INFO("seed " << seed << " word " << word);
      REQUIRE(worker->count(word) == ids.size());
      REQUIRE(worker->count(word) == ids.size());  // now from the caches
    }
  }
}

}  // namespace
}  // namespace trainsight::tokenize
