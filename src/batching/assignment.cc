// Reading, reordering and proving an assignment (pack.h).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "batching/pack_sink.h"
#include "trainsight/batching/order.h"
#include "trainsight/batching/pack.h"

namespace trainsight::batching {
namespace {

Error wrong(std::string message) {
  return Error{ErrorKind::kCorrupt, std::move(message), ""};
}

// Tokens of each row that packs must hold, by the options alone.
std::vector<std::uint32_t> expected_tokens(
    std::span<const std::uint32_t> lengths, const PackOptions& options) {
  std::vector<std::uint32_t> expected(lengths.begin(), lengths.end());
  if (!cuts_rows(options.strategy)) {
    if (options.overlong == Overlong::kSplit) return expected;
    for (std::uint32_t& length : expected) {
      length = kept_length(length, options);
    }
    return expected;
  }
  if (!options.drop_incomplete) return expected;
  const std::size_t window =
      options.window_rows == 0 ? lengths.size() : options.window_rows;
  for (std::size_t begin = 0; begin < lengths.size(); begin += window) {
    const std::size_t end = begin + std::min(window, lengths.size() - begin);
    std::uint64_t usable = 0;
    for (std::size_t row = begin; row < end; ++row) usable += lengths[row];
    usable -= usable % options.pack_length;
    for (std::size_t row = begin; row < end; ++row) {
      expected[row] = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(expected[row], usable));
      usable -= expected[row];
    }
  }
  return expected;
}

// First and last values of offsets, and that the arrays fit each other.
Status check_shape(const Assignment& assignment) {
  const std::size_t segments = assignment.rows.size();
  if (assignment.offsets.empty() || assignment.offsets.front() != 0 ||
      assignment.offsets.back() != segments) {
    return wrong("offsets do not begin at 0 and end at the segments' number");
  }
  for (const std::vector<std::uint32_t>* part :
       {&assignment.begins, &assignment.lengths}) {
    if (!part->empty() && part->size() != segments) {
      return wrong("segments' rows, begins and lengths differ in number");
    }
  }
  if (assignment.begins.empty() != assignment.lengths.empty()) {
    return wrong("segments have only one of begins and lengths");
  }
  for (std::size_t p = 0; p + 1 < assignment.offsets.size(); ++p) {
    if (assignment.offsets[p + 1] <= assignment.offsets[p]) {
      return wrong(fmt::format("pack {} is empty", p));
    }
  }
  return {};
}

}  // namespace

Segment segment_at(const Assignment& assignment, std::size_t s,
                   std::span<const std::uint32_t> lengths,
                   const PackOptions& options) {
  const std::uint32_t row = assignment.rows[s];
  if (!assignment.lengths.empty()) {
    return {row, assignment.begins[s], assignment.lengths[s]};
  }
  const std::uint32_t kept = kept_length(lengths[row], options);
  const bool end = options.overlong == Overlong::kTruncateKeepEnd;
  return {row, end ? lengths[row] - kept : 0, kept};
}

void shuffle_packs(Assignment& assignment, std::uint64_t seed) {
  const std::size_t packs = assignment.pack_count();
  std::vector<std::uint32_t> order(packs);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, seed);
  Assignment shuffled;
  shuffled.offsets.reserve(assignment.offsets.size());
  if (!assignment.offsets.empty()) shuffled.offsets.push_back(0);
  for (const std::uint32_t pack : order) {
    shuffled.offsets.push_back(shuffled.offsets.back() +
                               assignment.offsets[pack + std::size_t{1}] -
                               assignment.offsets[pack]);
  }
  const auto reorder = [&](std::vector<std::uint32_t>& values) {
    std::vector<std::uint32_t> moved;
    moved.reserve(values.size());
    for (const std::uint32_t pack : order) {
      moved.insert(
          moved.end(),
          values.begin() +
              static_cast<std::ptrdiff_t>(assignment.offsets[pack]),
          values.begin() + static_cast<std::ptrdiff_t>(
                               assignment.offsets[pack + std::size_t{1}]));
    }
    values = std::move(moved);
  };
  reorder(assignment.rows);
  if (!assignment.begins.empty()) {
    reorder(assignment.begins);
    reorder(assignment.lengths);
  }
  assignment.offsets = std::move(shuffled.offsets);
}

