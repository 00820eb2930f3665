#include "scan/json_document_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "scan/json_extent.h"
#include "scan/json_records.h"
#include "scan/json_sniff.h"
#include "scan/record_chunker.h"
#include "scan/text_lines_reader.h"

namespace trainsight::scan {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlank) == std::string_view::npos;
}

// Cuts behind the comma after a row, behind a value at the top, and behind the
// bracket that closes the document; after that, behind each line.
class RowSplitter final : public RecordSplitter {
 public:
  /// `opening`: bytes before the rows of a member (kMember), else 0.
  RowSplitter(JsonLayout layout, std::size_t opening)
      : layout_(layout), opening_left_(opening) {}

  /// The document's closing bracket has been passed.
  [[nodiscard]] bool is_closed() const { return closed_; }
  /// A row has begun that has not ended.
  [[nodiscard]] bool is_inside() const { return extent_.is_inside(); }
  /// Lines with something in them have been passed after the document.
  [[nodiscard]] bool has_tail() const { return has_tail_; }
  /// White space, and the document's bracket, since restart() and before the
  /// first row: bytes, and line ends among them.
  [[nodiscard]] std::uint64_t lead_bytes() const { return lead_bytes_; }
  [[nodiscard]] std::uint64_t lead_lines() const { return lead_lines_; }

  void restart() override {
    extent_ = JsonExtent();
    line_has_text_ = false;
    in_lead_ = true;
    lead_bytes_ = 0;
    lead_lines_ = 0;
  }

  std::size_t last_end(std::string_view bytes) override {
    std::size_t last = 0;
    for (std::size_t at = 0; at < bytes.size();) {
      if (find_end(bytes, at)) last = at;
    }
    return last;
  }

  std::size_t first_end(std::string_view bytes) override {
    for (std::size_t at = 0; at < bytes.size();) {
      if (find_end(bytes, at)) return at;
    }
    return 0;
  }

 private:
  // Moves `at` past the next end (true) or to the end of the bytes.
  bool find_end(std::string_view bytes, std::size_t& at) {
    if (closed_) return find_line_end(bytes, at);
    if (in_lead_) pass_lead(bytes, at);
    const JsonExtent::Stop stop = extent_.scan(bytes, at);
    const bool is_sequence = layout_ == JsonLayout::kSequence;
    if (stop == JsonExtent::Stop::kEnd) return false;
    if (stop == JsonExtent::Stop::kValue && !is_sequence) return false;
    closed_ = stop == JsonExtent::Stop::kClose && !is_sequence;
    return true;
  }

  bool find_line_end(std::string_view bytes, std::size_t& at) {
    const std::size_t begin = at;
    const std::size_t found = bytes.find('\n', at);
    at = found == std::string_view::npos ? bytes.size() : found + 1;
    line_has_text_ |= !is_blank(bytes.substr(begin, at - begin));
    if (found == std::string_view::npos) return false;
    has_tail_ |= line_has_text_;
    line_has_text_ = false;
    return true;
  }

  void pass_lead(std::string_view bytes, std::size_t& at) {
    for (; opening_left_ > 0 && at < bytes.size(); ++at, ++lead_bytes_) {
      if (bytes[at] == '\n') ++lead_lines_;
      if (--opening_left_ == 0) opened_ = true;
    }
    const bool has_bracket = layout_ != JsonLayout::kSequence;
    for (; at < bytes.size(); ++at, ++lead_bytes_) {
      if (bytes[at] == '\n') {
        ++lead_lines_;
      } else if (kBlank.find(bytes[at]) == std::string_view::npos) {
        in_lead_ = has_bracket && !opened_;
        opened_ = true;
        if (!in_lead_) return;
      }
    }
  }

