// PageReader: finding and decompressing the pages of a column chunk.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "scan/byte_window.h"
#include "scan/parquet_column.h"

namespace trainsight::scan::parquet {
namespace {

// Headers are some tens of bytes; with statistics of long texts, more.
constexpr std::uint64_t kHeaderBytes = 4 << 10;
constexpr std::uint64_t kMaxHeaderBytes = 16 << 20;
// Old writers left the dictionary page's header out of a chunk's size
// (PARQUET-816); beyond that a page belongs to another column.
constexpr std::uint64_t kForgottenBytes = 1024;

std::uint32_t little32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), 4);
  return value;
}

std::optional<BlockCodec> block_codec(Codec codec) {
  switch (codec) {
    case Codec::kSnappy:
      return BlockCodec::kSnappy;
    case Codec::kGzip:
      return BlockCodec::kGzip;
    case Codec::kZstd:
      return BlockCodec::kZstd;
    case Codec::kLz4Raw:
      return BlockCodec::kLz4Raw;
    default:
      return std::nullopt;
  }
}

}  // namespace

PageReader::PageReader(const io::ByteSource& source, const Leaf& leaf,
                       const ColumnChunk& chunk, const ReadOptions& options,
                       PageBudget& budget)
    : source_(&source),
      leaf_(&leaf),
      chunk_(chunk),
      at_(0),
      end_(0),
      max_expansion_ratio_(options.max_expansion_ratio),
      expansion_floor_bytes_(options.expansion_floor_bytes),
      budget_(&budget) {
  at_ = begin();
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(chunk.compressed_bytes) + kForgottenBytes;
  end_ = at_ + std::min(bytes, source.size() - std::min(at_, source.size()));
}

std::uint64_t PageReader::begin() const {
  const auto data = static_cast<std::uint64_t>(chunk_.data_page_offset);
  const auto dictionary =
      static_cast<std::uint64_t>(chunk_.dictionary_page_offset);
  return dictionary > 0 ? std::min(dictionary, data) : data;
}

Error PageReader::corrupt(const std::string& what) const {
  return Error{ErrorKind::kCorrupt,
               fmt::format("column {}: {}", leaf_->path, what),
               "copy or download the file again"};
}

Result<StoredPage> PageReader::next() {
  if (at_ < 4 || at_ >= end_) return corrupt("a page outside of its column");
  std::optional<PageHeader> header;
  for (std::uint64_t look = kHeaderBytes; !header; look *= 16) {
    const std::string_view bytes = source_->view(at_, look);
    header = parse_page_header(bytes);
    if (header) break;
    if (bytes.size() < look || look >= kMaxHeaderBytes) {
      return corrupt(fmt::format("a damaged page header at byte {}", at_));
    }
  }
  StoredPage page;
  page.header = *header;
  page.offset = at_;
  const std::uint64_t body = at_ + header->header_bytes;
  const auto bytes = static_cast<std::uint64_t>(header->compressed_bytes);
  page.body = source_->view(body, bytes);
  if (page.body.size() < bytes) return corrupt("a page that is cut");
  at_ = body + bytes;
  page.next = at_;
  return page;
}

// Accounts for a page of this column in place of its last one.
Status PageReader::charge(std::uint64_t inflated, std::uint64_t stored) {
  budget_->inflated_bytes += inflated - charged_.inflated_bytes;
  budget_->stored_bytes += stored - charged_.stored_bytes;
  charged_ = {inflated, stored};
  if (budget_->inflated_bytes > expansion_floor_bytes_ &&
      budget_->inflated_bytes / max_expansion_ratio_ > budget_->stored_bytes) {
    return Error{ErrorKind::kLimit,
                 fmt::format("column {}: a page of {} stored bytes says that "
                             "it grows to {}",
                             leaf_->path, stored, inflated),
                 ""};
  }
  return {};
}

