#include "trainsight/facts/measure_conversation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "trainsight/tokenize/memo_counter.h"

namespace trainsight::facts {
namespace {

using records::Field;
using records::Message;
using records::Role;
using records::Sample;
using records::SampleType;
using records::Side;

std::uint32_t add(std::uint32_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(a + b, kAbsent - 1));
}

Field field_of(const Message& message) {
  switch (message.role) {
    case Role::kSystem:
    case Role::kDeveloper:
      return Field::kSystem;
    case Role::kUser:
      return Field::kPrompt;
    case Role::kAssistant:
    case Role::kCall:
      return Field::kCompletion;
    case Role::kTool:
      return Field::kTool;
    case Role::kNone:
    case Role::kUnknown:
      return Field::kText;
  }
  return Field::kText;
}

// A row is rendered when all of its texts are said by somebody.
bool is_conversation(const Sample& sample) {
  if (sample.messages.empty()) return false;
  return std::all_of(
      sample.pieces.begin(), sample.pieces.end(),
      [](const records::Piece& piece) { return piece.message >= 0; });
}

void add_field(RowFacts& facts, Field field, std::uint32_t tokens) {
  std::uint32_t& total = facts.fields[static_cast<std::size_t>(field)];
  total = add(total == kAbsent ? 0 : total, tokens);
}

// Bytes and characters are counted faster than they are remembered.
std::unique_ptr<tokenize::TokenCounter> counter_of(
    const tokenize::Tokenizer& tokenizer) {
  auto counter = tokenizer.make_counter();
  if (tokenizer.info().vocabulary_size == 0) return counter;
  return tokenize::make_memo_counter(std::move(counter));
}

}  // namespace

Measurer::Measurer(const MeasureOptions& options)
    : options_(options),
      counter_(counter_of(*options.tokenizer)),
      prefixes_(*options.tokenizer, *counter_),
      writer_(options.conversations, *options.tokenizer, *counter_),
      plain_(options.plain, *options.tokenizer, *counter_, prefixes_),
      plain_preferences_(options.plain_preferences, *options.tokenizer,
                         *counter_, prefixes_) {
  if (options_.chat_template != nullptr) {
    renderer_ = options_.chat_template->make_renderer();
  }
  if (options_.fallback_template != nullptr) {
    fallback_ = options_.fallback_template->make_renderer();
  }
}

bool Measurer::render(const scan::RowView& row, const Sample& sample,
                      std::span<const Message> messages, RowFacts& facts) {
  Status status = writer_.write(*renderer_, row, sample, messages, rendered_);
  if (!status && fallback_ != nullptr &&
      status.error().kind == ErrorKind::kUnsupported) {
    facts.flags |= kTemplateFallback;
    refusal_ = status.error().message;
    status = writer_.write(*fallback_, row, sample, messages, rendered_);
  }
  if (!status) {
    refusal_ = status.error().message;
    return false;
  }
  if (rendered_.mask_source == chat::MaskSource::kPrefixesBroken) {
    facts.flags |= kMaskBroken;
  }
  const bool is_text =
      writer_.how().pairs_as_texts && sample.type == SampleType::kDpo;
  measure_rendered(rendered_, messages.size(),
                   is_text ? LabelStart::kPromptTokens : LabelStart::kCrossing,
                   prefixes_, rendered_scratch_, lengths_);
  return true;
}

// Takes over what lengths_ holds of one side's (or the only) sequence.
void Measurer::add_side(const Sample& sample, Side side, RowFacts& facts) {
  if (side != Side::kRejected) {
    facts.first_label = lengths_.first_label;
    facts.label_end = lengths_.label_end;
    facts.label_tokens = lengths_.label_tokens;
    if (lengths_.has_trained_span) facts.flags |= kHasLabels;
    if (lengths_.outside_messages > 0) {
      add_field(facts, Field::kTemplate, lengths_.outside_messages);
    }
  }
  const std::span<const Message> messages =
      side == Side::kBoth ? std::span<const Message>(sample.messages)
                          : std::span<const Message>(messages_);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const bool is_side_answer = side != Side::kBoth && i + 1 == messages.size();
    if (side == Side::kRejected && !is_side_answer) continue;
    const Field field = !is_side_answer         ? field_of(messages[i])
                        : side == Side::kChosen ? Field::kChosen
                                                : Field::kRejected;
    add_field(facts, field, lengths_.by_message[i]);
  }
}

