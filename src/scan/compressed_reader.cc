#include "scan/compressed_reader.h"

#include <utility>

#include "scan/decompressing_source.h"
#include "scan/head_source.h"

namespace trainsight::scan {
namespace {

class CompressedReader final : public Reader {
 public:
  // `source` belongs to `inner`, somewhere below it.
  CompressedReader(std::unique_ptr<Reader> inner,
                   const DecompressingSource& source)
      : inner_(std::move(inner)), source_(source) {}

  Result<std::unique_ptr<RowBatch>> next() override {
    Result<std::unique_ptr<RowBatch>> batch = inner_->next();
    notes_ = inner_->notes();
    notes_.insert(notes_.end(), source_.notes().begin(), source_.notes().end());
    return batch;
  }
  [[nodiscard]] const std::vector<FileNote>& notes() const override {
    return notes_;
  }
  [[nodiscard]] std::string_view format() const override {
    return inner_->format();
  }
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return source_.stored_bytes();
  }

 private:
  std::unique_ptr<Reader> inner_;
  const DecompressingSource& source_;
  std::vector<FileNote> notes_;
};

Result<std::unique_ptr<Reader>> open_compressed(
    std::unique_ptr<io::ByteSource> stored, Compression compression,
    const ReadOptions& options) {
  std::unique_ptr<DecompressingSource> source =
      make_decompressing_source(std::move(stored), compression, options);
  const DecompressingSource& decompressing = *source;
  Result<HeadAndSource> read = read_head(std::move(source));
  if (!read) return read.error();
  if (compression_of(read->head) != Compression::kNone) {
    return Error{
        ErrorKind::kUnsupported,
        "cannot read " + read->source->name() + ": it is compressed twice",
        "decompress it once"};
  }
  Result<std::unique_ptr<Reader>> inner =
      open_reader(std::move(read->source), options);
  if (!inner) return inner.error();
  return std::unique_ptr<Reader>(
      std::make_unique<CompressedReader>(*std::move(inner), decompressing));
}

}  // namespace

Likeness sniff_gzip(const FileHead& head) {
  return compression_of(head.bytes) == Compression::kGzip ? Likeness::kCertain
                                                          : Likeness::kNo;
}

Likeness sniff_zstd(const FileHead& head) {
  return compression_of(head.bytes) == Compression::kZstd ? Likeness::kCertain
                                                          : Likeness::kNo;
}

Result<std::unique_ptr<Reader>> open_gzip(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  return open_compressed(std::move(source), Compression::kGzip, options);
}

Result<std::unique_ptr<Reader>> open_zstd(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  return open_compressed(std::move(source), Compression::kZstd, options);
}

}  // namespace trainsight::scan
