#include "scan/text_lines_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "scan/tape_finish.h"
#include "scan/text_fault.h"
#include "trainsight/text/json_text.h"

namespace trainsight::scan {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// How much of a file is looked at to tell how its lines end.
constexpr std::size_t kLookBytes = 64 << 10;
constexpr std::size_t kMaxFirstBlankLines = 8;

class LineSplitter final : public RecordSplitter {
 public:
  explicit LineSplitter(char terminator) : terminator_(terminator) {}
  void restart() override {}
  std::size_t last_end(std::string_view bytes) override {
    // rfind() looks at one byte after the other.
    const void* const last = ::memrchr(bytes.data(), terminator_, bytes.size());
    if (last == nullptr) return 0;
    return static_cast<std::size_t>(static_cast<const char*>(last) -
                                    bytes.data()) +
           1;
  }
  std::size_t first_end(std::string_view bytes) override {
    return bytes.find(terminator_) + 1;
  }

 private:
  char terminator_;
};

// No record ends before the source does.
class WholeFileSplitter final : public RecordSplitter {
 public:
  void restart() override {}
  std::size_t last_end(std::string_view) override { return 0; }
  std::size_t first_end(std::string_view) override { return 0; }
};

/// The tape of {"text": ...}, made once and pointed at one text after another.
class TextRow {
 public:
  TextRow() {
    tape_[0].kind = ValueKind::kObject;
    tape_[0].count = 1;
    tape_[0].next = 2;
    tape_[1].key = "text";
    tape_[1].kind = ValueKind::kText;
    tape_[1].next = 2;
    view_.values = tape_;
    FinishScratch scratch;
    view_.skeleton = finish_tape(tape_, scratch);
  }
  RowView& point_at(std::string_view text) {
    tape_[1].data = text.data();
    tape_[1].bytes = text.size();
    view_.raw = text;
    return view_;
  }

 private:
  Value tape_[2];
  RowView view_;
};

class TextBatch final : public RowBatch {
 public:
  TextBatch(RecordChunker::Chunk chunk, char terminator, bool by_line,
            std::uint64_t max_record_bytes, const io::ByteSource& source)
      : chunk_(std::move(chunk)),
        terminator_(terminator),
        by_line_(by_line),
        max_record_bytes_(max_record_bytes),
        source_(source) {}

  Result<BatchFacts> decode(DecodeScratch&, RowVisitor& visitor) override {
    BatchFacts facts;
    facts.bytes = chunk_.bytes;
    const std::string_view bytes = chunk_.piece.bytes;
    if (chunk_.too_long) {
      facts.lines =
          std::max<std::uint64_t>(by_line_ ? 1 : chunk_.line_feeds, 1);
      too_long(visitor, 1, chunk_.piece.offset, chunk_.bytes);
      return facts;
    }
    clean_ = is_clean_text(bytes);
    std::size_t at = 0;
    while (at < bytes.size()) {
      std::size_t end = by_line_ ? bytes.find(terminator_, at) : bytes.size();
      facts.ends_with_newline = end != std::string_view::npos;
      if (!by_line_) facts.ends_with_newline = bytes.back() == terminator_;
      const std::size_t next = std::min(end, bytes.size() - 1) + 1;
      end = std::min(end, bytes.size());
      ++facts.lines;
      give_line(bytes.substr(at, end - at), chunk_.piece.offset + at, facts,
                visitor);
      at = next;
    }
    if (!by_line_) {
      facts.lines = static_cast<std::uint64_t>(
          std::count(bytes.begin(), bytes.end(), terminator_));
      if (!facts.ends_with_newline) ++facts.lines;
    }
    if (source_.is_mapped()) {
      const Status unchanged = source_.check();
      if (!unchanged) return unchanged.error();
      source_.release(chunk_.piece.offset, chunk_.piece.offset + chunk_.bytes);
    }
    return facts;
  }

 private:
  void too_long(RowVisitor& visitor, std::uint64_t line, std::uint64_t offset,
                std::uint64_t bytes) {
    BadRecord bad;
    bad.kind = BadRecordKind::kTooLong;
    bad.line = line;
    bad.offset = offset;
    bad.bytes = bytes;
    bad.message =
        fmt::format("{} bytes, over the limit of {}", bytes, max_record_bytes_);
    visitor.bad_record(bad);
  }

