#include "tokenize/tiktoken.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace trainsight::tokenize {
namespace {

constexpr std::uint8_t kNotBase64 = 0xFF;

constexpr std::array<std::uint8_t, 256> kBase64 = [] {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> values{};
  for (std::uint8_t& value : values) value = kNotBase64;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] =
        static_cast<std::uint8_t>(i);
  }
  return values;
}();

std::uint32_t sextet(char c) { return kBase64[static_cast<unsigned char>(c)]; }

struct EncodingRow {
  std::string_view name;
  std::uint32_t rank_count;  // 0: shared with another encoding
  Pattern pattern;
  std::string_view regex = {};  // for Pattern::kRegex
};

// Source: moonshotai/Kimi-K2, tokenization_kimi.py (pat_str).
constexpr std::string_view kKimiRegex =
    R"([\p{Han}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Source: openai/tiktoken, tiktoken_ext/openai_public.py; of Llama 3 the
// pattern in its tokenizer.json.
constexpr EncodingRow kEncodings[] = {
    {"r50k", 50256, Pattern::kGpt2},
    {"p50k", 50280, Pattern::kGpt2},
    {"gpt2", 0, Pattern::kGpt2},
    {"cl100k", 100256, Pattern::kLlama3},
    {"o200k", 199998, Pattern::kO200k},
    {"llama3", 128000, Pattern::kLlama3},
    {"kimi", 163584, Pattern::kRegex, kKimiRegex},
};

Error line_error(std::size_t line, std::string_view what) {
  return Error{ErrorKind::kCorrupt,
               fmt::format("rank file, line {}: {}", line, what), ""};
}

}  // namespace

bool append_base64(std::string_view base64, std::string& bytes) {
  for (int i = 0; i < 2 && !base64.empty() && base64.back() == '='; ++i) {
    base64.remove_suffix(1);
  }
  const std::size_t whole = base64.size() / 4 * 4;
  const std::size_t left = base64.size() - whole;
  if (left == 1) return false;
  const auto byte = [](std::uint32_t value) {
    return static_cast<char>(static_cast<unsigned char>(value));
  };
  for (std::size_t i = 0; i < whole; i += 4) {
    const std::uint32_t a = sextet(base64[i]);
    const std::uint32_t b = sextet(base64[i + 1]);
    const std::uint32_t c = sextet(base64[i + 2]);
    const std::uint32_t d = sextet(base64[i + 3]);
    if ((a | b | c | d) > 63) return false;
    const std::uint32_t value = a << 18 | b << 12 | c << 6 | d;
    const char three[] = {byte(value >> 16), byte(value >> 8), byte(value)};
    bytes.append(three, 3);
  }
  if (left == 0) return true;
  const std::uint32_t a = sextet(base64[whole]);
  const std::uint32_t b = sextet(base64[whole + 1]);
  const std::uint32_t c = left == 3 ? sextet(base64[whole + 2]) : 0;
  if ((a | b | c) > 63) return false;
  const std::uint32_t value = a << 18 | b << 12 | c << 6;
  bytes.push_back(byte(value >> 16));
  if (left == 3) bytes.push_back(byte(value >> 8));
  return true;
}

Result<TokenBytes> parse_ranks(std::string_view file) {
  struct Row {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    bool present = false;
  };
  const auto line_count =
      static_cast<std::size_t>(std::count(file.begin(), file.end(), '\n') + 1);
  if (file.size() >= (std::size_t{1} << 31)) {
    return Error{ErrorKind::kLimit, "rank file of 2 GiB or more", ""};
  }
  std::string bytes;
  bytes.reserve(file.size() / 4 * 3);
  std::vector<Row> rows;
  rows.reserve(line_count);
  std::size_t line = 0;
  for (std::size_t at = 0; at < file.size();) {
    ++line;
    std::size_t end = file.find('\n', at);
    if (end == std::string_view::npos) end = file.size();
    std::string_view row = file.substr(at, end - at);
    at = end + 1;
    if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
    if (row.empty()) continue;
    const std::size_t space = row.rfind(' ');
    if (space == std::string_view::npos || row.size() - space > 9) {
      return line_error(line, "no token and rank");
    }
    std::size_t rank = 0;
    for (const char digit : row.substr(space + 1)) {
      if (digit < '0' || digit > '9') return line_error(line, "no rank");
      rank = rank * 10 + static_cast<std::size_t>(digit - '0');
    }
    if (space + 1 == row.size()) return line_error(line, "no rank");
    if (rank >= line_count * 10) return line_error(line, "rank out of range");
    const std::size_t begin = bytes.size();
    if (!append_base64(row.substr(0, space), bytes) || bytes.size() == begin) {
      return line_error(line, "token is not base64");
    }
    if (rank >= rows.size()) rows.resize(rank + 1);
    if (rows[rank].present) return line_error(line, "rank comes twice");
    rows[rank] = Row{static_cast<std::uint32_t>(begin),
                     static_cast<std::uint32_t>(bytes.size() - begin), true};
  }
  if (rows.empty()) {
    return Error{ErrorKind::kCorrupt, "rank file holds no tokens", ""};
  }
  TokenBytes tokens;
  tokens.reserve(rows.size(), bytes.size());
  for (const Row& row : rows) {
    tokens.add(std::string_view(bytes).substr(row.begin, row.size));
  }
  return tokens;
}

std::optional<WordCut> cut_of_encoding(std::string_view name,
                                       std::uint32_t rank_count) {
  for (const EncodingRow& row : kEncodings) {
    if (row.rank_count != 0 && row.rank_count == rank_count) {
      return WordCut{row.pattern, row.regex};
    }
  }
  for (const EncodingRow& row : kEncodings) {
    if (name.find(row.name) != std::string_view::npos) {
      return WordCut{row.pattern, row.regex};
    }
  }
  return std::nullopt;
}

}  // namespace trainsight::tokenize
