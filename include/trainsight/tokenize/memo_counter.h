// A TokenCounter that remembers whole texts.
//
// System prompts stand before thousands of conversations, and the two sides of
// a pair have one prompt: a text that was counted twice before is compared with
// what is remembered, byte by byte, and not counted again. Exact; encode() goes
// through. Bounded: 4 MiB of texts, forgotten together when they are full.
// Thread-safety: none; one a worker.
#ifndef TRAINSIGHT_TOKENIZE_MEMO_COUNTER_H_
#define TRAINSIGHT_TOKENIZE_MEMO_COUNTER_H_

#include <memory>

#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::tokenize {

/// `counter` with a memory for texts of 64 bytes to 16 KiB.
std::unique_ptr<TokenCounter> make_memo_counter(
    std::unique_ptr<TokenCounter> counter);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_MEMO_COUNTER_H_