  JsonLayout layout_;
  std::size_t opening_left_;
  JsonExtent extent_;
  bool opened_ = false;  // the document's own bracket was passed
  bool closed_ = false;  // and its partner
  bool has_tail_ = false;
  bool line_has_text_ = false;  // the line after the document, so far
  bool in_lead_ = true;
  std::uint64_t lead_bytes_ = 0;
  std::uint64_t lead_lines_ = 0;
};

// What the reader knows of a chunk.
struct ChunkPlace {
  JsonLayout layout = JsonLayout::kSequence;
  std::size_t opening = 0;   // bytes before the rows of a member
  bool is_first = false;     // holds the document's bracket
  bool is_closed = false;    // the document ended before
  bool has_tail = false;     // and what follows it was told already
  bool begins_line = false;  // its first byte begins a line
};

// Gives the rows of one chunk.
class ChunkDecoder {
 public:
  ChunkDecoder(std::string_view text, std::uint64_t offset,
               const ChunkPlace& place, const ReadOptions& options,
               JsonRecords& records, RowVisitor& visitor)
      : text_(text),
        offset_(offset),
        place_(place),
        max_record_bytes_(options.max_record_bytes),
        records_(records),
        visitor_(visitor) {
    facts_.lines = place.begins_line ? 1 : 0;
  }

  BatchFacts decode() {
    std::size_t at = 0;
    if (place_.is_closed) {
      tail(at);
    } else {
      if (place_.is_first && place_.layout != JsonLayout::kSequence) {
        at = place_.layout == JsonLayout::kMember
                 ? std::min(place_.opening, text_.size())
                 : std::min(text_.find_first_not_of(kBlank), text_.size() - 1) +
                       1;
      }
      after_comma_ = !place_.is_first;
      // The limit of a row counts what is before it in the chunk, as the cut
      // of the chunk does.
      for (std::size_t from = 0; at < text_.size(); from = at) {
        at = item(at, from);
      }
    }
    count_lines(text_.size());
    facts_.bytes = text_.size();
    facts_.ends_with_newline = text_.back() == '\n';
    // The line after the last line end begins in the next batch.
    if (facts_.ends_with_newline) --facts_.lines;
    return facts_;
  }

 private:
  // The item that begins at `begin`; the position behind what ends it. Its
  // length is measured from `from`.
  std::size_t item(std::size_t begin, std::size_t from) {
    const bool is_sequence = place_.layout == JsonLayout::kSequence;
    JsonExtent extent;
    std::size_t at = begin;
    JsonExtent::Stop stop = extent.scan(text_, at);
    while (stop == JsonExtent::Stop::kValue && !is_sequence) {
      stop = extent.scan(text_, at);
    }
    const bool has_end_byte =
        stop == JsonExtent::Stop::kComma || stop == JsonExtent::Stop::kClose;
    const std::size_t end = at - (has_end_byte ? 1 : 0);
    const bool is_empty = is_blank(text_.substr(begin, end - begin));
    // A value at the top ends with its own last byte, others before a comma.
    const std::size_t length =
        end - from - (stop == JsonExtent::Stop::kValue ? 1 : 0);
    if (length > max_record_bytes_) {
      too_long(begin, end);
    } else if (!is_empty) {
      row(begin, end);
    }
    if (has_end_byte && is_sequence) {
      fault(end, BadRecordKind::kTrailing,
            fmt::format("'{}' between values", text_[end]));
    } else if (stop == JsonExtent::Stop::kComma && is_empty &&
               length <= max_record_bytes_) {
      fault(end, BadRecordKind::kSyntax, "a value is missing before a comma");
    } else if (stop == JsonExtent::Stop::kClose) {
      if (is_empty && after_comma_) {
        fault(end, BadRecordKind::kSyntax,
              fmt::format("a comma before '{}'", text_[end]));
      }
      tail(at);
      return text_.size();
    }
    after_comma_ = stop == JsonExtent::Stop::kComma;
    return at;
  }

