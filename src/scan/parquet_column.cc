#include "scan/parquet_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainsight::scan::parquet {
namespace {

constexpr std::size_t kBlockEntries = 1024;

}  // namespace

ColumnCursor::ColumnCursor(const io::ByteSource& source, const Leaf& leaf,
                           const ColumnChunk& chunk, const ReadOptions& options,
                           PageBudget& budget, const PageStart* start)
    : leaf_(&leaf),
      pages_(source, leaf, chunk, options, budget),
      num_values_(static_cast<std::uint64_t>(chunk.num_values)),
      first_offset_(pages_.begin()) {
  if (start == nullptr) return;
  entries_seen_ = start->first_entry;
  first_offset_ = start->offset;
  // The chunk's first page may be its dictionary, whatever its metadata say.
  if (start->offset != pages_.begin()) resume_at_ = start->offset;
}

bool ColumnCursor::fail(Error error) {
  entry_at_ = 0;
  entry_count_ = 0;
  page_entries_ = 0;
  if (!fault_) fault_ = std::move(error);
  return false;
}

bool ColumnCursor::corrupt(const std::string& what) {
  return fail(pages_.corrupt(what));
}

void ColumnCursor::keep(std::shared_ptr<char[]> memory, std::uint64_t bytes) {
  if (memory == nullptr) return;
  kept_.push_back(std::move(memory));
  kept_bytes_ += bytes;
}

void ColumnCursor::drop_kept() {
  kept_.clear();
  kept_bytes_ = 0;
}

bool ColumnCursor::next_page() {
  while (entries_seen_ < num_values_) {
    const Result<StoredPage> page = pages_.next();
    if (!page) return fail(page.error());
    const bool is_dictionary = page->header.kind == PageKind::kDictionary;
    if (is_dictionary && !start_dictionary(*page)) return false;
    if (resume_at_) {
      pages_.seek(*resume_at_);
      resume_at_.reset();
      continue;
    }
    switch (page->header.kind) {
      case PageKind::kData:
      case PageKind::kDataV2:
        if (!start_page(*page)) return false;
        if (page_entries_ > 0) return true;
        break;
      default:
        break;  // index pages and kinds to come are passed over
    }
  }
  return false;
}

bool ColumnCursor::start_dictionary(const StoredPage& page) {
  if (has_dictionary_) return corrupt("a second dictionary page");
  const Result<std::string_view> bytes =
      pages_.open_dictionary(page, dictionary_memory_);
  if (!bytes) return fail(bytes.error());
  if (page.header.encoding != Encoding::kPlain &&
      page.header.encoding != Encoding::kPlainDictionary) {
    return corrupt("a dictionary that is not plain");
  }
  has_dictionary_ = PageValues::read_dictionary(
      *bytes, *leaf_, static_cast<std::uint64_t>(page.header.num_values),
      dictionary_);
  return has_dictionary_ || corrupt("a damaged dictionary page");
}

bool ColumnCursor::start_page(const StoredPage& page) {
  page_offset_ = page.offset;
  keep(std::move(page_memory_), page_bytes_);
  keep(std::move(values_memory_), 0);
  page_bytes_ = static_cast<std::uint64_t>(page.header.uncompressed_bytes);
  const Result<PageParts> parts = pages_.open(page, page_memory_);
  if (!parts) return fail(parts.error());
  const auto entries = static_cast<std::uint64_t>(page.header.num_values);
  if (entries > num_values_ - entries_seen_) {
    return corrupt("more values than its metadata say");
  }
  repetition_decoder_ =
      RleDecoder(parts->repetition, bit_width_of(leaf_->max_repetition));
  definition_decoder_ =
      RleDecoder(parts->definition, bit_width_of(leaf_->max_definition));
  const std::string fault =
      page_values_.start(parts->values, page.header.encoding, *leaf_, entries,
                         has_dictionary_ ? &dictionary_ : nullptr);
  if (!fault.empty()) return corrupt(fault);
  value_at_ = 0;
  block_values_ = 0;
  entries_seen_ += entries;
  page_entries_ = entries;
  return true;
}

bool ColumnCursor::read_levels(RleDecoder& decoder, std::uint8_t max,
                               std::size_t count,
                               std::vector<std::uint8_t>& levels) {
  levels.resize(count);
  if (max == 0) {
    std::fill(levels.begin(), levels.end(), std::uint8_t{0});
    return true;
  }
  levels_.resize(count);
  if (decoder.read(levels_.data(), count) != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (levels_[i] > max) return false;
    levels[i] = static_cast<std::uint8_t>(levels_[i]);
  }
  return true;
}

bool ColumnCursor::next_block() {
  if (fault_) return false;
  // Values of this block that were not asked for belong to entries that were
  // passed over; there are none between whole entries.
  if (page_entries_ == 0 && !next_page()) return false;
  const auto count = static_cast<std::size_t>(
      std::min<std::uint64_t>(page_entries_, kBlockEntries));
  if (!read_levels(repetition_decoder_, leaf_->max_repetition, count,
                   repetition_) ||
      !read_levels(definition_decoder_, leaf_->max_definition, count,
                   definition_)) {
    return corrupt("damaged levels");
  }
  page_entries_ -= count;
  entry_at_ = 0;
  entry_count_ = count;
  return true;
}

bool ColumnCursor::next_values() {
  keep(std::move(values_memory_), 0);
  const std::size_t given = page_values_.read(kBlockEntries, values_);
  values_memory_ = page_values_.take_arena();
  if (values_memory_ != nullptr) {
    for (const std::string_view bytes : values_.bytes) {
      kept_bytes_ += bytes.size();
    }
  }
  if (given == 0) return corrupt("a page with fewer values than it says");
  value_at_ = 0;
  block_values_ = given;
  return true;
}

bool ColumnCursor::skip_rows(std::uint64_t rows) {
  // A page that a reader begins at begins with a row.
  for (std::uint64_t row = 0; row < rows; ++row) {
    do {
      if (!prepare()) return false;
      if (has_value() && !load_value()) return false;
      advance();
      row_done();
    } while (prepare() && repetition() != 0);
  }
  return !fault_.has_value();
}

}  // namespace trainsight::scan::parquet
