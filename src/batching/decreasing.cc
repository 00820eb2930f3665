#include "batching/decreasing.h"

#include <algorithm>
#include <limits>

namespace trainsight::batching {

BestFitDecreasing::BestFitDecreasing(std::uint32_t pack_length)
    : pack_length_(pack_length),
      open_(pack_length),
      levels_(std::size_t{pack_length} + 1, kNil) {}

void BestFitDecreasing::push(std::uint32_t parent, std::uint32_t length,
                             std::uint64_t copies, std::uint64_t packs,
                             std::uint32_t space) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({parent, kNil, length, static_cast<std::uint32_t>(copies),
                    static_cast<std::uint32_t>(packs)});
  if (space == 0) return;  // full: nothing looks for it again
  if (levels_[space] == kNil) open_.insert(space);
  nodes_[id].below = levels_[space];
  levels_[space] = id;
}

void BestFitDecreasing::pack(std::span<const Run> runs, PackSink& sink) {
  for (const Run& run : runs) {
    const std::uint32_t length = run.length;
    std::uint64_t left = run.copies;
    while (left > 0) {
      const std::uint32_t space = open_.next(length);
      if (space == LengthSet::kNone) {
        const std::uint64_t each = pack_length_ / length;
        const std::uint64_t rest = left % each;
        if (left >= each) {
          push(kNil, length, each, left / each,
               static_cast<std::uint32_t>(pack_length_ - each * length));
        }
        if (rest > 0) {
          push(kNil, length, rest, 1,
               static_cast<std::uint32_t>(pack_length_ - rest * length));
        }
        break;
      }
      // Of the packs of the top node, as many as the pieces can fill take
      // `each`; one more takes a rest that is smaller.
      const std::uint32_t top = levels_[space];
      const std::uint64_t each = space / length;
      const std::uint64_t filled =
          std::min<std::uint64_t>(nodes_[top].packs, left / each);
      const std::uint64_t copies = filled > 0 ? each : left;
      const std::uint64_t packs = filled > 0 ? filled : 1;
      left -= copies * packs;
      nodes_[top].packs -= static_cast<std::uint32_t>(packs);
      if (nodes_[top].packs == 0) {
        levels_[space] = nodes_[top].below;
        if (levels_[space] == kNil) open_.erase(space);
      }
      push(top, length, copies, packs,
           static_cast<std::uint32_t>(space - copies * length));
    }
  }
  emit(sink);
}

void BestFitDecreasing::emit(PackSink& sink) {
  for (const Node& node : nodes_) {
    if (node.packs == 0) continue;
    path_.clear();
    path_.push_back({node.length, node.copies});
    for (std::uint32_t at = node.parent; at != kNil; at = nodes_[at].parent) {
      path_.push_back({nodes_[at].length, nodes_[at].copies});
    }
    std::reverse(path_.begin(), path_.end());
    sink.add(path_, node.packs);
  }
  nodes_.clear();
  for (std::uint32_t space = open_.next(0); space != LengthSet::kNone;
       space = open_.next(space)) {
    open_.erase(space);
    levels_[space] = kNil;
  }
}

FirstFitDecreasing::FirstFitDecreasing(std::uint32_t pack_length)
    : pack_length_(pack_length),
      left_(pack_length),
      counts_(std::size_t{pack_length} + 1) {}

void FirstFitDecreasing::load(std::span<const Run> runs) {
  for (const Run& run : runs) {
    counts_[run.length] = run.copies;
    left_.insert(run.length);
  }
}

void FirstFitDecreasing::remove(std::uint32_t length, std::uint64_t copies) {
  counts_[length] -= copies;
  if (counts_[length] == 0) left_.erase(length);
}

