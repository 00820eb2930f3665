#include "trainsight/targets/survival.h"

#include <algorithm>

namespace trainsight::targets {
namespace {

using facts::RowFacts;
using records::SampleType;

// Whether anything learnt is left when tokens outside first..end-1 are cut.
bool keeps_label(const RowFacts& row, const SurvivalOptions& options,
                 std::uint32_t first, std::uint32_t end) {
  if (row.type == SampleType::kGrpo) return true;
  const bool is_chat = row.dialect != records::Dialect::kNone;
  if (options.learns == Learns::kAll ||
      (options.learns == Learns::kAllOfChats && is_chat &&
       row.type == SampleType::kSft)) {
    return end > first;
  }
  // Calls of tools are learnt too; they have a length only with a template.
  if (row.label_tokens == 0) return (row.flags & facts::kHasToolCalls) != 0;
  return row.first_label < end && row.label_end > first;
}

}  // namespace

std::optional<SurvivalOptions> survival_options(
    const Target& target, std::optional<std::uint32_t> max_seq_len,
    bool packing) {
  SurvivalOptions options;
  options.name = target.name;
  options.max_seq_len = max_seq_len.value_or(target.max_seq_len);
  if (options.max_seq_len == 0) return std::nullopt;
  options.overlong = packing ? target.packed_rows : target.rows;
  options.pairs = target.pairs;
  options.prompts = target.prompts;
  options.learns = target.learns;
  // A packer looks at lengths only.
  options.drops_unlabelled = target.drops_unlabelled && !packing;
  return options;
}

void SurvivalCounter::add(const RowFacts& row) {
  if (row.schema < 0 || row.type == SampleType::kEmbedding) return;
  const std::uint32_t limit = options_.max_seq_len;
  const Overlong policy = row.type == SampleType::kDpo    ? options_.pairs
                          : row.type == SampleType::kGrpo ? options_.prompts
                                                          : options_.overlong;
  const bool is_over = row.tokens > limit;
  std::uint32_t first = 0;
  std::uint32_t end = row.tokens;
  bool keeps_share = false;
  if (is_over) {
    switch (policy) {
      case Overlong::kDrop:
      case Overlong::kRaise:
        ++figures_.dropped.records;
        figures_.dropped.tokens += row.tokens;
        return;
      case Overlong::kTruncateStart:
        end = limit;
        break;
      case Overlong::kTruncateEnd:
        first = row.tokens - limit;
        break;
      case Overlong::kProportional:
        // Both parts are shortened: of an answer something is always left.
        end = limit;
        keeps_share = true;
        break;
      case Overlong::kSplit:
      case Overlong::kKeep:
        break;
    }
  }
  const std::uint64_t left = end - first;
  const bool learns =
      keeps_share ? row.label_tokens > 0 || row.type == SampleType::kGrpo
                  : keeps_label(row, options_, first, end);
  if (!learns) {
    ++figures_.unlabelled.records;
    figures_.unlabelled.tokens += left;
    if (options_.drops_unlabelled) {
      ++figures_.dropped.records;
      figures_.dropped.tokens += row.tokens;
      return;
    }
  }
  ++figures_.kept.records;
  figures_.kept.tokens += left;
  if (left < row.tokens || (is_over && policy == Overlong::kSplit)) {
    ++figures_.truncated.records;
    figures_.truncated.tokens += row.tokens - left;
  }
}

void SurvivalCounter::merge(const SurvivalCounter& other) {
  const auto add = [](SurvivalFigures::Part& part,
                      const SurvivalFigures::Part& more) {
    part.records += more.records;
    part.tokens += more.tokens;
  };
  add(figures_.kept, other.figures_.kept);
  add(figures_.truncated, other.figures_.truncated);
  add(figures_.dropped, other.figures_.dropped);
  add(figures_.unlabelled, other.figures_.unlabelled);
}

}  // namespace trainsight::targets
