#include "scan/csv_dialect.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "scan/text_lines_reader.h"

namespace trainsight::scan {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighs = 0x8080808080808080u;

// High bit of each byte of `word` that is zero; exact for the lowest one.
std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - kOnes) & ~word & kHighs;
}

// Offset of the first `a` or `b` at or after `at`, or the size: eight bytes at
// a time, since fields are short and a call of memchr costs more than them.
std::size_t find_either(std::string_view text, std::size_t at, char a, char b) {
  const std::uint64_t as = kOnes * static_cast<unsigned char>(a);
  const std::uint64_t bs = kOnes * static_cast<unsigned char>(b);
  while (text.size() - at >= 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    const std::uint64_t hits = zero_bytes(word ^ as) | zero_bytes(word ^ bs);
    if (hits != 0) {
      return at + static_cast<std::size_t>(__builtin_ctzll(hits)) / 8;
    }
    at += 8;
  }
  while (at < text.size() && text[at] != a && text[at] != b) ++at;
  return at;
}

// The end of a quoted field's quoted part: the offset of its closing quote, or
// kNone. `doubled` says that a quote stands for itself before it.
std::size_t closing_quote(std::string_view text, std::size_t at,
                          bool& doubled) {
  while (true) {
    const std::size_t quote = text.find('"', at);
    if (quote == kNone) return kNone;
    if (quote + 1 >= text.size() || text[quote + 1] != '"') return quote;
    doubled = true;
    at = quote + 2;
  }
}

std::uint64_t count_of(std::string_view text, char byte) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), byte));
}

/// The whole records in the first part of a file, as fields of text.
std::vector<std::vector<std::string>> first_records(std::string_view head,
                                                    const CsvDialect& dialect,
                                                    std::size_t most) {
  std::vector<std::vector<std::string>> records;
  std::vector<CsvField> fields;
  std::size_t at = 0;
  while (at < head.size() && records.size() < most) {
    CsvRecordEnd end;
    const bool closed = split_csv_record(head, at, dialect, fields, end);
    // The last record may be cut by the end of what is looked at.
    if (!closed || (!end.terminated && !records.empty())) break;
    if (fields.size() == 1 && fields[0].bytes.empty()) continue;
    std::vector<std::string>& texts = records.emplace_back();
    for (const CsvField& field : fields) {
      std::string& text = texts.emplace_back();
      if (field.has_quotes) {
        append_unquoted(field.bytes, text);
      } else {
        text = field.bytes;
      }
    }
  }
  return records;
}

// A short text of up to three words of letters, digits, _ - . /
bool is_name_like(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  std::size_t spaces = 0;
  bool has_letter = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      ++spaces;
    } else if (std::isalpha(byte) != 0) {
      has_letter = true;
    } else if (std::isdigit(byte) == 0 && std::strchr("_-./", c) == nullptr) {
      return false;
    }
  }
  return has_letter && spaces <= 2;
}

constexpr std::string_view kUsualNames[] = {
    "text",     "content",  "prompt",   "completion",  "response", "question",
    "answer",   "input",    "output",   "instruction", "context",  "label",
    "labels",   "target",   "source",   "chosen",      "rejected", "messages",
    "id",       "idx",      "index",    "system",      "query",    "rationale",
    "category", "sentence", "document", "title",       "score",    "summary"};

bool is_usual_name(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::find(std::begin(kUsualNames), std::end(kUsualNames), lower) !=
         std::end(kUsualNames);
}

}  // namespace