void FirstFitDecreasing::fill(std::uint32_t space) {
  std::uint32_t length = space == 0 ? LengthSet::kNone : left_.prev(space);
  while (length != LengthSet::kNone) {
    const std::uint64_t copies =
        std::min<std::uint64_t>(counts_[length], space / length);
    runs_.push_back({length, copies});
    space -= static_cast<std::uint32_t>(copies * length);
    const std::uint32_t next = std::min(space, length - 1);
    length = next == 0 ? LengthSet::kNone : left_.prev(next);
  }
}

void FirstFitDecreasing::pack_rest(PackSink& sink) {
  for (;;) {
    runs_.clear();
    fill(pack_length_);
    if (runs_.empty()) return;
    std::uint64_t repeats = std::numeric_limits<std::uint64_t>::max();
    for (const Run& run : runs_) {
      repeats = std::min(repeats, counts_[run.length] / run.copies);
    }
    for (const Run& run : runs_) remove(run.length, run.copies * repeats);
    sink.add(runs_, repeats);
  }
}

void FirstFitDecreasing::pack(std::span<const Run> runs, PackSink& sink) {
  load(runs);
  pack_rest(sink);
}

// The five phases as Johnson and Garey give them, for sizes above a half
// (large), a third (medium), a sixth (small) of a pack, and the rest.
void FirstFitDecreasing::pack_modified(std::span<const Run> runs,
                                       PackSink& sink) {
  load(runs);
  const std::uint32_t half = pack_length_ / 2;
  const std::uint32_t third = pack_length_ / 3;
  const std::uint32_t sixth = pack_length_ / 6;
  struct Pack {
    std::uint32_t large, medium, smallest, small;  // 0: none
  };
  std::vector<Pack> packs;
  // Smallest piece left that is longer than `floor`, if at most `ceiling`.
  const auto smallest = [this](std::uint32_t floor, std::uint32_t ceiling) {
    const std::uint32_t length =
        floor >= pack_length_ ? LengthSet::kNone : left_.next(floor + 1);
    return length == LengthSet::kNone || length > ceiling ? 0 : length;
  };
  // Phase 1: a pack for each large piece, longest first.
  for (const Run& run : runs) {
    if (run.length <= half) break;
    packs.insert(packs.end(), run.copies, {run.length, 0, 0, 0});
    remove(run.length, run.copies);
  }
  // Phase 2: forwards, the largest medium piece that fits.
  for (Pack& pack : packs) {
    const std::uint32_t least = smallest(third, half);
    if (least == 0) break;
    const std::uint32_t space = pack_length_ - pack.large;
    if (least > space) continue;
    pack.medium = left_.prev(std::min(space, half));
    remove(pack.medium, 1);
  }
  // Phase 3: backwards over packs without a medium piece, the smallest small
  // piece and the largest that fits beside it, where the two smallest would.
  for (std::size_t i = packs.size(); i-- > 0;) {
    Pack& pack = packs[i];
    if (pack.medium != 0) continue;
    const std::uint32_t first = smallest(sixth, third);
    if (first == 0) break;
    const std::uint32_t second =
        counts_[first] > 1 ? first : smallest(first, third);
    const std::uint32_t space = pack_length_ - pack.large;
    if (second == 0 || std::uint64_t{first} + second > space) continue;
    pack.smallest = first;
    remove(first, 1);
    pack.small = left_.prev(std::min(space - first, third));
    remove(pack.small, 1);
  }
  // Phase 4: forwards, into each pack the largest that fits until none does.
  for (const Pack& pack : packs) {
    runs_.clear();
    std::uint32_t space = pack_length_;
    for (const std::uint32_t length :
         {pack.large, pack.medium, pack.smallest, pack.small}) {
      if (length == 0) continue;
      runs_.push_back({length, 1});
      space -= length;
    }
    const std::size_t placed = runs_.size();
    fill(space);
    for (std::size_t i = placed; i < runs_.size(); ++i) {
      remove(runs_[i].length, runs_[i].copies);
    }
    sink.add(runs_, 1);
  }
  // Phase 5: first-fit decreasing of what is left into new packs.
  pack_rest(sink);
}

}  // namespace trainsight::batching
