// The rank file of OpenAI's o200k_base vocabulary, inside the binary.
//
// The file is mapped with the program: a start that does not use it never
// reads its pages. Thread-safety: constant data.
#ifndef TRAINSIGHT_TOKENIZE_EMBEDDED_RANKS_H_
#define TRAINSIGHT_TOKENIZE_EMBEDDED_RANKS_H_

#include <string_view>

namespace trainsight::tokenize {

/// The whole file o200k_base.tiktoken (3,613,922 bytes): lines of
/// `base64(token bytes) SPACE rank LF`, in rank order from 0 to 199,997. Lives
/// as long as the process. Empty when trainsight was built without the file.
[[nodiscard]] std::string_view o200k_base_ranks();

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_EMBEDDED_RANKS_H_