  void give_line(std::string_view line, std::uint64_t offset, BatchFacts& facts,
                 RowVisitor& visitor) {
    if (by_line_ && !line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
      ++facts.crlf_lines;
    }
    if (by_line_ && text::is_blank({line, text::Encoding::kUtf8})) {
      ++facts.blank_lines;
      ++facts.trailing_blank_lines;
      if (facts.first_blank_lines.size() < kMaxFirstBlankLines) {
        facts.first_blank_lines.push_back(facts.lines);
      }
      return;
    }
    facts.trailing_blank_lines = 0;
    if (line.size() > max_record_bytes_) {
      return too_long(visitor, facts.lines, offset, line.size());
    }
    if (!clean_) {
      std::optional<BadRecord> bad = text_fault(line);
      if (bad) {
        bad->line = facts.lines;
        bad->offset = offset;
        bad->bytes = line.size();
        bad->raw = line;
        return visitor.bad_record(*bad);
      }
    }
    RowView& row = row_.point_at(line);
    row.line = facts.lines;
    row.offset = offset;
    visitor.row(row);
    ++row.row;
  }

  RecordChunker::Chunk chunk_;
  char terminator_;
  bool by_line_;
  std::uint64_t max_record_bytes_;
  const io::ByteSource& source_;
  TextRow row_;
  bool clean_ = false;
};

class TextLinesReader final : public Reader {
 public:
  TextLinesReader(std::unique_ptr<io::ByteSource> source,
                  const ReadOptions& options)
      : options_(options),
        chunker_(std::move(source), make_line_splitter('\n'), options) {}

  Result<std::unique_ptr<RowBatch>> next() override {
    if (!started_) {
      const Status status = start();
      if (!status) return status.error();
    }
    Result<std::optional<RecordChunker::Chunk>> chunk = chunker_.next();
    if (!chunk) return chunk.error();
    if (!chunk->has_value()) return std::unique_ptr<RowBatch>();
    return std::unique_ptr<RowBatch>(std::make_unique<TextBatch>(
        *std::move(*chunk), terminator_, !options_.text_is_one_document,
        options_.max_record_bytes, chunker_.window().source()));
  }
  [[nodiscard]] const std::vector<FileNote>& notes() const override {
    return notes_;
  }
  [[nodiscard]] std::string_view format() const override { return "text"; }
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return chunker_.window().offset();
  }

 private:
  Status start() {
    started_ = true;
    Status mark = take_byte_order_mark(chunker_.window(), notes_);
    if (!mark) return mark;
    const Result<std::string_view> head = chunker_.window().peek(kLookBytes);
    if (!head) return head.error();
    terminator_ = line_terminator(*head);
    if (terminator_ == '\r') notes_.push_back(lone_cr_note());
    if (options_.text_is_one_document) {
      chunker_.set_splitter(std::make_unique<WholeFileSplitter>());
    } else {
      chunker_.set_splitter(make_line_splitter(terminator_));
    }
    return {};
  }

  ReadOptions options_;
  RecordChunker chunker_;
  char terminator_ = '\n';
  bool started_ = false;
  std::vector<FileNote> notes_;
};

}  // namespace

std::unique_ptr<RecordSplitter> make_line_splitter(char terminator) {
  return std::make_unique<LineSplitter>(terminator);
}

char line_terminator(std::string_view head) {
  const bool has_lf = head.find('\n') != std::string_view::npos;
  const bool has_cr = head.find('\r') != std::string_view::npos;
  return has_cr && !has_lf ? '\r' : '\n';
}

FileNote lone_cr_note() {
  return {FileNote::Kind::kLoneCr, 0, 0,
          "lines end with CR alone: most loaders see one long line"};
}

Status take_byte_order_mark(ByteWindow& window, std::vector<FileNote>& notes) {
  const Result<std::string_view> front = window.peek(kByteOrderMark.size());
  if (!front) return front.error();
  if (*front != kByteOrderMark) return {};
  window.take(kByteOrderMark.size());
  notes.push_back({FileNote::Kind::kBom, 1, 0,
                   "a byte order mark: some loaders take it for a part of the "
                   "first name or text"});
  return {};
}

Likeness sniff_text_lines(const FileHead& head) {
  const bool named =
      has_extension(head.name, ".txt") || has_extension(head.name, ".text");
  const bool has_nul = head.bytes.find('\0') != std::string_view::npos;
  return named && !has_nul ? Likeness::kNamed : Likeness::kNo;
}

Result<std::unique_ptr<Reader>> open_text_lines(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  return std::unique_ptr<Reader>(
      std::make_unique<TextLinesReader>(std::move(source), options));
}

}  // namespace trainsight::scan
