// A rank file of any bytes, split by a pattern of any bytes: refused or loaded,
// and then usable. The pattern stands before the first zero byte, if any.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/tokenize/load_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = bytes.find('\0');
  trainsight::tokenize::TokenizerFiles files;
  files.name = "fuzz";
  files.tiktoken_regex = "\\w+|\\W";
  files.tiktoken = bytes;
  if (zero != std::string_view::npos) {
    files.tiktoken_regex = std::string(bytes.substr(0, zero));
    files.tiktoken = bytes.substr(zero + 1);
  }
  const auto tokenizer = trainsight::tokenize::load_tokenizer(files);
  if (!tokenizer) return 0;
  const auto counter = (*tokenizer)->make_counter();
  constexpr std::string_view kText = "ab ab, a\xC3\xA9 12\n";
  std::vector<std::uint32_t> ids;
  counter->encode(kText, ids);
  if (counter->count(kText) != ids.size()) std::abort();
  return 0;
}
