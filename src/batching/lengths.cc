#include "trainsight/batching/lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace trainsight::batching {
namespace {

// Lengths below this are counted in an array, longer ones are sorted: there
// can be only as many of those as a data set has very long rows.
constexpr std::uint32_t kDenseLengths = std::uint32_t{1} << 20;
constexpr std::uint64_t kMaxSequences =
    std::numeric_limits<std::uint32_t>::max();

struct OverlongName {
  Overlong overlong;
  std::string_view name;
};

constexpr std::array<OverlongName, 5> kOverlongNames = {{
    {Overlong::kTruncateKeepStart, "truncate_keep_start"},
    {Overlong::kTruncateKeepEnd, "truncate_keep_end"},
    {Overlong::kDrop, "drop"},
    {Overlong::kSplit, "split"},
    {Overlong::kError, "error"},
}};

Error too_long(std::uint32_t length, std::uint32_t max_seq_len) {
  return Error{
      ErrorKind::kUsage,
      fmt::format("a row of {} tokens is longer than {}", length, max_seq_len),
      "truncate, drop or split such rows, or raise the limit"};
}

Error too_many() {
  return Error{ErrorKind::kLimit, "more than 4,294,967,294 sequences",
               "split the data set into shards"};
}

// Adds `count` rows of `length` to the figures. REQUIRES: not kError with a
// length above the limit.
void add_figures(std::uint32_t length, std::uint64_t count, std::uint32_t limit,
                 Overlong overlong, KeptFigures& figures) {
  figures.rows_in += count;
  figures.tokens_in += length * count;
  if (limit == 0 || length <= limit) {
    figures.rows_kept += count;
    figures.sequences_kept += count;
    figures.tokens_kept += length * count;
    return;
  }
  switch (overlong) {
    case Overlong::kDrop:
      figures.rows_dropped += count;
      figures.tokens_lost += length * count;
      return;
    case Overlong::kSplit:
      figures.rows_kept += count;
      figures.rows_split += count;
      figures.sequences_kept +=
          (length / limit + (length % limit != 0)) * count;
      figures.tokens_kept += length * count;
      return;
    case Overlong::kTruncateKeepStart:
    case Overlong::kTruncateKeepEnd:
    case Overlong::kError:
      figures.rows_kept += count;
      figures.sequences_kept += count;
      figures.rows_truncated += count;
      figures.tokens_kept += limit * count;
      figures.tokens_lost += (length - limit) * count;
      return;
  }
}

}  // namespace

std::string_view name_of(Overlong overlong) {
  for (const OverlongName& row : kOverlongNames) {
    if (row.overlong == overlong) return row.name;
  }
  return "";
}

std::optional<Overlong> overlong_named(std::string_view name) {
  for (const OverlongName& row : kOverlongNames) {
    if (row.name == name) return row.overlong;
  }
  return std::nullopt;
}

LengthCounts count_lengths(std::span<const std::uint32_t> lengths) {
  LengthCounts counts;
  std::uint32_t longest = 0;
  for (const std::uint32_t length : lengths) {
    longest = std::max(longest, length);
  }
  const std::uint32_t dense_size =
      lengths.empty() ? 0 : std::min(longest, kDenseLengths - 1) + 1;
  std::vector<std::uint64_t> dense(dense_size);
  std::vector<std::uint32_t> sparse;
  for (const std::uint32_t length : lengths) {
    if (length < dense_size) {
      ++dense[length];
    } else {
      sparse.push_back(length);
    }
  }
  for (std::uint32_t length = 0; length < dense_size; ++length) {
    if (dense[length] > 0) counts.push_back({length, dense[length]});
  }
  std::sort(sparse.begin(), sparse.end());
  for (const std::uint32_t length : sparse) {
    if (counts.empty() || counts.back().length != length) {
      counts.push_back({length, 0});
    }
    ++counts.back().count;
  }
  return counts;
}