  void row(std::size_t begin, std::size_t end) {
    begin = text_.find_first_not_of(kBlank, begin);
    end = text_.find_last_not_of(kBlank, end - 1) + 1;
    if (place_.layout == JsonLayout::kObjectMap) {
      const std::size_t value = value_of_member(begin, end);
      if (value == end) {
        fault(begin, BadRecordKind::kSyntax,
              "a member name and ':' are missing here");
        return;
      }
      begin = value;
    }
    count_lines(begin);
    records_.record(text_.substr(begin, end - begin),
                    {facts_.lines, offset_ + begin});
  }

  void too_long(std::size_t begin, std::size_t end) {
    begin = std::min(text_.find_first_not_of(kBlank, begin), end);
    count_lines(begin);
    records_.too_long(end - begin, {facts_.lines, offset_ + begin});
  }

  // Where the value of the member text_[begin, end) begins; `end` when it is
  // no member. The name itself is not looked into.
  [[nodiscard]] std::size_t value_of_member(std::size_t begin,
                                            std::size_t end) const {
    if (text_[begin] != '"') return end;
    std::size_t at = begin + 1;
    while (at < end && text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
    if (at >= end) return end;
    at = std::min(text_.find_first_not_of(kBlank, at + 1), end);
    if (at >= end || text_[at] != ':') return end;
    return std::min(text_.find_first_not_of(kBlank, at + 1), end);
  }

  // Nothing may follow the document.
  void tail(std::size_t at) {
    std::size_t found = text_.find_first_not_of(kBlank, at);
    if (found == std::string_view::npos || place_.has_tail) return;
    if (place_.layout == JsonLayout::kMember) {
      // What else the object has is no row; later chunks are not looked at.
      if (place_.is_closed || text_[found] == ',') return;
      if (text_[found] == '}') {
        found = text_.find_first_not_of(kBlank, found + 1);
        if (found == std::string_view::npos) return;
      }
    }
    fault(found, BadRecordKind::kTrailing,
          "something follows after the end of the document");
  }

  void fault(std::size_t at, BadRecordKind kind, std::string message) {
    count_lines(at);
    BadRecord bad;
    bad.kind = kind;
    bad.line = facts_.lines;
    bad.offset = offset_ + at;
    bad.bytes = 1;
    bad.message = std::move(message);
    visitor_.bad_record(bad);
  }

  // Counts the lines that begin up to `end`.
  void count_lines(std::size_t end) {
    for (;;) {
      const std::size_t found = text_.substr(0, end).find('\n', counted_);
      if (found == std::string_view::npos) break;
      ++facts_.lines;
      if (found > 0 && text_[found - 1] == '\r') ++facts_.crlf_lines;
      counted_ = found + 1;
    }
    counted_ = std::max(counted_, end);
  }

  std::string_view text_;
  std::uint64_t offset_;
  ChunkPlace place_;
  std::uint64_t max_record_bytes_;
  JsonRecords& records_;
  RowVisitor& visitor_;
  BatchFacts facts_;  // .lines is the line that `counted_` stands in
  std::size_t counted_ = 0;
  bool after_comma_ = false;
};

class DocumentBatch final : public RowBatch {
 public:
  DocumentBatch(RecordChunker::Chunk chunk, const ChunkPlace& place,
                const RecordPlace& long_row, const io::ByteSource& source,
                const ReadOptions& options)
      : chunk_(std::move(chunk)),
        place_(place),
        long_row_(long_row),
        source_(source),
        options_(options) {}

  Result<BatchFacts> decode(DecodeScratch& scratch,
                            RowVisitor& visitor) override {
    JsonRecords records(options_, scratch.part<JsonScratch>(), visitor);
    const ByteWindow::Piece& piece = chunk_.piece;
    BatchFacts facts;
    if (chunk_.too_long) {
      facts.bytes = chunk_.bytes;
      facts.ends_with_newline = false;
      facts.lines = (place_.begins_line ? 1 : 0) + chunk_.line_feeds;
      const std::uint64_t end = piece.offset + chunk_.bytes - end_bytes();
      records.too_long(end - long_row_.offset, long_row_);
    } else {
      facts = ChunkDecoder(piece.bytes, piece.offset, place_, options_, records,
                           visitor)
                  .decode();
    }
    source_.release(piece.offset, piece.offset + facts.bytes);
    const Status same = source_.check();
    if (!same) return same.error();
    return facts;
  }

