#include "fixer.h"

#include <fmt/format.h>

#include <algorithm>

#include "repair.h"
#include "trainsight/scan/json_document.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::cli {
namespace {

constexpr std::size_t kLinesShown = 5;
constexpr std::string_view kMark = "\xEF\xBB\xBF";

struct ChangeName {
  std::string_view id;  // as JSON says it
  std::string_view text;
};
constexpr std::array<ChangeName, kChangeCount> kChangeNames = {{
    {"byte_order_mark", "byte order marks removed"},
    {"blank_line", "blank lines removed"},
    {"crlf", "CR LF line ends made LF"},
    {"lone_cr", "records that ended in CR alone put on lines"},
    {"array", "rows of a JSON array put on lines"},
    {"object_map",
     "rows of a JSON object put on lines, without what is around"},
    {"layout", "records of several lines put on one"},
    {"split_line", "lines of several objects split"},
    {"split_list", "arrays on a line split into their objects"},
    {"comma", "lines that had commas after a record"},
    {"unclosed", "document that ended without its closing bracket"},
    {"decoded_messages", "message lists decoded from strings"},
    {"last_newline", "line end added at the end of the file"},
    {"duplicate", "exact duplicates dropped"},
    {"left", "records left as they are: no safe repair"},
}};

std::string_view without_line_end(std::string_view record) {
  while (!record.empty() && (record.back() == '\n' || record.back() == '\r')) {
    record.remove_suffix(1);
  }
  return record;
}

// The record's line, with message lists decoded; whether they were.
std::string line_of(std::string_view record, bool& decoded) {
  // A look at the bytes saves most records a second parse.
  if (record.find("messages") != std::string_view::npos ||
      record.find("conversations") != std::string_view::npos ||
      record.find('\\') != std::string_view::npos) {
    const auto document = scan::JsonDocument::parse(record, "record");
    if (document) {
      if (auto line = decode_messages(document->view())) {
        decoded = true;
        return *std::move(line);
      }
    }
  }
  decoded = false;
  return on_one_line(record);
}

}  // namespace

void Changes::add(Change change, std::uint64_t line, std::uint64_t count) {
  Entry& entry = entries_[static_cast<std::size_t>(change)];
  entry.count += count;
  if (line == 0 || entry.lines.size() >= kPlacesKept) return;
  // In order but for what a reader notes at the end: a mark at the beginning.
  entry.lines.insert(
      std::upper_bound(entry.lines.begin(), entry.lines.end(), line), line);
}

std::string Changes::text() const {
  std::string out;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.count == 0) continue;
    out += fmt::format("  {:>9}  {}\n", entry.count, kChangeNames[i].text);
    if (entry.lines.empty()) continue;
    const std::size_t shown = std::min(kLinesShown, entry.lines.size());
    out += fmt::format(
        "             line {}{}\n",
        fmt::join(entry.lines.begin(),
                  entry.lines.begin() + static_cast<std::ptrdiff_t>(shown),
                  ", "),
        entry.count > shown ? ", …" : "");
  }
  return out.empty() ? "  nothing to repair\n" : out;
}

std::string Changes::json() const {
  std::string out;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].count == 0) continue;
    if (!out.empty()) out += ',';
    out += fmt::format(
        "{{\"change\":\"{}\",\"text\":\"{}\",\"count\":{},\"lines\":[{}]}}",
        kChangeNames[i].id, kChangeNames[i].text, entries_[i].count,
        fmt::join(entries_[i].lines, ","));
  }
  return "[" + out + "]";
}

void Fixer::write(std::string_view line) {
  if (!status_) return;
  ++written_;
  status_ = sink_(line);
  if (status_) status_ = sink_("\n");
}

std::string Fixer::line_at(const Place& place) const {
  bool decoded = false;
  return line_of(view_(place.offset, place.bytes), decoded);
}

// Duplicates are lines of the output that are the same, so that a second pass
// finds none. The hash finds candidates; the bytes decide.
bool Fixer::is_duplicate(std::string_view line, const Place& place) {
  const std::uint64_t hash = text::xxh64(line);
  const auto candidates = seen_.equal_range(hash);
  for (auto at = candidates.first; at != candidates.second; ++at) {
    if (line_at(at->second) == line) return true;
  }
  seen_.emplace(hash, place);
  return false;
}

void Fixer::write_record(std::string_view text, bool decoded,
                         const Place& place, std::uint64_t line) {
  if (options_.drop_duplicates && is_duplicate(text, place)) {
    changes_.add(Change::kDuplicate, line);
    return;
  }
  if (decoded) changes_.add(Change::kDecodedMessages, line);
  write(text);
}

