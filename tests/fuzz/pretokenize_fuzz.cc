// Differential: every way to cut a text into words gives the same words.
//
// The first byte chooses the pattern, the rest is the text (what is not UTF-8
// is replaced first, as the product does). The scalar scanner is compared with
// the bitmap kernels at two sizes of chunks and with PCRE2 on the pattern's
// sources.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "support/split_in_sequence.h"
#include "tokenize/boundary.h"
#include "tokenize/pretokenize.h"
#include "trainsight/text/utf8.h"

namespace {

using namespace trainsight::tokenize;

using Ends = std::vector<std::size_t>;

Ends by_words(Pattern pattern, std::string_view text, std::size_t begin,
              std::size_t until) {
  Ends ends;
  while (begin < until) {
    begin = word_end(pattern, text, begin);
    ends.push_back(begin);
  }
  return ends;
}

Ends by_kernel(const WordKernel& kernel, Pattern pattern,
               const std::string& text, std::size_t chunk_bytes) {
  const std::string padded = text + std::string(kChunkPadBytes, '\0');
  const auto words = std::make_unique<WordEnds>();
  Ends ends;
  for (std::size_t begin = 0; begin < text.size(); begin = ends.back()) {
    const std::size_t size = std::min(text.size() - begin, chunk_bytes);
    kernel.find_words(pattern, padded.data() + begin, size,
                      begin + size == text.size(), *words);
    if (words->size == 0) {
      const Ends slow = by_words(pattern, text, begin, begin + size);
      ends.insert(ends.end(), slow.begin(), slow.end());
    }
    for (std::size_t i = 0; i < words->size; ++i) {
      ends.push_back(begin + words->ends[i]);
    }
  }
  return ends;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  constexpr Pattern kPatterns[] = {
      Pattern::kGpt2,       Pattern::kLlama3,     Pattern::kQwen2,
      Pattern::kQwen35,     Pattern::kO200k,      Pattern::kTekken,
      Pattern::kDigit1Gpt2, Pattern::kDeepSeekV3,
  };
  const Pattern pattern = kPatterns[data[0] % std::size(kPatterns)];
  std::string text;
  trainsight::text::append_repaired_utf8(
      {reinterpret_cast<const char*>(data) + 1, size - 1}, text);
  const Ends expected = by_words(pattern, text, 0, text.size());
  for (const WordKernel* kernel : kernels()) {
    for (const std::size_t chunk : {kChunkBytes, std::size_t{64}}) {
      if (by_kernel(*kernel, pattern, text, chunk) != expected) std::abort();
    }
  }
  if (split_in_sequence(sources_of_pattern(pattern), text) != expected) {
    std::abort();
  }
  return 0;
}