bool Measurer::measure_rendered_row(const scan::RowView& row,
                                    const Sample& sample, RowFacts& facts) {
  if (sample.type != SampleType::kDpo) {
    if (!render(row, sample, sample.messages, facts)) return false;
    facts.tokens = lengths_.tokens;
    add_side(sample, Side::kBoth, facts);
    return true;
  }
  std::uint32_t longest = 0;
  for (const Side side : {Side::kChosen, Side::kRejected}) {
    messages_.clear();
    for (const Message& message : sample.messages) {
      if (message.side == Side::kBoth || message.side == side) {
        messages_.push_back(message);
      }
    }
    if (!render(row, sample, messages_, facts)) return false;
    (side == Side::kChosen ? facts.chosen_side_tokens
                           : facts.rejected_side_tokens) = lengths_.tokens;
    longest = std::max(longest, lengths_.tokens);
    add_side(sample, side, facts);
  }
  facts.tokens = longest;
  return true;
}

PlainMeasurer& Measurer::plain_of(const Sample& sample) {
  return is_preference(sample.type) ? plain_preferences_ : plain_;
}

// Takes over what plain_sequence_ holds of one side's (or the only) sequence.
void Measurer::add_plain_side(const Sample& sample, Side side,
                              RowFacts& facts) {
  if (side != Side::kRejected) {
    facts.first_label = plain_sequence_.first_label;
    facts.label_end = plain_sequence_.label_end;
    facts.label_tokens = plain_sequence_.label_tokens;
    const std::uint32_t around =
        plain_sequence_.before + plain_sequence_.behind;
    if (around > 0) add_field(facts, Field::kTemplate, around);
  }
  for (const PlainSequence::Part& part : plain_sequence_.parts) {
    const records::Piece& piece = sample.pieces[part.piece];
    // What both sides of a preference begin with is its prompt, which counts
    // once, as without a target.
    const bool is_found_prompt = !part.trained && piece.side != Side::kBoth;
    const Field field = is_found_prompt ? Field::kPrompt : piece.field;
    if (side == Side::kRejected && field != Field::kRejected) continue;
    add_field(facts, field, part.tokens);
  }
}

void Measurer::measure_plain_row(const Sample& sample, RowFacts& facts) {
  PlainMeasurer& plain = plain_of(sample);
  facts.fields.fill(kAbsent);
  if (sample.type != SampleType::kDpo) {
    plain.measure(sample, Side::kBoth, plain_sequence_);
    facts.tokens = plain_sequence_.tokens;
    add_plain_side(sample, Side::kBoth, facts);
    return;
  }
  plain.measure(sample, Side::kRejected, plain_sequence_);
  facts.rejected_side_tokens = plain_sequence_.tokens;
  const std::uint32_t rejected_label = plain_sequence_.first_label;
  add_plain_side(sample, Side::kRejected, facts);
  plain.measure(sample, Side::kChosen, plain_sequence_);
  facts.chosen_side_tokens = plain_sequence_.tokens;
  // Both sides have one prompt, which ends where it ends first.
  if (rejected_label < plain_sequence_.first_label &&
      plain_sequence_.first_label != kAbsent) {
    plain_sequence_.label_tokens +=
        plain_sequence_.first_label - rejected_label;
    plain_sequence_.first_label = rejected_label;
  }
  add_plain_side(sample, Side::kChosen, facts);
  facts.tokens = std::max(facts.chosen_side_tokens, facts.rejected_side_tokens);
}

void Measurer::measure(const scan::RowView& row, const Sample& sample,
                       RowFacts& facts) {
  refusal_.clear();
  was_rendered_ = false;
  measure_pieces(sample, *counter_, pieces_, facts);
  if (renderer_ != nullptr && is_conversation(sample)) {
    RowFacts rendered;
    rendered.offset = facts.offset;
    rendered.line = facts.line;
    rendered.bytes = facts.bytes;
    rendered.file = facts.file;
    rendered.type = facts.type;
    rendered.schema = facts.schema;
    rendered.dialect = facts.dialect;
    rendered.flags = static_cast<std::uint16_t>(facts.flags & ~kHasLabels);
    rendered.content_tokens = facts.content_tokens;
    if (measure_rendered_row(row, sample, rendered)) {
      facts = rendered;
      was_rendered_ = true;
    } else {
      facts.flags |= kTemplateRefused;
    }
  } else if (plain_of(sample).applies_to(sample)) {
    measure_plain_row(sample, facts);
  }
  if (const std::uint64_t media = options_.media.tokens(sample); media > 0) {
    facts.tokens = add(facts.tokens, media);
    if (facts.first_label != kAbsent) {
      facts.first_label = add(facts.first_label, media);
      facts.label_end = add(facts.label_end, media);
    }
  }
}

}  // namespace trainsight::facts