void Fixer::row(const scan::RowView& row) {
  const std::uint64_t line = line_base_ + row.line;
  ++rows_;
  const std::string_view record = without_line_end(row.raw);
  if (record.find('\n') != std::string_view::npos) {
    changes_.add(Change::kLayout, line);
  }
  const std::optional<std::string> decoded = decode_messages(row);
  write_record(decoded.has_value() ? *decoded : on_one_line(record),
               decoded.has_value(), {row.offset, record.size()}, line);
}

// What a document's brackets and commas have wrong between its rows: a reader
// gives these as records of one byte or none.
bool Fixer::fault_of_document(const scan::BadRecord& bad, std::uint64_t line) {
  using Kind = scan::BadRecordKind;
  if (!options_.is_document || bad.bytes > 1) return false;
  if (bad.kind == Kind::kTruncated) {
    changes_.add(Change::kUnclosed, 0);
  } else if (bad.kind == Kind::kSyntax) {
    changes_.add(Change::kComma, line);
  } else if (bad.kind == Kind::kTrailing) {
    if (status_) {
      status_ = Error{ErrorKind::kCorrupt,
                      fmt::format("line {}: {}", line, bad.message),
                      "what follows may hold rows: make it a file of its own"};
    }
  } else {
    return false;
  }
  return true;
}

void Fixer::bad_record(const scan::BadRecord& bad) {
  const std::uint64_t line = line_base_ + bad.line;
  if (fault_of_document(bad, line)) return;
  const std::string_view record =
      without_line_end(view_(bad.offset, bad.bytes));
  const auto parts = parts_of_line(record);
  if (!parts.has_value()) {
    // Not ours to judge: it stays, for people to look at. On one line, so that
    // nothing inside it is taken for a row of its own.
    changes_.add(Change::kLeft, line);
    const bool is_long = record.find('\n') != std::string_view::npos;
    if (is_long) changes_.add(Change::kLayout, line);
    std::string kept = is_long ? on_one_line(record) : std::string(record);
    while (kept.compare(0, kMark.size(), kMark) == 0) {
      changes_.add(Change::kByteOrderMark, line);
      kept.erase(0, kMark.size());
      if (is_long) kept = on_one_line(kept);
    }
    write(kept);
    return;
  }
  if (parts->had_mark) changes_.add(Change::kByteOrderMark, line);
  if (parts->had_comma) changes_.add(Change::kComma, line);
  if (parts->had_list) {
    changes_.add(Change::kSplitList, line);
  } else if (parts->objects.size() > 1) {
    changes_.add(Change::kSplitLine, line);
  }
  for (const std::string_view object : parts->objects) {
    const auto within =
        static_cast<std::uint64_t>(object.data() - record.data());
    bool decoded = false;
    const std::string text = line_of(object, decoded);
    write_record(text, decoded, {bad.offset + within, object.size()}, line);
  }
}

void Fixer::end_of_batch(const scan::BatchFacts& facts) {
  std::uint64_t unplaced = facts.blank_lines;
  for (const std::uint64_t line : facts.first_blank_lines) {
    changes_.add(Change::kBlankLine, line_base_ + line);
    --unplaced;
  }
  changes_.add(Change::kBlankLine, 0, unplaced);
  changes_.add(Change::kCrLf, 0, facts.crlf_lines);
  line_base_ += facts.lines;
  ends_with_newline_ = facts.ends_with_newline;
}

void Fixer::end_of_file(const std::vector<scan::FileNote>& notes) {
  using Kind = scan::FileNote::Kind;
  bool is_array = options_.is_document;
  for (const scan::FileNote& note : notes) {
    if (note.kind == Kind::kBom) {
      changes_.add(Change::kByteOrderMark, note.line);
    } else if (note.kind == Kind::kLoneCr) {
      changes_.add(Change::kLoneCr, 0, rows_);
    } else if (note.kind == Kind::kObjectMap) {
      changes_.add(Change::kObjectMap, 0, rows_);
    }
    if (note.kind == Kind::kObjectMap || note.kind == Kind::kSingleObject ||
        note.kind == Kind::kConcatenated) {
      is_array = false;
    }
  }
  if (is_array) changes_.add(Change::kArray, 0, rows_);
  if (!options_.is_document && !ends_with_newline_ && written_ > 0) {
    changes_.add(Change::kLastNewline, 0);
  }
}

}  // namespace trainsight::cli
