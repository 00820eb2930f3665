#include "batching/in_order.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainsight::batching {
namespace {

// Free space of packs numbered as they were opened; packs not yet opened have
// all of it, so the first that fits is always there.
//
// Space only shrinks, so the first pack with room for a length never moves
// back: each length's last answer is where its next search begins.
class FreeSpaceTree {
 public:
  /// `pieces` to come decide whether remembering answers is worth its memory.
  FreeSpaceTree(std::uint32_t pack_length, std::size_t pieces)
      : pack_length_(pack_length),
        tree_(2, pack_length),
        last_(pack_length / 16 <= pieces ? std::size_t{pack_length} + 1 : 0) {}

  /// The first pack with at least `length` free. REQUIRES: at most
  /// pack_length.
  std::uint32_t find(std::uint32_t length) {
    const bool remembers = !last_.empty();
    std::size_t at = leaves_ + (remembers ? last_[length] : 0);
    if (tree_[at] < length) {
      // Up to the first subtree on the right that has room, then down.
      while (at != 1 && (at % 2 == 1 || tree_[at + 1] < length)) at /= 2;
      if (at == 1) {
        at = leaves_ * 3;  // the first leaf that growing adds
        grow();
      } else {
        ++at;
        while (at < leaves_) {
          at *= 2;
          if (tree_[at] < length) ++at;
        }
      }
    }
    const auto pack = static_cast<std::uint32_t>(at - leaves_);
    if (remembers) last_[length] = pack;
    return pack;
  }

  void take(std::uint32_t pack, std::uint32_t length) {
    std::size_t at = leaves_ + pack;
    tree_[at] -= length;
    while (at > 1) {
      const std::uint32_t larger = std::max(tree_[at], tree_[at ^ 1]);
      at /= 2;
      if (tree_[at] == larger) return;
      tree_[at] = larger;
    }
  }

  [[nodiscard]] std::uint32_t free_space(std::uint32_t pack) const {
    return tree_[leaves_ + pack];
  }

 private:
  // Doubles the leaves; the old tree becomes the left half.
  void grow() {
    std::vector<std::uint32_t> larger(leaves_ * 4, pack_length_);
    for (std::size_t width = 1; width <= leaves_; width *= 2) {
      std::copy_n(tree_.begin() + static_cast<std::ptrdiff_t>(width), width,
                  larger.begin() + static_cast<std::ptrdiff_t>(width * 2));
    }
    leaves_ *= 2;
    tree_ = std::move(larger);
  }

  std::uint32_t pack_length_;
  std::size_t leaves_ = 1;
  std::vector<std::uint32_t> tree_;  // node i has children 2i and 2i + 1
  std::vector<std::uint32_t> last_;  // by length: the last answer; or empty
};

// Calls visit(row, length) for the rows of `order`. Lengths are fetched a
// block ahead, since in a shuffled order each is a cache miss.
template <typename Visit>
void for_each_row(std::span<const std::uint32_t> order,
                  std::span<const std::uint32_t> lengths, Visit visit) {
  std::array<std::uint32_t, 256> block;
  for (std::size_t begin = 0; begin < order.size(); begin += block.size()) {
    const std::size_t rows = std::min(block.size(), order.size() - begin);
    for (std::size_t i = 0; i < rows; ++i) {
      block[i] = lengths[order[begin + i]];
    }
    for (std::size_t i = 0; i < rows; ++i) visit(order[begin + i], block[i]);
  }
}

void append(Assignment* assignment, std::uint32_t row, std::uint32_t begin,
            std::uint32_t length, bool cuts) {
  if (assignment == nullptr) return;
  assignment->rows.push_back(row);
  if (!cuts) return;
  assignment->begins.push_back(begin);
  assignment->lengths.push_back(length);
}

}  // namespace

