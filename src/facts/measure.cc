#include "trainsight/facts/measure.h"

#include <algorithm>

#include "trainsight/text/json_text.h"

namespace trainsight::facts {
namespace {

using records::Field;
using records::Piece;
using records::Sample;
using records::SampleType;
using records::Side;

constexpr std::uint32_t kLongest = kAbsent - 1;
constexpr std::int64_t kIgnoredLabel = -100;

std::uint32_t add(std::uint32_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(a + b, kLongest));
}

void add_to(std::uint32_t& total, std::uint32_t tokens) {
  total = add(total == kAbsent ? 0 : total, tokens);
}

// Positions of the labels of one sequence: the pieces of `side` in order.
void place_labels(const Sample& sample,
                  const std::vector<std::uint32_t>& piece_tokens, Side side,
                  RowFacts& facts) {
  std::uint32_t position = 0;
  for (std::size_t i = 0; i < sample.pieces.size(); ++i) {
    const Piece& piece = sample.pieces[i];
    if (piece.side != Side::kBoth && piece.side != side) continue;
    if (piece.trained) {
      if (facts.first_label == kAbsent) facts.first_label = position;
      facts.label_tokens = add(facts.label_tokens, piece_tokens[i]);
      facts.label_end = add(position, piece_tokens[i]);
    }
    position = add(position, piece_tokens[i]);
  }
}

void measure_ids(const Sample& sample, RowFacts& facts) {
  facts.tokens = std::min(sample.ids.input_ids->count, kLongest);
  facts.content_tokens = facts.tokens;
  facts.flags |= kHasLabels;
  const scan::Value* labels = sample.ids.labels;
  if (labels == nullptr || !labels->is(scan::ValueKind::kNumbers)) {
    if (labels != nullptr) return;  // an empty list: nothing is learnt
    facts.label_tokens = facts.tokens;
    facts.label_end = facts.tokens;
    if (facts.tokens > 0) facts.first_label = 0;
    return;
  }
  std::uint32_t position = 0;
  scan::for_each_integer(*labels, [&](std::int64_t label) {
    if (label != kIgnoredLabel) {
      if (facts.first_label == kAbsent) facts.first_label = position;
      ++facts.label_tokens;
      facts.label_end = position + 1;
    }
    ++position;
  });
}

}  // namespace

void measure_pieces(const Sample& sample, tokenize::TokenCounter& counter,
                    MeasureScratch& scratch, RowFacts& facts) {
  facts.type = sample.type;
  facts.schema = sample.schema;
  facts.dialect = sample.dialect;
  if (sample.ends_with_user) facts.flags |= kEndsWithUser;
  if (sample.images + sample.videos + sample.audios > 0) {
    facts.flags |= kHasImages;
  }
  for (const records::Message& message : sample.messages) {
    if (message.has_tool_calls) facts.flags |= kHasToolCalls;
  }
  if (sample.ids.input_ids != nullptr) {
    measure_ids(sample, facts);
    return;
  }
  scratch.piece_tokens.clear();
  std::uint32_t chosen_side = 0;
  std::uint32_t rejected_side = 0;
  bool has_sides = false;
  for (const Piece& piece : sample.pieces) {
    const auto tokens = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        counter.count_text(piece.text, scratch.text), kLongest));
    scratch.piece_tokens.push_back(tokens);
    if (piece.trained) facts.flags |= kHasLabels;
    if (piece.side != Side::kRejected) chosen_side = add(chosen_side, tokens);
    if (piece.side != Side::kChosen) rejected_side = add(rejected_side, tokens);
    has_sides |= piece.side != Side::kBoth;
    // What a rejected transcript repeats of the prompt counts for its side
    // only, so that fields sum to the chosen sequence and the rejected answer.
    const bool repeated =
        piece.side == Side::kRejected && piece.field != Field::kRejected;
    if (!repeated) {
      add_to(facts.fields[static_cast<std::size_t>(piece.field)], tokens);
    }
  }
  facts.tokens = std::max(chosen_side, rejected_side);
  facts.content_tokens = facts.tokens;
  if (facts.tokens == 0) facts.flags |= kEmptyText;
  if (sample.type == SampleType::kDpo) {
    facts.chosen_side_tokens = chosen_side;
    facts.rejected_side_tokens = has_sides ? rejected_side : 0;
  }
  place_labels(sample, scratch.piece_tokens, Side::kChosen, facts);
}

bool keeps_labels(const RowFacts& facts, std::uint32_t limit) {
  return facts.label_tokens > 0 && facts.first_label < limit;
}

}  // namespace trainsight::facts
