// Words as a sequence of Splits cuts them, each expression applied to every
// piece that the ones before have left; the definition that the hand-written
// scanners are held against.
#ifndef TRAINSIGHT_TESTS_SUPPORT_SPLIT_IN_SEQUENCE_H_
#define TRAINSIGHT_TESTS_SUPPORT_SPLIT_IN_SEQUENCE_H_

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tokenize/pcre2_split.h"

namespace trainsight::tokenize {

/// The ends of the words; matches and what is between them are words.
inline std::vector<std::size_t> split_in_sequence(
    std::span<const std::string_view> sources, std::string_view text) {
  std::vector<std::size_t> ends;
  if (text.empty()) return ends;
  ends.push_back(text.size());
  for (const std::string_view source : sources) {
    const auto splitter = RegexSplitter::make(source);
    if (!splitter) std::abort();
    const auto matcher = (*splitter)->make_matcher();
    std::vector<std::size_t> finer;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const std::string_view piece = text.substr(begin, end - begin);
      Span match;
      for (std::size_t at = 0; matcher->next(piece, at, match);
           at = match.end) {
        if (match.begin > at) finer.push_back(begin + match.begin);
        finer.push_back(begin + match.end);
      }
      if (finer.empty() || finer.back() < end) finer.push_back(end);
      begin = end;
    }
    ends = finer;
  }
  return ends;
}

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TESTS_SUPPORT_SPLIT_IN_SEQUENCE_H_