void pack_wrapped(const Window& window, const PackOptions& options,
                  PackingFigures& figures, SquareSum& masked, PackSink& sink,
                  Assignment* assignment) {
  const std::uint32_t pack = options.pack_length;
  std::uint64_t usable = 0;
  for (const std::uint32_t length : window.lengths) usable += length;
  figures.tokens_in += usable;
  if (options.drop_incomplete) usable -= usable % pack;
  figures.tokens += usable;
  std::uint64_t fill = 0;
  std::uint64_t segments = 0;
  for (std::size_t i = 0; i < window.lengths.size(); ++i) {
    const std::uint32_t length = window.lengths[i];
    const auto kept =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(length, usable));
    usable -= kept;
    ++figures.rows_in;
    if (length == 0) {
      ++figures.rows_empty;
      continue;
    }
    if (kept == 0) {
      ++figures.rows_dropped;
      continue;
    }
    ++figures.rows_packed;
    if (kept < length) ++figures.rows_truncated;
    std::uint32_t begin = 0;
    std::uint64_t pieces = 0;
    while (begin < kept) {
      const auto piece = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(kept - begin, pack - fill));
      append(assignment, window.first_row + static_cast<std::uint32_t>(i),
             begin, piece, true);
      masked.add(piece);
      if (!window.first_labels.empty() &&
          window.first_labels[i] >= std::uint64_t{begin} + piece) {
        ++*figures.segments_without_label;
      }
      begin += piece;
      ++pieces;
      fill += piece;
      ++segments;
      if (fill == pack) {
        sink.close_pack(segments, fill);
        fill = segments = 0;
      }
    }
    if (pieces > 1) {
      ++figures.rows_split;
      ++figures.rows_without_start;
      figures.segments_without_start += pieces - 1;
    }
  }
  if (segments > 0) sink.close_pack(segments, fill);
}

void pack_next_fit(const Window& window, const PackOptions& options,
                   PackSink& sink, Assignment* assignment) {
  const bool cuts = options.overlong == Overlong::kSplit;
  std::uint64_t fill = 0;
  std::uint64_t segments = 0;
  for (std::size_t i = 0; i < window.lengths.size(); ++i) {
    for_each_piece(window.lengths[i], options,
                   [&](std::uint32_t begin, std::uint32_t length) {
                     if (fill + length > options.pack_length) {
                       sink.close_pack(segments, fill);
                       fill = segments = 0;
                     }
                     append(assignment,
                            window.first_row + static_cast<std::uint32_t>(i),
                            begin, length, cuts);
                     fill += length;
                     ++segments;
                   });
  }
  if (segments > 0) sink.close_pack(segments, fill);
}

void pack_first_fit(std::span<const std::uint32_t> order,
                    std::span<const std::uint32_t> lengths,
                    const PackOptions& options, PackSink& sink,
                    Assignment* assignment) {
  const bool cuts = options.overlong == Overlong::kSplit;
  FreeSpaceTree free_space(options.pack_length, order.size());
  std::vector<std::uint32_t> segments;  // by pack
  std::vector<std::uint32_t> pack_of;   // by piece, in order
  const auto place = [&](std::uint32_t /*begin*/, std::uint32_t length) {
    const std::uint32_t pack = free_space.find(length);
    free_space.take(pack, length);
    if (pack == segments.size()) segments.push_back(0);
    ++segments[pack];
    if (assignment != nullptr) pack_of.push_back(pack);
  };
  if (assignment != nullptr) pack_of.reserve(order.size());
  for_each_row(order, lengths, [&](std::uint32_t /*row*/, std::uint32_t all) {
    for_each_piece(all, options, place);
  });
  std::vector<std::uint64_t> next(segments.size());
  std::uint64_t position = assignment == nullptr ? 0 : assignment->rows.size();
  for (std::size_t pack = 0; pack < segments.size(); ++pack) {
    next[pack] = position;
    position += segments[pack];
    const std::uint32_t free_tokens =
        free_space.free_space(static_cast<std::uint32_t>(pack));
    sink.close_pack(segments[pack], options.pack_length - free_tokens);
  }
  if (assignment == nullptr) return;
  assignment->rows.resize(position);
  if (cuts) {
    assignment->begins.resize(position);
    assignment->lengths.resize(position);
  }
  std::size_t piece = 0;
  for_each_row(order, lengths, [&](std::uint32_t row, std::uint32_t all) {
    for_each_piece(all, options,
                   [&](std::uint32_t begin, std::uint32_t length) {
                     const std::uint64_t at = next[pack_of[piece++]]++;
                     assignment->rows[at] = row;
                     if (!cuts) return;
                     assignment->begins[at] = begin;
                     assignment->lengths[at] = length;
                   });
  });
}

}  // namespace trainsight::batching
