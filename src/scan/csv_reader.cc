#include "scan/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scan/csv_dialect.h"
#include "scan/csv_splitter.h"
#include "scan/record_chunker.h"
#include "scan/tape_finish.h"
#include "scan/text_fault.h"
#include "scan/text_lines_reader.h"
#include "trainsight/text/json_text.h"
#include "trainsight/text/utf8.h"

namespace trainsight::scan {
namespace {

constexpr std::size_t kMaxFirstBlankLines = 8;
// How much of a file is looked at to tell how it is written.
constexpr std::size_t kLookBytes = 1 << 20;

/// What the batches of one file share.
struct CsvLayout {
  CsvDialect dialect;
  std::vector<std::string> columns;
  std::uint64_t max_record_bytes = 0;
  const io::ByteSource* source = nullptr;
};

/// The tape of one row, its keys and skeleton set once.
class CsvRow {
 public:
  explicit CsvRow(const std::vector<std::string>& columns)
      : tape_(columns.size() + 1) {
    const auto count = static_cast<std::uint32_t>(columns.size());
    tape_[0].kind = ValueKind::kObject;
    tape_[0].count = count;
    tape_[0].next = count + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      tape_[i + 1].key = columns[i];
      tape_[i + 1].kind = ValueKind::kText;
      tape_[i + 1].next = i + 2;
    }
    FinishScratch scratch;
    view_.skeleton = finish_tape(tape_, scratch);
    view_.values = tape_;
  }

  // REQUIRES: as many fields as columns.
  RowView& fill(const std::vector<CsvField>& fields) {
    std::size_t quoted_bytes = 0;
    for (const CsvField& field : fields) {
      if (field.has_quotes) quoted_bytes += field.bytes.size();
    }
    unquoted_.clear();
    unquoted_.reserve(quoted_bytes);  // so that no text moves below
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Value& value = tape_[i + 1];
      value.data = fields[i].bytes.data();
      value.bytes = fields[i].bytes.size();
      if (!fields[i].has_quotes) continue;
      const std::size_t begin = unquoted_.size();
      append_unquoted(fields[i].bytes, unquoted_);
      value.data = unquoted_.data() + begin;
      value.bytes = unquoted_.size() - begin;
    }
    return view_;
  }

 private:
  std::vector<Value> tape_;
  std::string unquoted_;
  RowView view_;
};

class CsvBatch final : public RowBatch {
 public:
  CsvBatch(RecordChunker::Chunk chunk, const CsvLayout& layout)
      : chunk_(std::move(chunk)), layout_(layout), row_(layout.columns) {}

  Result<BatchFacts> decode(DecodeScratch&, RowVisitor& visitor) override {
    visitor_ = &visitor;
    facts_.bytes = chunk_.bytes;
    if (chunk_.too_long) {
      facts_.lines = std::max<std::uint64_t>(chunk_.line_feeds, 1);
      line_ = 1;
      bad(BadRecordKind::kTooLong, 0, chunk_.bytes, too_long(chunk_.bytes));
      return facts_;
    }
    const std::string_view bytes = chunk_.piece.bytes;
    clean_ = is_clean_text(bytes);
    std::size_t at = 0;
    while (at < bytes.size()) {
      const std::size_t begin = at;
      CsvRecordEnd end;
      const bool closed =
          split_csv_record(bytes, at, layout_.dialect, fields_, end);
      line_ = facts_.lines + 1;
      facts_.lines += end.line_ends + (end.terminated ? 0 : 1);
      facts_.ends_with_newline = end.terminated;
      if (end.cr) ++facts_.crlf_lines;
      give(begin, bytes.substr(begin, at - begin), closed);
    }
    if (layout_.source->is_mapped()) {
      const Status unchanged = layout_.source->check();
      if (!unchanged) return unchanged.error();
      layout_.source->release(chunk_.piece.offset,
                              chunk_.piece.offset + chunk_.bytes);
    }
    return facts_;
  }

 private:
  [[nodiscard]] std::string too_long(std::uint64_t bytes) const {
    return fmt::format("{} bytes, over the limit of {}", bytes,
                       layout_.max_record_bytes);
  }

  void bad(BadRecordKind kind, std::uint64_t begin, std::uint64_t bytes,
           std::string message) {
    BadRecord record;
    record.kind = kind;
    record.line = line_;
    record.offset = chunk_.piece.offset + begin;
    record.bytes = bytes;
    record.message = std::move(message);
    if (!chunk_.too_long) {
      record.raw = chunk_.piece.bytes.substr(begin, bytes);
    }
    visitor_->bad_record(record);
  }

