#include "scan/record_chunker.h"

#include <algorithm>
#include <utility>

namespace trainsight::scan {

RecordChunker::RecordChunker(std::unique_ptr<io::ByteSource> source,
                             std::unique_ptr<RecordSplitter> splitter,
                             const ReadOptions& options)
    : window_(std::move(source)),
      splitter_(std::move(splitter)),
      chunk_bytes_(std::max<std::uint64_t>(options.chunk_bytes, 1)),
      max_record_bytes_(std::max<std::uint64_t>(options.max_record_bytes, 1)) {}

void RecordChunker::set_splitter(std::unique_ptr<RecordSplitter> splitter) {
  splitter_ = std::move(splitter);
}

// The source ended with `all` bytes left, of which `whole` are whole records.
Result<std::optional<RecordChunker::Chunk>> RecordChunker::finish(
    std::size_t whole, std::size_t all) {
  // Behind a fault of the source the last record may be cut: not given.
  const bool cut = !window_.fault().has_value();
  const std::size_t given = cut ? whole : all;
  if (given == 0) {
    if (cut) return window_.fault().error();
    return std::optional<Chunk>();
  }
  Chunk chunk;
  chunk.piece = window_.take(given);
  chunk.bytes = given;
  chunk.last = !cut;
  return std::optional<Chunk>(std::move(chunk));
}

Result<std::optional<RecordChunker::Chunk>> RecordChunker::next() {
  splitter_->restart();
  std::size_t wanted = chunk_bytes_;
  std::size_t scanned = 0;
  while (true) {
    const Result<std::string_view> front = window_.peek(wanted);
    if (!front) return front.error();
    const std::string_view bytes = *front;
    const std::size_t end = splitter_->last_end(bytes.substr(scanned));
    const std::size_t whole = end == 0 ? 0 : scanned + end;
    if (bytes.size() < wanted) return finish(whole, bytes.size());
    if (whole > 0) {
      Chunk chunk;
      chunk.piece = window_.take(whole);
      chunk.bytes = whole;
      return std::optional<Chunk>(std::move(chunk));
    }
    scanned = bytes.size();
    if (scanned > max_record_bytes_) return skip_long_record(scanned);
    wanted = std::min(wanted * 2, max_record_bytes_ + 1);
    wanted = std::max(wanted, scanned + 1);
  }
}

// The record at the front is over the limit; its first `seen` bytes have been
// through the splitter.
Result<std::optional<RecordChunker::Chunk>> RecordChunker::skip_long_record(
    std::size_t seen) {
  constexpr std::size_t kStepBytes = 1 << 20;
  Chunk chunk;
  chunk.too_long = true;
  chunk.piece.offset = window_.offset();
  char last = '\0';
  const auto pass = [&](std::size_t bytes) {
    const ByteWindow::Piece piece = window_.take(bytes);
    chunk.bytes += bytes;
    if (!piece.bytes.empty()) {
      const std::size_t size = piece.bytes.size();
      const char before = size > 1 ? piece.bytes[size - 2] : last;
      last = piece.bytes.back();
      chunk.ends_in_crlf = before == '\r' && last == '\n';
    }
    chunk.line_feeds += static_cast<std::uint64_t>(
        std::count(piece.bytes.begin(), piece.bytes.end(), '\n'));
  };
  pass(seen);
  while (true) {
    const Result<std::string_view> front = window_.peek(kStepBytes);
    if (!front) return front.error();
    if (front->empty()) {
      chunk.last = true;
      return std::optional<Chunk>(std::move(chunk));
    }
    const std::size_t end = splitter_->first_end(*front);
    pass(end == 0 ? front->size() : end);
    if (end != 0) return std::optional<Chunk>(std::move(chunk));
  }
}

}  // namespace trainsight::scan