bool split_csv_record(std::string_view text, std::size_t& at,
                      const CsvDialect& dialect, std::vector<CsvField>& fields,
                      CsvRecordEnd& end) {
  fields.clear();
  end = CsvRecordEnd{};
  while (true) {
    CsvField& field = fields.emplace_back();
    std::size_t begin = at;
    std::size_t stop = at;
    if (dialect.quoting && at < text.size() && text[at] == '"') {
      const std::size_t close = closing_quote(text, at + 1, field.has_quotes);
      const std::size_t inside_end = std::min(close, text.size());
      ++begin;
      end.line_ends +=
          count_of(text.substr(begin, inside_end - begin), dialect.terminator);
      if (close == kNone) {
        field.bytes = text.substr(begin);
        at = text.size();
        return false;
      }
      stop =
          find_either(text, close + 1, dialect.delimiter, dialect.terminator);
      const std::size_t behind = stop - close - 1;
      const bool only_cr = behind == 1 && text[close + 1] == '\r' &&
                           stop < text.size() && text[stop] == '\n';
      if (behind == 0 || only_cr) {
        field.bytes = text.substr(begin, close - begin);
        end.cr = only_cr;
      } else {
        field.bytes = text.substr(begin, stop - begin);
        field.has_quotes = true;
      }
    } else {
      stop = find_either(text, at, dialect.delimiter, dialect.terminator);
      field.bytes = text.substr(begin, stop - begin);
    }
    const bool at_end = stop >= text.size();
    at = std::min(stop + 1, text.size());
    if (!at_end && text[stop] != dialect.terminator) continue;
    if (!at_end) {
      end.terminated = true;
      ++end.line_ends;
    }
    if (dialect.terminator == '\n' && !field.bytes.empty() && !end.cr &&
        field.bytes.back() == '\r' && stop > begin && text[stop - 1] == '\r') {
      field.bytes.remove_suffix(1);
      end.cr = true;
    }
    return true;
  }
}

void append_unquoted(std::string_view field, std::string& out) {
  bool closed = false;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const bool quote = field[i] == '"' && !closed;
    if (quote && i + 1 < field.size() && field[i + 1] == '"') {
      ++i;
    } else if (quote) {
      closed = true;
      continue;
    }
    out.push_back(field[i]);
  }
}

CsvDialect csv_dialect_of(std::string_view head) {
  CsvDialect dialect;
  dialect.terminator = line_terminator(head);
  std::size_t most = 1;
  for (const char candidate : {',', ';', '\t', '|'}) {
    const auto records =
        first_records(head, {candidate, dialect.terminator, true}, 1);
    const std::size_t fields = records.empty() ? 0 : records[0].size();
    if (fields <= most) continue;
    dialect.delimiter = candidate;
    if (candidate == ',') return dialect;
    most = fields;
  }
  return dialect;
}

CsvDialect tsv_dialect_of(std::string_view head) {
  const CsvDialect plain{'\t', line_terminator(head), false};
  const CsvDialect quoted{'\t', plain.terminator, true};
  if (head.find('"') == kNone) return plain;
  std::vector<CsvField> fields;
  std::size_t at = 0;
  std::size_t width = 0;
  bool any = false;
  while (at < head.size()) {
    CsvRecordEnd end;
    const bool closed = split_csv_record(head, at, quoted, fields, end);
    if (!closed || !end.terminated) break;  // cut by the end of the look
    if (width != 0 && fields.size() != width) return plain;
    width = fields.size();
    for (const CsvField& field : fields) {
      const bool opened =
          field.bytes.data() > head.data() && field.bytes.data()[-1] == '"';
      any = any || opened;
      if (!opened && field.bytes.find('"') != kNone) return plain;
      // Bytes behind a closing quote: a quoted field ends with its quote.
      const char* const behind = field.bytes.data() + field.bytes.size();
      if (opened && (behind >= head.data() + head.size() || *behind != '"')) {
        return plain;
      }
    }
  }
  return any ? quoted : plain;
}

bool has_tsv_header(std::string_view head, const CsvDialect& dialect) {
  constexpr std::size_t kLookRecords = 50;
  const auto records = first_records(head, dialect, kLookRecords);
  if (records.empty()) return false;
  std::vector<std::string> names = records[0];
  bool usual = false;
  for (const std::string& name : names) {
    if (!is_name_like(name)) return false;
    usual = usual || is_usual_name(name);
  }
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
    return false;
  }
  if (usual || records.size() == 1) return usual;
  for (std::size_t column = 0; column < records[0].size(); ++column) {
    bool differs = true;
    for (std::size_t i = 1; i < records.size() && differs; ++i) {
      differs = column < records[i].size() && !is_name_like(records[i][column]);
    }
    if (differs) return true;
  }
  return false;
}

}  // namespace trainsight::scan