  void give(std::size_t begin, std::string_view record, bool closed) {
    // White space alone could be a value of a table of one column.
    if (fields_.size() == 1 && record.front() != '"' &&
        (fields_[0].bytes.empty() ||
         (layout_.columns.size() > 1 &&
          text::is_blank({record, text::Encoding::kUtf8})))) {
      ++facts_.blank_lines;
      ++facts_.trailing_blank_lines;
      if (facts_.first_blank_lines.size() < kMaxFirstBlankLines) {
        facts_.first_blank_lines.push_back(line_);
      }
      return;
    }
    facts_.trailing_blank_lines = 0;
    if (record.size() > layout_.max_record_bytes) {
      return bad(BadRecordKind::kTooLong, begin, record.size(),
                 too_long(record.size()));
    }
    if (!closed) {
      return bad(BadRecordKind::kQuote, begin, record.size(),
                 "a quoted field is not closed before the file ends");
    }
    if (fields_.size() != layout_.columns.size()) {
      return bad(BadRecordKind::kFieldCount, begin, record.size(),
                 fmt::format("{} fields, the header has {}", fields_.size(),
                             layout_.columns.size()));
    }
    if (!clean_) {
      std::optional<BadRecord> fault = text_fault(record);
      if (fault) {
        fault->line = line_;
        fault->offset = chunk_.piece.offset + begin;
        fault->bytes = record.size();
        fault->raw = record;
        return visitor_->bad_record(*fault);
      }
    }
    RowView& row = row_.fill(fields_);
    row.raw = record;
    row.line = line_;
    row.offset = chunk_.piece.offset + begin;
    visitor_->row(row);
    ++row.row;
  }

  RecordChunker::Chunk chunk_;
  const CsvLayout& layout_;
  CsvRow row_;
  std::vector<CsvField> fields_;
  RowVisitor* visitor_ = nullptr;
  BatchFacts facts_;
  std::uint64_t line_ = 0;
  bool clean_ = false;
};

/// The lines of the header, which hold no row.
class HeaderBatch final : public RowBatch {
 public:
  explicit HeaderBatch(BatchFacts facts) : facts_(std::move(facts)) {}
  Result<BatchFacts> decode(DecodeScratch&, RowVisitor&) override {
    return facts_;
  }

 private:
  BatchFacts facts_;
};

class CsvReader final : public Reader {
 public:
  CsvReader(std::unique_ptr<io::ByteSource> source, const ReadOptions& options,
            bool tabs)
      : tabs_(tabs),
        max_columns_(options.max_values),
        chunker_(std::move(source), make_line_splitter('\n'), options) {
    layout_.max_record_bytes = options.max_record_bytes;
    layout_.source = &chunker_.window().source();
  }

