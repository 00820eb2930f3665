// tokenizer.json (and, after a zero byte, tokenizer_config.json) of any bytes:
// refused or loaded, and what is loaded counts as many tokens as it encodes.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "trainsight/tokenize/load_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using trainsight::tokenize::load_tokenizer;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = bytes.find('\0');
  trainsight::tokenize::TokenizerFiles files;
  files.tokenizer_json = bytes.substr(0, zero);
  if (zero != std::string_view::npos) {
    files.tokenizer_config_json = bytes.substr(zero + 1);
  }
  const auto tokenizer = load_tokenizer(files);
  if (!tokenizer) return 0;
  const auto counter = (*tokenizer)->make_counter();
  for (const std::string_view text :
       {std::string_view("ab ab, a\xC3\xA9 \xF0\x9F\x98\x80 12 <s>\n"),
        bytes.substr(0, 300)}) {
    std::vector<std::uint32_t> ids;
    counter->encode(text, ids);
    if (counter->count(text) != ids.size()) std::abort();
  }
  return 0;
}
