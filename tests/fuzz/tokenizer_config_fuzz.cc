// tokenizer_config.json and special_tokens_map.json of any bytes beside a sound
// vocabulary: refused, or loaded with all that they say.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "trainsight/tokenize/load_files.h"

namespace {

// 256 bytes and "ab": "YQ==" is base64 of "a".
std::string byte_ranks() {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string file;
  for (unsigned byte = 0; byte < 256; ++byte) {
    file += kDigits[byte >> 2];
    file += kDigits[(byte & 3) << 4];
    file += "== " + std::to_string(byte) + "\n";
  }
  return file + "YWI= 256\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const std::string ranks = byte_ranks();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool is_map : {false, true}) {
    trainsight::tokenize::TokenizerFiles files;
    files.name = "fuzz";
    files.tiktoken = ranks;
    files.tiktoken_regex = "\\w+|\\W";
    (is_map ? files.special_tokens_map_json : files.tokenizer_config_json) =
        bytes;
    const auto tokenizer = trainsight::tokenize::load_tokenizer(files);
    if (!tokenizer) continue;
    if ((*tokenizer)->make_counter()->count("ab ab") != 3) std::abort();
  }
  return 0;
}