  Result<std::unique_ptr<RowBatch>> next() override {
    if (!started_) {
      started_ = true;
      Result<std::unique_ptr<RowBatch>> header = start();
      if (!header || *header != nullptr) return header;
    }
    Result<std::optional<RecordChunker::Chunk>> chunk = chunker_.next();
    if (!chunk) return chunk.error();
    if (!chunk->has_value()) return std::unique_ptr<RowBatch>();
    return std::unique_ptr<RowBatch>(
        std::make_unique<CsvBatch>(*std::move(*chunk), layout_));
  }
  [[nodiscard]] const std::vector<FileNote>& notes() const override {
    return notes_;
  }
  [[nodiscard]] std::string_view format() const override {
    return tabs_ ? "tsv" : "csv";
  }
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return chunker_.window().offset();
  }

 private:
  // Finds the dialect and the columns; the batch of the header, or nullptr.
  Result<std::unique_ptr<RowBatch>> start() {
    ByteWindow& window = chunker_.window();
    const Status mark = take_byte_order_mark(window, notes_);
    if (!mark) return mark.error();
    const Result<std::string_view> front = window.peek(kLookBytes);
    if (!front) return front.error();
    const std::string_view head = *front;
    if (head.empty()) return std::unique_ptr<RowBatch>();
    layout_.dialect = tabs_ ? tsv_dialect_of(head) : csv_dialect_of(head);
    note_dialect();
    if (layout_.dialect.quoting) {
      chunker_.set_splitter(make_csv_splitter(layout_.dialect));
    } else {
      chunker_.set_splitter(make_line_splitter(layout_.dialect.terminator));
    }
    return take_header(window, head);
  }

  void note_dialect() {
    if (layout_.dialect.terminator == '\r') notes_.push_back(lone_cr_note());
    if (tabs_ || layout_.dialect.delimiter == ',') return;
    const std::string_view name =
        layout_.dialect.delimiter == '\t'
            ? "tabs"
            : (layout_.dialect.delimiter == ';' ? "semicolons" : "bars");
    notes_.push_back({FileNote::Kind::kNameMismatch, 1, 0,
                      fmt::format("its fields are separated by {}: loaders of "
                                  "CSV see one column",
                                  name)});
  }

  Result<std::unique_ptr<RowBatch>> take_header(ByteWindow& window,
                                                std::string_view head) {
    std::vector<CsvField> fields;
    BatchFacts facts;
    std::size_t at = 0;
    bool found = false;
    bool complete = false;
    while (at < head.size() && !found) {  // blank lines may stand before it
      CsvRecordEnd end;
      const std::size_t begin = at;
      const bool closed =
          split_csv_record(head, at, layout_.dialect, fields, end);
      found =
          fields.size() > 1 || !fields[0].bytes.empty() || head[begin] == '"';
      complete = closed && (end.terminated || head.size() < kLookBytes);
      facts.lines += end.line_ends + (end.terminated ? 0 : 1);
      if (end.cr) ++facts.crlf_lines;
      if (!found) {
        ++facts.blank_lines;
        if (facts.first_blank_lines.size() < kMaxFirstBlankLines) {
          facts.first_blank_lines.push_back(facts.lines);
        }
      }
    }
    if (!found) {
      layout_.columns.emplace_back();
      return std::unique_ptr<RowBatch>();
    }
    if (!complete || fields.size() > max_columns_) {
      return Error{
          ErrorKind::kLimit,
          fmt::format("cannot read {}: its first record is over {} "
                      "bytes or {} fields, or a quote in it is not "
                      "closed",
                      window.source().name(), kLookBytes, max_columns_),
          "check the quotes in its first lines"};
    }
    if (tabs_ && !has_tsv_header(head, layout_.dialect)) {
      number_columns(fields.size());
      return std::unique_ptr<RowBatch>();
    }
    for (const CsvField& field : fields) {
      std::string& name = layout_.columns.emplace_back();
      append_name(field, name);
    }
    facts.bytes = at;
    facts.ends_with_newline = head[at - 1] == layout_.dialect.terminator;
    window.take(at);
    return std::unique_ptr<RowBatch>(
        std::make_unique<HeaderBatch>(std::move(facts)));
  }

  static void append_name(const CsvField& field, std::string& name) {
    std::string text;
    if (field.has_quotes) {
      append_unquoted(field.bytes, text);
    } else {
      text = field.bytes;
    }
    text::append_repaired_utf8(text, name);
  }

  void number_columns(std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i) {
      layout_.columns.push_back(fmt::format("column_{}", i));
    }
    notes_.push_back({FileNote::Kind::kNoHeader, 1, 0,
                      fmt::format("no header: the {} columns are called "
                                  "column_1 to column_{}",
                                  count, count)});
  }

  bool tabs_;
  std::size_t max_columns_;
  RecordChunker chunker_;
  CsvLayout layout_;
  bool started_ = false;
  std::vector<FileNote> notes_;
};

bool begins_like_a_table(std::string_view head) {
  if (head.find('\0') != std::string_view::npos) return false;
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first == std::string_view::npos ||
         (head[first] != '{' && head[first] != '[' && head[first] != '<');
}

}  // namespace

Likeness sniff_csv(const FileHead& head) {
  return has_extension(head.name, ".csv") && begins_like_a_table(head.bytes)
             ? Likeness::kNamed
             : Likeness::kNo;
}

Likeness sniff_tsv(const FileHead& head) {
  const bool named =
      has_extension(head.name, ".tsv") || has_extension(head.name, ".tab");
  return named && begins_like_a_table(head.bytes) ? Likeness::kNamed
                                                  : Likeness::kNo;
}

Result<std::unique_ptr<Reader>> open_csv(std::unique_ptr<io::ByteSource> source,
                                         const ReadOptions& options) {
  return std::unique_ptr<Reader>(
      std::make_unique<CsvReader>(std::move(source), options, false));
}

Result<std::unique_ptr<Reader>> open_tsv(std::unique_ptr<io::ByteSource> source,
                                         const ReadOptions& options) {
  return std::unique_ptr<Reader>(
      std::make_unique<CsvReader>(std::move(source), options, true));
}

}  // namespace trainsight::scan
