#include "trainsight/tokenize/load.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <utility>

#include "tokenize/byte_bpe.h"
#include "tokenize/tiktoken.h"
#include "trainsight/text/utf8.h"
#include "trainsight/text/xxhash64.h"
#include "trainsight/tokenize/embedded_ranks.h"

namespace trainsight::tokenize {
namespace {

/// Tokens without a vocabulary: bytes, characters, or a guess from bytes.
enum class Unit : std::uint8_t { kByte, kCharacter, kFourBytes };

// Bytes that are not UTF-8 are U+FFFD in every unit, so that "bytes" is the
// size of the text that a trainer would see.
class UnitCounter final : public TokenCounter {
 public:
  explicit UnitCounter(Unit unit) : unit_(unit) {}

  std::uint64_t count(std::string_view utf8) override {
    utf8 = repaired(utf8);
    switch (unit_) {
      case Unit::kByte:
        return utf8.size();
      case Unit::kCharacter:
        return text::count_code_points(utf8);
      case Unit::kFourBytes:
        break;
    }
    return (utf8.size() + 3) / 4;
  }

  std::uint64_t count_text(text::TextView text, std::string& scratch) override {
    switch (unit_) {  // a TextView is valid UTF-8
      case Unit::kByte:
        return text::utf8_bytes(text);
      case Unit::kCharacter:
        return text::count_code_points(text::as_utf8(text, scratch));
      case Unit::kFourBytes:
        break;
    }
    return (text::utf8_bytes(text) + 3) / 4;
  }

  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    utf8 = repaired(utf8);
    switch (unit_) {
      case Unit::kByte:
        for (const char byte : utf8) {
          ids.push_back(static_cast<unsigned char>(byte));
        }
        return;
      case Unit::kCharacter:
        for (std::size_t at = 0; at < utf8.size();) {
          ids.push_back(text::decode_utf8(utf8, at));
        }
        return;
      case Unit::kFourBytes:
        // There are no ids to give: as many zeros as tokens are guessed.
        ids.resize(ids.size() + (utf8.size() + 3) / 4);
        return;
    }
  }

 private:
  std::string_view repaired(std::string_view bytes) {
    if (simdjson::validate_utf8(bytes.data(), bytes.size())) return bytes;
    repaired_.clear();
    text::append_repaired_utf8(bytes, repaired_);
    return repaired_;
  }

  Unit unit_;
  std::string repaired_;
};

class UnitTokenizer final : public Tokenizer {
 public:
  UnitTokenizer(std::string_view name, std::string_view kind, Unit unit)
      : unit_(unit) {
    info_.name = name;
    info_.kind = kind;
    if (unit == Unit::kFourBytes) info_.exactness = Exactness::kEstimated;
  }
  [[nodiscard]] const TokenizerInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<TokenCounter> make_counter() const override {
    return std::make_unique<UnitCounter>(unit_);
  }
  void add_note(std::string note) { info_.notes.push_back(std::move(note)); }

 private:
  TokenizerInfo info_;
  Unit unit_;
};

class RankCounter final : public TokenCounter {
 public:
  explicit RankCounter(std::unique_ptr<ByteBpe::Worker> worker)
      : worker_(std::move(worker)) {}
  std::uint64_t count(std::string_view utf8) override {
    return worker_->count(utf8);
  }
  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    worker_->encode(utf8, ids);
  }
  bool parts_at(std::string_view utf8, std::size_t at) override {
    return worker_->parts_at(utf8, at);
  }

 private:
  std::unique_ptr<ByteBpe::Worker> worker_;
};

class RankTokenizer final : public Tokenizer {
 public:
  RankTokenizer(TokenizerInfo info, std::unique_ptr<ByteBpe> bpe)
      : info_(std::move(info)), bpe_(std::move(bpe)) {}
  [[nodiscard]] const TokenizerInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<TokenCounter> make_counter() const override {
    return std::make_unique<RankCounter>(bpe_->make_worker());
  }

 private:
  TokenizerInfo info_;
  std::unique_ptr<ByteBpe> bpe_;
};

std::unique_ptr<UnitTokenizer> make_estimate(std::string_view name) {
  return std::make_unique<UnitTokenizer>(
      name, "estimate, a token for each 4 bytes", Unit::kFourBytes);
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> open_builtin(std::string_view name) {
  if (name == "bytes") {
    return std::unique_ptr<Tokenizer>(
        std::make_unique<UnitTokenizer>(name, "bytes", Unit::kByte));
  }
  if (name == "chars") {
    return std::unique_ptr<Tokenizer>(std::make_unique<UnitTokenizer>(
        name, "Unicode code points", Unit::kCharacter));
  }
  if (name == "estimate") {
    return std::unique_ptr<Tokenizer>(make_estimate(name));
  }
  if (name == "o200k_base") {
    const std::string_view ranks = o200k_base_ranks();
    if (!ranks.empty()) return make_tiktoken(name, ranks);
    std::unique_ptr<UnitTokenizer> estimate = make_estimate(name);
    estimate->add_note(
        "this binary was built without o200k_base: lengths are estimated at a "
        "token for each 4 bytes");
    return std::unique_ptr<Tokenizer>(std::move(estimate));
  }
  return Error{ErrorKind::kNotFound,
               fmt::format("no built-in tokenizer is called {}", name),
               "built in are bytes, chars, estimate and o200k_base; anything "
               "else is a path"};
}

Result<std::unique_ptr<Tokenizer>> make_tiktoken(std::string_view name,
                                                 std::string_view ranks,
                                                 std::string_view regex) {
  Result<TokenBytes> tokens = parse_ranks(ranks);
  if (!tokens) return tokens.error().with_context(std::string(name));
  ByteBpeSpec spec;
  spec.by_rank = true;
  if (regex.empty()) {
    const std::optional<WordCut> cut = cut_of_encoding(name, tokens->size());
    if (!cut) {
      return Error{
          ErrorKind::kUnsupported,
          fmt::format("{}: a rank file does not say how words are cut, "
                      "and this is none of the known ones",
                      name),
          "put the encoding's name into the file's name (cl100k, "
          "o200k, r50k, p50k, llama3, kimi) or use the model's tokenizer.json"};
    }
    spec.pattern = cut->pattern;
    spec.regex = cut->regex;
  } else {
    spec.pattern = pattern_of_source(regex);
    spec.regex = regex;
  }
  TokenizerInfo info;
  info.name = name;
  info.kind = "byte-level BPE, tiktoken ranks";
  info.xxh64 = text::hex64(text::xxh64(ranks));
  info.vocabulary_size = tokens->size();
  spec.tokens = std::move(*tokens);
  Result<std::unique_ptr<ByteBpe>> bpe = ByteBpe::make(std::move(spec));
  if (!bpe) return bpe.error().with_context(std::string(name));
  return std::unique_ptr<Tokenizer>(
      std::make_unique<RankTokenizer>(std::move(info), std::move(*bpe)));
}

}  // namespace trainsight::tokenize
