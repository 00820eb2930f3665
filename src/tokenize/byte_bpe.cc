#include "tokenize/byte_bpe.h"

#include <utility>

#include "tokenize/bpe_merge.h"
#include "tokenize/word_cache.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {

struct ByteBpe::Tables {
  explicit Tables(ByteBpeSpec given) : spec(std::move(given)) {}
  ByteBpeSpec spec;
  std::unique_ptr<const BpeMerger> merger;  // refers to spec
};

namespace {

class CachedWorker final : public ByteBpe::Worker {
 public:
  CachedWorker(const ByteBpeSpec& spec, const BpeMerger& merger)
      : spec_(spec), merger_(merger), cache_(WordCache::make()) {}

  std::uint64_t count(std::string_view utf8) override {
    utf8 = repaired(utf8);
    std::uint64_t total = 0;
    for (std::size_t begin = 0; begin < utf8.size();) {
      const std::size_t end = word_end(spec_.pattern, utf8, begin);
      total += count_one(utf8.substr(begin, end - begin));
      begin = end;
    }
    return total;
  }

  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    utf8 = repaired(utf8);
    for (std::size_t begin = 0; begin < utf8.size();) {
      const std::size_t end = word_end(spec_.pattern, utf8, begin);
      encode_one(utf8.substr(begin, end - begin), ids);
      begin = end;
    }
  }

  std::uint64_t count_word(std::string_view utf8) override {
    return count_one(repaired(utf8));
  }

  void encode_word(std::string_view utf8,
                   std::vector<std::uint32_t>& ids) override {
    encode_one(repaired(utf8), ids);
  }

 private:
  // The text itself, or a copy with U+FFFD for what is not UTF-8.
  std::string_view repaired(std::string_view bytes) {
    if (text::find_invalid_utf8(bytes) == std::string_view::npos) return bytes;
    repaired_.clear();
    text::append_repaired_utf8(bytes, repaired_);
    return repaired_;
  }

  std::uint64_t count_one(std::string_view word) {
    return merger_.merge_word(word, scratch_);
  }

  void encode_one(std::string_view word, std::vector<std::uint32_t>& ids) {
    merger_.merge_word(word, scratch_);
    for (const TokenAt& token : scratch_.tokens) {
      ids.push_back(token.id + spec_.id_offset);
    }
  }

  const ByteBpeSpec& spec_;
  const BpeMerger& merger_;
  std::unique_ptr<WordCache> cache_;
  MergeScratch scratch_;
  std::string repaired_;
};

}  // namespace

ByteBpe::ByteBpe(std::unique_ptr<const Tables> tables)
    : tables_(std::move(tables)) {}
ByteBpe::~ByteBpe() = default;

Result<std::unique_ptr<ByteBpe>> ByteBpe::make(ByteBpeSpec spec) {
  if (spec.pattern == Pattern::kRegex) {
    return Error{ErrorKind::kUnsupported,
                 "pre-tokenizer pattern not known: " + spec.regex, ""};
  }
  auto tables = std::make_unique<Tables>(std::move(spec));
  Result<BpeMerger> merger = BpeMerger::make(tables->spec);
  if (!merger) return merger.error();
  tables->merger = std::make_unique<const BpeMerger>(std::move(*merger));
  return std::unique_ptr<ByteBpe>(new ByteBpe(std::move(tables)));
}

std::unique_ptr<ByteBpe::Worker> ByteBpe::make_worker() const {
  return std::make_unique<CachedWorker>(tables_->spec, *tables_->merger);
}

const TokenBytes& ByteBpe::tokens() const { return tables_->spec.tokens; }

}  // namespace trainsight::tokenize
