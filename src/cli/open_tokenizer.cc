#include "open_tokenizer.h"

#include <utility>

#include "trainsight/io/files.h"
#include "trainsight/tokenize/load.h"

namespace trainsight::cli {
namespace {

// The largest vocabulary file in use is under 40 MB.
constexpr std::uint64_t kMostTokenizerBytes = 256u << 20;

using Opened = Result<std::shared_ptr<const tokenize::Tokenizer>>;

Opened shared(Result<std::unique_ptr<tokenize::Tokenizer>> tokenizer) {
  if (!tokenizer) return tokenizer.error();
  return std::shared_ptr<const tokenize::Tokenizer>(*std::move(tokenizer));
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

Opened open_tokenizer(const std::string& name,
                      const Environment& /*environment*/) {
  if (auto builtin = tokenize::open_builtin(name)) {
    return shared(std::move(builtin));
  }
  if (ends_with(name, ".tiktoken")) {
    auto bytes = io::read_file(name, kMostTokenizerBytes);
    if (!bytes) return bytes.error();
    return shared(tokenize::make_tiktoken(name, *bytes));
  }
  return Error{ErrorKind::kNotFound, "unknown tokenizer \"" + name + "\"",
               "one of bytes, chars, o200k_base, or a vocabulary file "
               "(FILE.tiktoken)"};
}

}  // namespace trainsight::cli
