#include "scan/parquet_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "scan/parquet_column.h"
#include "scan/parquet_metadata.h"
#include "scan/parquet_ranges.h"
#include "scan/parquet_rows.h"
#include "scan/parquet_schema.h"
#include "scan/row_builder.h"

namespace trainsight::scan {
namespace {

using parquet::ColumnChunk;
using parquet::ColumnCursor;
using parquet::FileMetadata;
using parquet::RowGroup;
using parquet::RowRange;
using parquet::Schema;

constexpr std::string_view kMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";
constexpr std::uint64_t kTailBytes = 8;  // footer length and magic
constexpr std::uint64_t kMaxFooterBytes = 256u << 20;
// Columns times pages are what a batch holds in memory.
constexpr std::size_t kMaxColumns = 10'000;

/// What the batches of one file share.
struct ParquetFile {
  std::unique_ptr<io::ByteSource> source;
  ReadOptions options;
  std::string_view footer;
  Schema schema;

  [[nodiscard]] Error named(const Error& error) const {
    const Status unchanged = source->check();
    if (!unchanged) return unchanged.error();
    return error.with_context("cannot read " + source->name());
  }
  // What rows and values may add up to: see ReadOptions.
  [[nodiscard]] bool is_bomb(std::uint64_t amount) const {
    return amount > options.expansion_floor_bytes &&
           amount / options.max_expansion_ratio > source->size();
  }
};

class ParquetBatch final : public RowBatch {
 public:
  ParquetBatch(const ParquetFile& file, std::shared_ptr<const RowGroup> group,
               RowRange range)
      : file_(file), group_(std::move(group)), range_(std::move(range)) {}

  Result<BatchFacts> decode(DecodeScratch&, RowVisitor& visitor) override {
    parquet::PageBudget budget;
    std::vector<ColumnCursor> cursors;
    cursors.reserve(group_->columns.size());
    for (std::size_t i = 0; i < group_->columns.size(); ++i) {
      const parquet::PageStart* start =
          range_.starts.empty() ? nullptr : &range_.starts[i];
      cursors.emplace_back(*file_.source, file_.schema.leaves[i],
                           group_->columns[i], file_.options, budget, start);
      const std::uint64_t first = start == nullptr ? 0 : start->first_row;
      if (!cursors.back().skip_rows(range_.begin - first)) {
        return file_.named(cursors.back().fault().value_or(
            Error{ErrorKind::kCorrupt,
                  "column " + file_.schema.leaves[i].path + " ends early",
                  "copy or download the file again"}));
      }
    }
    parquet::RowAssembler rows(file_.schema, cursors, file_.options);
    RowBuilder builder(file_.options);
    const std::uint64_t offset = first_offset();
    for (std::uint64_t row = range_.begin; row < range_.end; ++row) {
      builder.clear();
      const Status status = rows.next(builder);
      if (!status) return file_.named(status.error());
      text_bytes_ += builder.bytes();
      if (file_.is_bomb(text_bytes_)) {
        return file_.named(
            Error{ErrorKind::kLimit,
                  fmt::format("its columns decode to over {} bytes, more than "
                              "{} times the file",
                              text_bytes_, file_.options.max_expansion_ratio),
                  ""});
      }
      builder.give(row - range_.begin, offset, visitor);
    }
    const Status unchanged = file_.source->check();
    if (!unchanged) return unchanged.error();
    for (const ColumnCursor& cursor : cursors) {
      const ColumnCursor::ReadPart part = cursor.read_part();
      file_.source->release(part.begin, part.end);
    }
    return facts();
  }

 private:
  [[nodiscard]] std::uint64_t first_offset() const {
    std::int64_t first = group_->columns[0].data_page_offset;
    const std::int64_t dictionary = group_->columns[0].dictionary_page_offset;
    if (dictionary > 0) first = std::min(first, dictionary);
    return static_cast<std::uint64_t>(first);
  }

  [[nodiscard]] BatchFacts facts() const {
    BatchFacts facts;
    facts.lines = range_.end - range_.begin;
    std::uint64_t stored = 0;
    for (const ColumnChunk& chunk : group_->columns) {
      stored += static_cast<std::uint64_t>(chunk.compressed_bytes);
    }
    // The range's part of the row group; the parts add up to the whole.
    const double rows = std::max(1.0, static_cast<double>(group_->num_rows));
    const auto part = [&](std::uint64_t row) {
      return static_cast<std::uint64_t>(static_cast<double>(stored) *
                                        (static_cast<double>(row) / rows));
    };
    facts.bytes = part(range_.end) - part(range_.begin);
    return facts;
  }

  const ParquetFile& file_;
  std::shared_ptr<const RowGroup> group_;
  RowRange range_;
  std::uint64_t text_bytes_ = 0;
};

class ParquetReader final : public Reader {
 public:
  ParquetReader(std::unique_ptr<ParquetFile> file, FileMetadata metadata)
      : file_(std::move(file)), metadata_(std::move(metadata)) {}

  Result<std::unique_ptr<RowBatch>> next() override {
    while (next_range_ == ranges_.size()) {
      const Result<bool> more = next_group();
      if (!more) return file_->named(more.error());
      if (!*more) return std::unique_ptr<RowBatch>();
    }
    return std::unique_ptr<RowBatch>(std::make_unique<ParquetBatch>(
        *file_, group_, std::move(ranges_[next_range_++])));
  }
  [[nodiscard]] const std::vector<FileNote>& notes() const override {
    return notes_;
  }
  [[nodiscard]] std::string_view format() const override { return "parquet"; }
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return std::min(bytes_read_, file_->source->size());
  }