Status verify(const Assignment& assignment,
              std::span<const std::uint32_t> lengths,
              const PackOptions& options) {
  if (Status status = check(options); !status) return status;
  if (Status status = check_shape(assignment); !status) return status;
  // What each row still misses; every segment takes its part off.
  std::vector<std::uint32_t> missing = expected_tokens(lengths, options);
  std::vector<Segment> parts;  // segments that are not a whole row
  const bool may_cut =
      cuts_rows(options.strategy) || options.overlong == Overlong::kSplit;
  // Where the kept part of a row that is not cut begins.
  const auto whole_begin = [&](std::uint32_t row) {
    return options.overlong == Overlong::kTruncateKeepEnd
               ? lengths[row] - kept_length(lengths[row], options)
               : 0;
  };
  for (std::size_t p = 0; p < assignment.pack_count(); ++p) {
    std::uint64_t fill = 0;
    for (std::uint64_t s = assignment.offsets[p]; s < assignment.offsets[p + 1];
         ++s) {
      if (assignment.rows[s] >= lengths.size()) {
        return wrong(fmt::format("pack {} holds row {} of {}", p,
                                 assignment.rows[s], lengths.size()));
      }
      // A row that is not cut holds just what it still misses, which saves
      // a look at its length: rows of a pack lie far apart.
      const std::uint32_t row = assignment.rows[s];
      const Segment segment =
          assignment.lengths.empty()
              ? Segment{row, 0, missing[row]}
              : Segment{row, assignment.begins[s], assignment.lengths[s]};
      if (segment.length == 0 && kept_length(lengths[row], options) == 0) {
        return wrong(fmt::format("pack {} holds no token of row {}", p, row));
      }
      if (segment.length == 0 || segment.length > missing[row]) {
        return wrong(
            fmt::format("row {} is in packs more than once", segment.row));
      }
      if (!may_cut && !assignment.lengths.empty() &&
          segment.begin != whole_begin(row)) {
        return wrong(fmt::format("row {} does not begin at its token {}",
                                 segment.row, whole_begin(segment.row)));
      }
      if (may_cut &&
          (segment.begin > 0 || segment.length < lengths[segment.row])) {
        parts.push_back(segment);
      }
      missing[segment.row] -= segment.length;
      fill += segment.length;
    }
    if (fill > options.pack_length) {
      return wrong(fmt::format("pack {} holds {} tokens, more than {}", p, fill,
                               options.pack_length));
    }
  }
  for (std::size_t row = 0; row < missing.size(); ++row) {
    if (missing[row] > 0) {
      return wrong(fmt::format("row {} lacks {} tokens", row, missing[row]));
    }
  }
  // The lengths add up; with the first part at 0 and each of the others where
  // the one before ends, there is neither gap nor overlap.
  std::sort(parts.begin(), parts.end(), [](const Segment& a, const Segment& b) {
    return std::pair(a.row, a.begin) < std::pair(b.row, b.begin);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool first = i == 0 || parts[i - 1].row != parts[i].row;
    const std::uint64_t begin =
        first ? 0 : std::uint64_t{parts[i - 1].begin} + parts[i - 1].length;
    if (parts[i].begin != begin) {
      return wrong(fmt::format("segments of row {} overlap or leave a gap",
                               parts[i].row));
    }
  }
  return {};
}

Status verify_order(std::span<const std::uint32_t> order,
                    std::uint64_t row_count) {
  if (order.size() != row_count) {
    return wrong(fmt::format("{} rows in order, {} in the data set",
                             order.size(), row_count));
  }
  std::vector<bool> seen(row_count);
  for (const std::uint32_t row : order) {
    if (row >= row_count) {
      return wrong(fmt::format("row {} of {}", row, row_count));
    }
    if (seen[row]) return wrong(fmt::format("row {} is there twice", row));
    seen[row] = true;
  }
  return {};
}

}  // namespace trainsight::batching
