// measure: a Sample and a token counter give the lengths of RowFacts.
//
// With the template `none` every piece of text is counted on its own and the
// sequence is their sum. Rendered templates are measured by the chat module's
// spans (measure_rendered). Pure but for the counter's caches.
#ifndef TRAINSIGHT_FACTS_MEASURE_H_
#define TRAINSIGHT_FACTS_MEASURE_H_

#include <string>
#include <vector>

#include "trainsight/facts/row_facts.h"
#include "trainsight/records/sample.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::facts {

/// Memory that one worker reuses from row to row.
struct MeasureScratch {
  std::string text;                         ///< unescaped text
  std::vector<std::uint32_t> piece_tokens;  ///< by Sample::pieces
};

/// Fills everything of `facts` but file, line and offset.
/// The lengths of tokenised rows are their number of ids.
void measure_pieces(const records::Sample& sample,
                    tokenize::TokenCounter& counter, MeasureScratch& scratch,
                    RowFacts& facts);

/// The labels that are left when a row is cut to its first `limit` tokens:
/// whether any is.
[[nodiscard]] bool keeps_labels(const RowFacts& facts, std::uint32_t limit);

}  // namespace trainsight::facts

#endif  // TRAINSIGHT_FACTS_MEASURE_H_
