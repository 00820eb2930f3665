// A SentencePiece model of any bytes: refused or loaded, and then usable.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "trainsight/tokenize/load_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  trainsight::tokenize::TokenizerFiles files;
  files.sentencepiece_model = bytes;
  const auto tokenizer = trainsight::tokenize::load_tokenizer(files);
  if (!tokenizer) return 0;
  const auto counter = (*tokenizer)->make_counter();
  for (const std::string_view text :
       {std::string_view("ab  ab, a\xC3\xA9 \xF0\x9F\x98\x80 [T]"),
        bytes.substr(0, 300)}) {
    std::vector<std::uint32_t> ids;
    counter->encode(text, ids);
    if (counter->count(text) != ids.size()) std::abort();
  }
  return 0;
}