 private:
  // Takes the next row group; false at the end.
  Result<bool> next_group() {
    bytes_read_ = claimed_bytes_;
    Result<std::optional<RowGroup>> group =
        metadata_.next_row_group(file_->schema.leaves.size());
    if (!group) return group.error();
    ranges_.clear();
    next_range_ = 0;
    if (!group->has_value()) return end();
    group_ = std::make_shared<const RowGroup>(*std::move(*group));
    rows_ += static_cast<std::uint64_t>(group_->num_rows);
    const Status sound = check_group();
    if (!sound) return sound.error();
    if (group_->num_rows == 0) return true;
    Result<std::vector<RowRange>> ranges = parquet::cut_row_group(
        *file_->source, file_->schema, *group_, file_->options);
    if (!ranges) return ranges.error();
    ranges_ = *std::move(ranges);
    return true;
  }

  Result<bool> end() {
    if (rows_ != static_cast<std::uint64_t>(metadata_.num_rows())) {
      return Error{ErrorKind::kCorrupt,
                   fmt::format("its footer says {} rows, its row groups have "
                               "{}",
                               metadata_.num_rows(), rows_),
                   "copy or download the file again"};
    }
    return false;
  }

  // Types as in the schema, codecs that we have, and sizes that can be true.
  Status check_group() {
    std::uint64_t entries = 0;
    for (std::size_t i = 0; i < group_->columns.size(); ++i) {
      const ColumnChunk& chunk = group_->columns[i];
      const parquet::Leaf& leaf = file_->schema.leaves[i];
      if (chunk.type != leaf.type) {
        return Error{ErrorKind::kCorrupt,
                     fmt::format("column {} has another type than its schema",
                                 leaf.path),
                     ""};
      }
      claimed_bytes_ += static_cast<std::uint64_t>(chunk.compressed_bytes);
      if (claimed_bytes_ > file_->source->size()) {
        return Error{ErrorKind::kCorrupt,
                     "its columns are larger than the file",
                     "copy or download the file again"};
      }
      entries = std::max(entries, static_cast<std::uint64_t>(chunk.num_values));
    }
    entries_ += std::min(entries, std::uint64_t{1} << 48);
    if (file_->is_bomb(rows_) || file_->is_bomb(entries_)) {
      return Error{ErrorKind::kLimit,
                   fmt::format("it has {} rows and {} values a column in {} "
                               "bytes",
                               rows_, entries_, file_->source->size()),
                   ""};
    }
    return {};
  }

  std::unique_ptr<ParquetFile> file_;
  FileMetadata metadata_;
  std::shared_ptr<const RowGroup> group_;
  std::vector<RowRange> ranges_;
  std::size_t next_range_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t claimed_bytes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::vector<FileNote> notes_;
};

std::uint32_t little32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), 4);
  return value;
}

// The serialised metadata at the end of the file.
Result<std::string_view> find_footer(const io::ByteSource& source) {
  const std::uint64_t size = source.size();
  const Error cut{ErrorKind::kCorrupt,
                  "it is cut: a Parquet file ends with its directory",
                  "copy or download the file again"};
  if (size < kMagic.size() + kTailBytes) return cut;
  const std::string_view tail = source.view(size - kTailBytes, kTailBytes);
  const std::string_view magic = tail.substr(4);
  if (magic == kEncryptedMagic || source.view(0, 4) == kEncryptedMagic) {
    return Error{ErrorKind::kUnsupported, "it is encrypted",
                 "decrypt it with the library that wrote it"};
  }
  if (magic != kMagic) return cut;
  const std::uint64_t bytes = little32(tail);
  if (bytes > size - kMagic.size() - kTailBytes) return cut;
  if (bytes > kMaxFooterBytes) {
    return Error{ErrorKind::kLimit,
                 fmt::format("its directory has {} bytes, over the limit of {}",
                             bytes, kMaxFooterBytes),
                 ""};
  }
  return source.view(size - kTailBytes - bytes, bytes);
}

}  // namespace

Likeness sniff_parquet(const FileHead& head) {
  const std::string_view magic = head.bytes.substr(0, kMagic.size());
  return magic == kMagic || magic == kEncryptedMagic ? Likeness::kCertain
                                                     : Likeness::kNo;
}

Result<std::unique_ptr<Reader>> open_parquet(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  auto file = std::make_unique<ParquetFile>();
  file->source = std::move(source);
  file->options = options;
  if (!file->source->is_mapped()) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("cannot read {}: a Parquet file cannot be read in "
                             "order, its directory is at its end",
                             file->source->name()),
                 "write it to a file first, uncompressed"};
  }
  const Result<std::string_view> footer = find_footer(*file->source);
  if (!footer) return file->named(footer.error());
  file->footer = *footer;
  Result<FileMetadata> metadata = FileMetadata::parse(*footer);
  if (!metadata) return file->named(metadata.error());
  Result<Schema> schema = parquet::make_schema(metadata->schema());
  if (!schema) return file->named(schema.error());
  file->schema = *std::move(schema);
  if (file->schema.leaves.size() > kMaxColumns) {
    return file->named(
        Error{ErrorKind::kLimit,
              fmt::format("it has {} columns, over the limit of "
                          "{}",
                          file->schema.leaves.size(), kMaxColumns),
              ""});
  }
  return std::unique_ptr<Reader>(
      std::make_unique<ParquetReader>(std::move(file), *std::move(metadata)));
}

}  // namespace trainsight::scan
