// Golden texts with the reference implementations' counts and ids, where a
// developer has the shared folder; tests without it say so and pass.
#ifndef TRAINSIGHT_TESTS_UNIT_TOKENIZE_GOLDEN_H_
#define TRAINSIGHT_TESTS_UNIT_TOKENIZE_GOLDEN_H_

#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace trainsight::tokenize {

/// The shared folder's tokenizers, with a slash at the end.
inline std::string shared_tokenizers() {
  const char* shared = std::getenv("TRAINSIGHT_SHARED");
  return std::string(shared == nullptr ? "../shared" : shared) + "/tokenizers/";
}

/// The file's bytes, or nothing and a line on stdout that says what is skipped.
inline std::optional<std::string> read_shared(const std::string& path) {
  std::ifstream file(shared_tokenizers() + path, std::ios::binary);
  if (!file) {
    std::cout << "SKIPPED: " << shared_tokenizers() << path << " is missing\n";
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The bytes of a gzip file.
inline std::string unzipped(const std::string& packed) {
  z_stream stream{};
  std::string out(1 << 20, '\0');
  std::string input = packed;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.total_out == out.size()) out.resize(out.size() * 2);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + stream.total_out);
    stream.avail_out = static_cast<uInt>(out.size() - stream.total_out);
    status = inflate(&stream, Z_NO_FLUSH);
  }
  out.resize(stream.total_out);
  inflateEnd(&stream);
  REQUIRE(status == Z_STREAM_END);
  return out;
}

/// A file that stands in the folder as it is or packed; or nothing and a line
/// on stdout.
inline std::optional<std::string> read_tokenizer(const std::string& path) {
  if (std::ifstream(shared_tokenizers() + path)) return read_shared(path);
  const std::optional<std::string> packed = read_shared(path + ".gz");
  if (!packed) return std::nullopt;
  return unzipped(*packed);
}

struct GoldenText {
  std::string id;
  std::string text;
  std::uint64_t count = 0;
  std::optional<std::vector<std::uint32_t>> ids;
};

/// The texts that `golden_jsonl` has counts of `tokenizer` for.
inline std::vector<GoldenText> golden_texts(const std::string& golden_jsonl,
                                            const std::string& tokenizer) {
  std::vector<GoldenText> texts;
  for (std::size_t at = 0; at < golden_jsonl.size();) {
    const std::size_t end = golden_jsonl.find('\n', at);
    const auto row = nlohmann::json::parse(golden_jsonl.substr(at, end - at));
    at = end == std::string::npos ? golden_jsonl.size() : end + 1;
    if (!row["counts"].contains(tokenizer)) continue;
    GoldenText text;
    text.id =
        row["id"].is_string() ? row["id"].get<std::string>() : row["id"].dump();
    text.text = row["text"].get<std::string>();
    text.count = row["counts"][tokenizer].get<std::uint64_t>();
    if (row.contains("ids") && row["ids"].contains(tokenizer)) {
      text.ids = row["ids"][tokenizer].get<std::vector<std::uint32_t>>();
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TESTS_UNIT_TOKENIZE_GOLDEN_H_
