#include "scan/jsonl_reader.h"

#include <optional>
#include <utility>

#include "scan/json_records.h"
#include "scan/json_sniff.h"
#include "scan/record_chunker.h"
#include "scan/text_lines_reader.h"

namespace trainsight::scan {
namespace {

class JsonlBatch final : public RowBatch {
 public:
  JsonlBatch(RecordChunker::Chunk chunk, const io::ByteSource& source,
             const ReadOptions& options, char line_end)
      : chunk_(std::move(chunk)),
        source_(source),
        options_(options),
        line_end_(line_end) {}

  Result<BatchFacts> decode(DecodeScratch& scratch,
                            RowVisitor& visitor) override {
    JsonRecords records(options_, scratch.part<JsonScratch>(), visitor);
    const ByteWindow::Piece& piece = chunk_.piece;
    BatchFacts facts;
    if (chunk_.too_long) {
      const bool has_end =
          line_end_ == '\n' ? chunk_.line_feeds > 0 : !chunk_.last;
      const std::uint64_t end_bytes = has_end ? 1 : 0;
      facts.lines = 1;
      facts.bytes = chunk_.bytes;
      facts.ends_with_newline = has_end;
      facts.crlf_lines = chunk_.ends_in_crlf ? 1 : 0;
      records.too_long(chunk_.bytes - end_bytes, {1, piece.offset});
    } else {
      facts = records.lines(piece.bytes, piece.offset, line_end_);
    }
    source_.release(piece.offset, piece.offset + facts.bytes);
    const Status same = source_.check();
    if (!same) return same.error();
    return facts;
  }

 private:
  RecordChunker::Chunk chunk_;
  const io::ByteSource& source_;
  const ReadOptions& options_;
  char line_end_;
};

class JsonlReader final : public Reader {
 public:
  JsonlReader(std::unique_ptr<io::ByteSource> source,
              const ReadOptions& options)
      : options_(options),
        chunker_(std::move(source), make_line_splitter('\n'), options) {}

  // Looks at the beginning: how lines end, a byte order mark.
  Status begin() {
    const Result<std::string_view> head = chunker_.window().peek(kHeadBytes);
    if (!head) return head.error();
    if (has_lone_cr(*head)) {
      line_end_ = '\r';
      notes_.push_back(lone_cr_note());
      chunker_.set_splitter(make_line_splitter('\r'));
    }
    // An empty file is of any format.
    const bool is_blank =
        head->find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (auto note = json_name_note(source().name()); note && !is_blank) {
      notes_.push_back(*std::move(note));
    }
    return take_byte_order_mark(chunker_.window(), notes_);
  }

  Result<std::unique_ptr<RowBatch>> next() override {
    Result<std::optional<RecordChunker::Chunk>> chunk = chunker_.next();
    if (!chunk) return chunk.error();
    if (!chunk->has_value()) {
      const Status same = source().check();
      if (!same) return same.error();
      return std::unique_ptr<RowBatch>();
    }
    return std::unique_ptr<RowBatch>(std::make_unique<JsonlBatch>(
        std::move(**chunk), source(), options_, line_end_));
  }

  [[nodiscard]] const std::vector<FileNote>& notes() const override {
    return notes_;
  }
  [[nodiscard]] std::string_view format() const override { return "jsonl"; }
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return chunker_.window().offset();
  }

 private:
  [[nodiscard]] const io::ByteSource& source() const {
    return chunker_.window().source();
  }

  ReadOptions options_;
  RecordChunker chunker_;
  char line_end_ = '\n';
  std::vector<FileNote> notes_;
};

}  // namespace

Result<std::unique_ptr<Reader>> open_jsonl(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  auto reader = std::make_unique<JsonlReader>(std::move(source), options);
  const Status begun = reader->begin();
  if (!begun) return begun.error();
  return std::unique_ptr<Reader>(std::move(reader));
}

Likeness sniff_jsonl(const FileHead& head) {
  switch (json_shape(head)) {
    case JsonShape::kLines:
      return Likeness::kLikely;
    case JsonShape::kDocument:
      return Likeness::kNo;
    case JsonShape::kNone:
      break;
  }
  return has_extension(head.name, ".jsonl") ||
                 has_extension(head.name, ".ndjson") ||
                 has_extension(head.name, ".json")
             ? Likeness::kNamed
             : Likeness::kNo;
}

}  // namespace trainsight::scan