 private:
  // The comma or bracket that ends a row and is no part of it.
  [[nodiscard]] std::uint64_t end_bytes() const {
    return chunk_.last || place_.layout == JsonLayout::kSequence ? 0 : 1;
  }

  RecordChunker::Chunk chunk_;
  ChunkPlace place_;
  RecordPlace long_row_;  // of a row that is too long
  const io::ByteSource& source_;
  const ReadOptions& options_;
};

// Says at the end of the file that its document is not closed.
class UnclosedBatch final : public RowBatch {
 public:
  UnclosedBatch(JsonLayout layout, std::uint64_t offset)
      : layout_(layout), offset_(offset) {}

  Result<BatchFacts> decode(DecodeScratch&, RowVisitor& visitor) override {
    BadRecord bad;
    bad.kind = BadRecordKind::kTruncated;
    bad.offset = offset_;
    bad.message = fmt::format("the file ends before the '{}' of its document",
                              layout_ == JsonLayout::kObjectMap ? '}' : ']');
    visitor.bad_record(bad);
    return BatchFacts();
  }

 private:
  JsonLayout layout_;
  std::uint64_t offset_;
};

class DocumentReader final : public Reader {
 public:
  DocumentReader(std::unique_ptr<io::ByteSource> source,
                 const ReadOptions& options)
      : options_(options), chunker_(std::move(source), nullptr, options) {}

  // Looks at the beginning: byte order mark, layout.
  Status begin() {
    Status marked = take_byte_order_mark(chunker_.window(), notes_);
    if (!marked) return marked;
    const Result<std::string_view> head = chunker_.window().peek(kHeadBytes);
    if (!head) return head.error();
    layout_ = json_layout(*head);
    if (layout_ == JsonLayout::kMember) {
      opening_ = rows_in_member(*head)->begin;
    }
    auto splitter = std::make_unique<RowSplitter>(layout_, opening_);
    splitter_ = splitter.get();
    chunker_.set_splitter(std::move(splitter));
    note_layout(*head);
    if (auto note = json_name_note(source().name())) {
      notes_.push_back(*std::move(note));
    }
    return {};
  }

  Result<std::unique_ptr<RowBatch>> next() override {
    const bool was_closed = splitter_->is_closed();
    const bool was_inside = splitter_->is_inside();
    const bool had_tail = splitter_->has_tail();
    Result<std::optional<RecordChunker::Chunk>> chunk = chunker_.next();
    if (!chunk) return chunk.error();
    if (!chunk->has_value()) return finish(was_inside);
    const ChunkPlace place{layout_,    opening_, is_first_,
                           was_closed, had_tail, begins_line_};
    const RecordChunker::Chunk& cut = **chunk;
    const RecordPlace long_row{(begins_line_ ? 1 : 0) + splitter_->lead_lines(),
                               cut.piece.offset + splitter_->lead_bytes()};
    is_first_ = false;
    // A row that is too long ends with a comma or bracket.
    begins_line_ = !cut.too_long && cut.piece.bytes.back() == '\n';
    return std::unique_ptr<RowBatch>(std::make_unique<DocumentBatch>(
        std::move(**chunk), place, long_row, source(), options_));
  }

  [[nodiscard]] const std::vector<FileNote>& notes() const override {
    return notes_;
  }
  [[nodiscard]] std::string_view format() const override { return "json"; }
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return chunker_.window().offset();
  }

