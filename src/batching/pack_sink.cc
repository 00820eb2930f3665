#include "batching/pack_sink.h"

namespace trainsight::batching {

void SortedPieces::assign(std::span<const std::uint32_t> lengths,
                          std::uint32_t first_row) {
  // counts_ is all zero for lengths outside the last window's runs.
  for (const Run& run : runs_) counts_[run.length] = 0;
  runs_.clear();
  const auto count_piece = [this](std::uint32_t /*begin*/,
                                  std::uint32_t length) {
    if (counts_[length]++ == 0) runs_.push_back({length, 0});
  };
  for (const std::uint32_t length : lengths) {
    for_each_piece(length, options_, count_piece);
  }
  std::sort(runs_.begin(), runs_.end(),
            [](const Run& a, const Run& b) { return a.length > b.length; });
  std::uint32_t position = 0;
  for (Run& run : runs_) {
    run.copies = counts_[run.length];
    counts_[run.length] = position;
    position += static_cast<std::uint32_t>(run.copies);
  }
  if (!with_rows_) return;
  const bool split = options_.overlong == Overlong::kSplit;
  rows_.resize(position);
  if (split) begins_.resize(position);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::uint32_t row = first_row + static_cast<std::uint32_t>(i);
    for_each_piece(lengths[i], options_,
                   [&](std::uint32_t begin, std::uint32_t length) {
                     const std::uint32_t at = counts_[length]++;
                     rows_[at] = row;
                     if (split) begins_[at] = begin;
                   });
  }
  position = 0;
  for (const Run& run : runs_) {
    counts_[run.length] = position;
    position += static_cast<std::uint32_t>(run.copies);
  }
}

void SortedPieces::take(std::uint32_t length, std::uint64_t copies,
                        Assignment& assignment) {
  const auto begin = static_cast<std::ptrdiff_t>(counts_[length]);
  const auto end = begin + static_cast<std::ptrdiff_t>(copies);
  counts_[length] = static_cast<std::uint32_t>(end);
  assignment.rows.insert(assignment.rows.end(), rows_.begin() + begin,
                         rows_.begin() + end);
  if (options_.overlong == Overlong::kSplit) {
    assignment.begins.insert(assignment.begins.end(), begins_.begin() + begin,
                             begins_.begin() + end);
    assignment.lengths.insert(assignment.lengths.end(), copies, length);
  }
}

void PackSink::add(std::span<const Run> runs, std::uint64_t count) {
  std::uint64_t segments = 0;
  std::uint64_t tokens = 0;
  for (const Run& run : runs) {
    segments += run.copies;
    tokens += run.copies * run.length;
  }
  figures_.packs += count;
  figures_.segments += segments * count;
  figures_.most_segments_in_pack =
      std::max(figures_.most_segments_in_pack, segments);
  squares_.add(tokens, count);
  if (assignment_ == nullptr) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (const Run& run : runs) {
      pieces_->take(run.length, run.copies, *assignment_);
    }
    assignment_->offsets.push_back(assignment_->rows.size());
  }
}

void PackSink::close_pack(std::uint64_t segments, std::uint64_t tokens) {
  ++figures_.packs;
  figures_.segments += segments;
  figures_.most_segments_in_pack =
      std::max(figures_.most_segments_in_pack, segments);
  squares_.add(tokens);
  if (assignment_ != nullptr) {
    assignment_->offsets.push_back(assignment_->offsets.back() + segments);
  }
}

void PackSink::finish(const PackOptions& options) {
  figures_.squares_unmasked = squares_.value();
  figures_.packs_at_least =
      (figures_.tokens + options.pack_length - 1) / options.pack_length;
  if (figures_.packs == 0) return;
  const auto packs = static_cast<double>(figures_.packs);
  figures_.efficiency_ratio =
      static_cast<double>(figures_.tokens) / (packs * options.pack_length);
  figures_.segments_per_pack = static_cast<double>(figures_.segments) / packs;
}

}  // namespace trainsight::batching
