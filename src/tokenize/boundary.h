// Word boundaries by bitmaps, and word counts by batches of look-ups.
//
// A text is cut in chunks of 4 KiB. In each, every byte's class becomes a bit
// in one bitmap a class, 64 bytes a word; a few shifts, ands and adds on those
// words give the bits where words begin. No branch depends on a word. A chunk
// ends at a boundary that nothing after it can move, and the next one begins
// there as if the text did: every pattern here only looks ahead.
//
// Characters beyond ASCII are classed one by one, and then all their bytes
// carry the class, so that the same algebra holds for them.
//
// The same code is compiled for several instruction sets; best_kernel() takes
// the widest that this processor has. All give the same results, which are
// those of word_end(). Thread-safety: pure functions.
#ifndef TRAINSIGHT_TOKENIZE_BOUNDARY_H_
#define TRAINSIGHT_TOKENIZE_BOUNDARY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tokenize/pretokenize.h"
#include "tokenize/word_cache.h"

namespace trainsight::tokenize {

inline constexpr std::size_t kChunkBytes = 4096;
/// Bytes after a chunk that must be readable.
inline constexpr std::size_t kChunkPadBytes = 128;

/// Where the words of a chunk end, as offsets from its first byte, ascending.
struct WordEnds {
  std::size_t size = 0;
  /// Written eight at a time: a few more than a chunk can have.
  std::array<std::uint16_t, kChunkBytes + 64> ends;
};

/// What count_words() asks for a word that is not at home in the short table.
class WordCounter {
 public:
  virtual ~WordCounter() = default;
  /// `word` can be read 32 bytes beyond its end.
  virtual std::uint64_t count_uncached(std::string_view word) = 0;
};

/// The functions of one instruction set.
struct WordKernel {
  std::string_view name;

  /// The words at the start of a chunk, up to the last boundary that is sure;
  /// none when there is no such boundary, or the chunk holds something rare
  /// that only word_end() knows. `at_text_end` says that the text ends where
  /// the chunk does; then all its words are given.
  ///
  /// REQUIRES: has_kernel(pattern); 0 < size <= kChunkBytes; `chunk` begins
  /// where a word does and is well-formed UTF-8, but for a last character that
  /// may go on beyond its end; kChunkPadBytes more bytes can be read.
  void (*find_words)(Pattern pattern, const char* chunk, std::size_t size,
                     bool at_text_end, WordEnds& words);

  /// Sum of the counts of words that end at ends[0..size) and begin where the
  /// one before ends, the first at `chunk`.
  std::uint64_t (*count_words)(const char* chunk, const std::uint16_t* ends,
                               std::size_t size, const WordCache& cache,
                               WordCounter& uncached);
};

/// Whether find_words() knows the pattern.
bool has_kernel(Pattern pattern);

/// Those that this processor can run, the widest first and plain C++ last.
std::span<const WordKernel* const> kernels();
/// The first of them.
const WordKernel& best_kernel();

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_BOUNDARY_H_