 private:
  [[nodiscard]] const io::ByteSource& source() const {
    return chunker_.window().source();
  }

  // `was_inside`: the file ended inside a row.
  Result<std::unique_ptr<RowBatch>> finish(bool was_inside) {
    const Status same = source().check();
    if (!same) return same.error();
    if (finished_) return std::unique_ptr<RowBatch>();
    finished_ = true;
    const bool is_one_value = !is_concatenated_;
    if (is_one_value && bytes_read() > options_.large_document_bytes) {
      notes_.push_back(
          {FileNote::Kind::kLargeDocument, 0, 0,
           fmt::format("one JSON document of {} bytes; most loaders read it "
                       "whole, and offsets of 32 bits overflow",
                       bytes_read())});
    }
    // A file cut inside a row was a fault of that row.
    if (layout_ == JsonLayout::kSequence || splitter_->is_closed() ||
        was_inside) {
      return std::unique_ptr<RowBatch>();
    }
    return std::unique_ptr<RowBatch>(
        std::make_unique<UnclosedBatch>(layout_, bytes_read()));
  }

  void note_layout(std::string_view head) {
    const std::size_t at = head.find_first_not_of(kBlank);
    const std::uint64_t offset =
        chunker_.window().offset() + (at == std::string_view::npos ? 0 : at);
    const auto note = [&](FileNote::Kind kind, std::string message) {
      const auto line = static_cast<std::uint64_t>(
          1 + std::count(head.begin(), head.begin() + std::min(at, head.size()),
                         '\n'));
      notes_.push_back({kind, line, offset, std::move(message)});
    };
    switch (layout_) {
      case JsonLayout::kArray:
        if (has_extension(source().name(), ".jsonl") ||
            has_extension(source().name(), ".ndjson")) {
          note(FileNote::Kind::kArrayInJsonl,
               "one JSON array; loaders that go line by line fail at its first "
               "line");
        }
        return;
      case JsonLayout::kObjectMap:
        note(FileNote::Kind::kObjectMap,
             "one object whose members are taken as the rows");
        return;
      case JsonLayout::kMember:
        note(FileNote::Kind::kObjectMap,
             fmt::format("one object; the list in its member \"{}\" is taken "
                         "as the rows (loaders: field=\"{}\")",
                         rows_in_member(head)->name,
                         rows_in_member(head)->name));
        return;
      case JsonLayout::kSequence:
        break;
    }
    std::size_t end = 0;
    JsonExtent extent;
    JsonExtent::Stop stop = extent.scan(head, end);
    while (stop == JsonExtent::Stop::kComma) stop = extent.scan(head, end);
    is_concatenated_ =
        stop == JsonExtent::Stop::kValue && !is_blank(head.substr(end));
    if (is_concatenated_) {
      note(FileNote::Kind::kConcatenated,
           "objects over several lines one after the other; neither JSON Lines "
           "nor one JSON document");
    } else {
      note(FileNote::Kind::kSingleObject, "one object, taken as one row");
    }
  }

  ReadOptions options_;
  RecordChunker chunker_;
  JsonLayout layout_ = JsonLayout::kSequence;
  std::size_t opening_ = 0;
  RowSplitter* splitter_ = nullptr;  // the chunker's
  bool is_first_ = true;
  bool begins_line_ = true;
  bool is_concatenated_ = false;
  bool finished_ = false;
  std::vector<FileNote> notes_;
};

}  // namespace

Result<std::unique_ptr<Reader>> open_json_document(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  auto reader = std::make_unique<DocumentReader>(std::move(source), options);
  const Status begun = reader->begin();
  if (!begun) return begun.error();
  return std::unique_ptr<Reader>(std::move(reader));
}

Likeness sniff_json_document(const FileHead& head) {
  return json_shape(head) == JsonShape::kDocument ? Likeness::kLikely
                                                  : Likeness::kNo;
}

}  // namespace trainsight::scan
