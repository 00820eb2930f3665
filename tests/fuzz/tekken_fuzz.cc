// tekken.json of any bytes: refused or loaded, and then usable.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "trainsight/tokenize/load_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  trainsight::tokenize::TokenizerFiles files;
  files.tekken_json =
      std::string_view(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = trainsight::tokenize::load_tokenizer(files);
  if (!tokenizer) return 0;
  const auto counter = (*tokenizer)->make_counter();
  constexpr std::string_view kText = "ab ab, a\xC3\xA9 12\n";
  std::vector<std::uint32_t> ids;
  counter->encode(kText, ids);
  if (counter->count(kText) != ids.size()) std::abort();
  return 0;
}
