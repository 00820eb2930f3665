#include "scan/parquet_ranges.h"

#include <algorithm>
#include <array>

namespace trainsight::scan::parquet {
namespace {

// A bound for the memory of the ranges of one row group.
constexpr std::uint64_t kMaxRanges = 1 << 12;

/// Rows that begin in a page.
struct PageRows {
  std::uint64_t begun = 0;
  bool begins_with_row = true;
};

Result<PageRows> rows_of_page(PageReader& pages, const Leaf& leaf,
                              const StoredPage& page) {
  const auto entries = static_cast<std::uint64_t>(page.header.num_values);
  if (leaf.max_repetition == 0) return PageRows{entries, true};
  if (page.header.kind == PageKind::kDataV2) {
    return PageRows{static_cast<std::uint64_t>(page.header.num_rows), true};
  }
  std::shared_ptr<char[]> memory;
  const Result<PageParts> parts = pages.open(page, memory);
  if (!parts) return parts.error();
  RleDecoder decoder(parts->repetition, bit_width_of(leaf.max_repetition));
  PageRows rows;
  std::array<std::uint32_t, 1024> levels;
  for (std::uint64_t done = 0; done < entries;) {
    const std::size_t count = decoder.read(
        levels.data(), static_cast<std::size_t>(std::min<std::uint64_t>(
                           levels.size(), entries - done)));
    if (count == 0) return pages.corrupt("damaged levels");
    if (done == 0) rows.begins_with_row = levels[0] == 0;
    rows.begun += static_cast<std::uint64_t>(std::count(
        levels.begin(), levels.begin() + static_cast<long>(count), 0u));
    done += count;
  }
  return rows;
}

// Walks over the pages of column `leaf` and sets its start in every range.
Status find_starts(const io::ByteSource& source, const Schema& schema,
                   const RowGroup& group, std::size_t leaf,
                   const ReadOptions& options, std::vector<RowRange>& ranges) {
  const ColumnChunk& chunk = group.columns[leaf];
  PageBudget budget;
  PageReader pages(source, schema.leaves[leaf], chunk, options, budget);
  const auto num_values = static_cast<std::uint64_t>(chunk.num_values);
  PageStart start;
  start.offset = pages.begin();
  std::uint64_t rows = 0;
  std::uint64_t entries = 0;
  std::size_t range = 0;
  while (entries < num_values) {
    const Result<StoredPage> page = pages.next();
    if (!page) return page.error();
    if (page->header.kind != PageKind::kData &&
        page->header.kind != PageKind::kDataV2) {
      continue;
    }
    const Result<PageRows> in_page =
        rows_of_page(pages, schema.leaves[leaf], *page);
    if (!in_page) return in_page.error();
    if (in_page->begins_with_row) {
      // Ranges that begin before this page begin at the page before.
      for (; range < ranges.size() && ranges[range].begin < rows; ++range) {
        ranges[range].starts[leaf] = start;
      }
      if (entries > 0) start = PageStart{page->offset, rows, entries};
    }
    rows += in_page->begun;
    entries += static_cast<std::uint64_t>(page->header.num_values);
  }
  for (; range < ranges.size(); ++range) ranges[range].starts[leaf] = start;
  return {};
}

}  // namespace

Result<std::vector<RowRange>> cut_row_group(const io::ByteSource& source,
                                            const Schema& schema,
                                            const RowGroup& group,
                                            const ReadOptions& options) {
  const auto rows = static_cast<std::uint64_t>(group.num_rows);
  std::uint64_t bytes = 0;
  for (const ColumnChunk& chunk : group.columns) {
    const auto more = static_cast<std::uint64_t>(chunk.uncompressed_bytes);
    bytes += std::min(more, std::uint64_t{1} << 48);
  }
  const std::uint64_t chunk_bytes =
      std::max<std::uint64_t>(options.chunk_bytes, 1);
  const std::uint64_t pieces =
      std::min({bytes / chunk_bytes, rows, kMaxRanges});
  std::vector<RowRange> ranges;
  if (pieces < 2) {
    ranges.push_back(RowRange{0, rows, {}});
    return ranges;
  }
  const std::uint64_t step = (rows + pieces - 1) / pieces;
  for (std::uint64_t begin = 0; begin < rows; begin += step) {
    ranges.push_back(RowRange{begin, std::min(begin + step, rows),
                              std::vector<PageStart>(schema.leaves.size())});
  }
  for (std::size_t leaf = 0; leaf < schema.leaves.size(); ++leaf) {
    const Status found =
        find_starts(source, schema, group, leaf, options, ranges);
    if (!found) return found.error();
  }
  return ranges;
}

}  // namespace trainsight::scan::parquet