std::uint64_t row_count(const LengthCounts& counts) {
  std::uint64_t rows = 0;
  for (const LengthCount& entry : counts) rows += entry.count;
  return rows;
}

std::uint64_t token_count(const LengthCounts& counts) {
  std::uint64_t tokens = 0;
  for (const LengthCount& entry : counts) tokens += entry.length * entry.count;
  return tokens;
}

Result<KeptCounts> keep(const LengthCounts& counts, std::uint32_t max_seq_len,
                        Overlong overlong) {
  KeptCounts kept;
  std::uint64_t whole = 0;  // sequences of exactly max_seq_len by the policy
  std::vector<LengthCount> remainders;
  std::optional<std::uint32_t> last;
  for (const LengthCount& entry : counts) {
    if (entry.count == 0 || (last && entry.length <= *last)) {
      return Error{ErrorKind::kUsage, "counts of lengths do not ascend", ""};
    }
    last = entry.length;
    const bool longer = max_seq_len != 0 && entry.length > max_seq_len;
    if (longer && overlong == Overlong::kError) {
      return too_long(entry.length, max_seq_len);
    }
    // Bounds the rows first, so that no sum or product below can overflow.
    if (entry.count >= kMaxSequences - kept.figures.rows_in) return too_many();
    add_figures(entry.length, entry.count, max_seq_len, overlong, kept.figures);
    if (kept.figures.sequences_kept >= kMaxSequences) return too_many();
    if (!longer) {
      kept.counts.push_back(entry);
    } else if (overlong == Overlong::kSplit) {
      whole += (entry.length / max_seq_len) * entry.count;
      if (entry.length % max_seq_len != 0) {
        remainders.push_back({entry.length % max_seq_len, entry.count});
      }
    } else if (overlong != Overlong::kDrop) {
      whole += entry.count;
    }
  }
  if (whole > 0) remainders.push_back({max_seq_len, whole});
  if (remainders.empty()) return kept;
  kept.counts.insert(kept.counts.end(), remainders.begin(), remainders.end());
  std::sort(kept.counts.begin(), kept.counts.end(),
            [](const LengthCount& a, const LengthCount& b) {
              return a.length < b.length;
            });
  std::size_t end = 0;
  for (std::size_t i = 1; i < kept.counts.size(); ++i) {
    if (kept.counts[i].length == kept.counts[end].length) {
      kept.counts[end].count += kept.counts[i].count;
    } else {
      kept.counts[++end] = kept.counts[i];
    }
  }
  kept.counts.resize(end + 1);
  return kept;
}

Result<KeptLengths> keep(std::span<const std::uint32_t> lengths,
                         std::uint32_t max_seq_len, Overlong overlong) {
  KeptLengths kept;
  if (lengths.size() >= kMaxSequences) return too_many();
  for (const std::uint32_t length : lengths) {
    if (max_seq_len != 0 && length > max_seq_len &&
        overlong == Overlong::kError) {
      return too_long(length, max_seq_len);
    }
    add_figures(length, 1, max_seq_len, overlong, kept.figures);
  }
  if (kept.figures.sequences_kept >= kMaxSequences) return too_many();
  const bool one_to_one =
      kept.figures.rows_dropped == 0 && kept.figures.rows_split == 0;
  kept.lengths.reserve(kept.figures.sequences_kept);
  if (!one_to_one) kept.rows.reserve(kept.figures.sequences_kept);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    std::uint32_t left = lengths[row];
    const bool longer = max_seq_len != 0 && left > max_seq_len;
    if (longer && overlong == Overlong::kDrop) continue;
    if (longer && overlong != Overlong::kSplit) left = max_seq_len;
    do {
      const std::uint32_t piece =
          max_seq_len == 0 ? left : std::min(left, max_seq_len);
      kept.lengths.push_back(piece);
      if (!one_to_one) kept.rows.push_back(static_cast<std::uint32_t>(row));
      left -= piece;
    } while (left > 0);
  }
  return kept;
}

}  // namespace trainsight::batching