Result<std::string_view> PageReader::inflate(std::string_view stored,
                                             std::size_t bytes,
                                             std::shared_ptr<char[]>& memory) {
  memory = nullptr;
  if (chunk_.codec == Codec::kUncompressed) {
    if (stored.size() < bytes) return corrupt("a page that is cut");
    return stored.substr(0, bytes);
  }
  const std::optional<BlockCodec> codec = block_codec(chunk_.codec);
  if (!codec) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("column {}: compressed with {}", leaf_->path,
                             codec_name(chunk_.codec)),
                 "write it again with snappy, zstd, gzip or no compression"};
  }
  if (bytes == 0) return std::string_view();
  const Status within = charge(bytes, stored.size());
  if (!within) return within.error();
  memory = make_buffer(bytes);
  if (memory == nullptr) {
    return Error{ErrorKind::kLimit,
                 fmt::format("column {}: not enough memory for a page of {} "
                             "bytes",
                             leaf_->path, bytes),
                 ""};
  }
  if (!decompressor_.decompress(*codec, stored,
                                std::span<char>(memory.get(), bytes))) {
    return corrupt(fmt::format("damaged {} data", codec_name(chunk_.codec)));
  }
  return std::string_view(memory.get(), bytes);
}

Result<std::string_view> PageReader::open_dictionary(
    const StoredPage& page, std::shared_ptr<char[]>& memory) {
  const Result<std::string_view> bytes =
      inflate(page.body,
              static_cast<std::size_t>(page.header.uncompressed_bytes), memory);
  charged_ = {};  // it stays beside the pages to come
  return bytes;
}

Result<PageParts> PageReader::open(const StoredPage& page,
                                   std::shared_ptr<char[]>& memory) {
  return page.header.kind == PageKind::kDataV2 ? open_v2(page, memory)
                                               : open_v1(page, memory);
}

// Version 1: everything is compressed together, each kind of levels with its
// length before it.
Result<PageParts> PageReader::open_v1(const StoredPage& page,
                                      std::shared_ptr<char[]>& memory) {
  const Result<std::string_view> inflated =
      inflate(page.body,
              static_cast<std::size_t>(page.header.uncompressed_bytes), memory);
  if (!inflated) return inflated.error();
  std::string_view rest = *inflated;
  PageParts parts;
  const auto take_levels = [&](std::uint8_t max, Encoding encoding,
                               std::string_view& levels) -> Status {
    if (max == 0) return {};
    if (encoding != Encoding::kRle) {
      return Error{ErrorKind::kUnsupported,
                   fmt::format("column {}: levels in the old bit-packed "
                               "encoding",
                               leaf_->path),
                   "write it again with a current library"};
    }
    if (rest.size() < 4 || little32(rest) > rest.size() - 4) {
      return corrupt("a page that is cut");
    }
    const std::size_t bytes = little32(rest);
    levels = rest.substr(4, bytes);
    rest.remove_prefix(4 + bytes);
    return {};
  };
  Status status = take_levels(
      leaf_->max_repetition, page.header.repetition_encoding, parts.repetition);
  if (!status) return status.error();
  status = take_levels(leaf_->max_definition, page.header.definition_encoding,
                       parts.definition);
  if (!status) return status.error();
  parts.values = rest;
  return parts;
}

// Version 2: levels stand uncompressed before the values.
Result<PageParts> PageReader::open_v2(const StoredPage& page,
                                      std::shared_ptr<char[]>& memory) {
  const auto repetition =
      static_cast<std::size_t>(page.header.repetition_bytes);
  const auto definition =
      static_cast<std::size_t>(page.header.definition_bytes);
  const std::size_t levels = repetition + definition;
  const auto all = static_cast<std::size_t>(page.header.uncompressed_bytes);
  if (levels > page.body.size() || levels > all) {
    return corrupt("a page that is cut");
  }
  PageParts parts;
  parts.repetition = page.body.substr(0, repetition);
  parts.definition = page.body.substr(repetition, definition);
  const std::string_view stored = page.body.substr(levels);
  if (!page.header.values_compressed) {
    parts.values = stored;
    return parts;
  }
  const Result<std::string_view> values = inflate(stored, all - levels, memory);
  if (!values) return values.error();
  parts.values = *values;
  return parts;
}

}  // namespace trainsight::scan::parquet
