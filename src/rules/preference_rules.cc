#include <fmt/format.h>

#include "pointer.h"
#include "row_rules.h"
#include "trainsight/records/schema_table.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

using records::Field;
using records::Key;
using records::Piece;
using records::Role;
using records::SampleType;
using scan::Value;
using scan::ValueKind;

const records::Schema& schema_of(const RowContext& c) {
  return records::schemas()[static_cast<std::size_t>(c.sample.schema)];
}

// Whether the pieces of `field` hold text; `first` is the first of them.
struct FieldText {
  const Piece* first = nullptr;
  bool blank = true;
};
FieldText text_of(const RowContext& c, Field field) {
  FieldText result;
  for (const Piece& piece : c.sample.pieces) {
    if (piece.field != field) continue;
    if (result.first == nullptr) result.first = &piece;
    result.blank = result.blank && text::is_blank(piece.text);
  }
  return result;
}

void report_empty(const RowContext& c, RuleId rule, const FieldText& text,
                  std::string_view what, RowFindings& findings) {
  if (text.first == nullptr || !text.blank) return;
  if (Finding* finding = findings.found(rule)) {
    finding->pointer = pointer_of_text(c.row, text.first->text.bytes.data());
    finding->message = fmt::format(
        "{} is {}", what,
        text.first->text.bytes.empty() ? "empty" : "white space only");
  }
}

void check_side(const RowContext& c, Field field, RuleId missing, RuleId empty,
                std::string_view name, RowFindings& findings) {
  const FieldText text = text_of(c, field);
  if (text.first == nullptr) {
    if (Finding* finding = findings.found(missing)) {
      finding->message = fmt::format("{} is missing or null", name);
    }
    return;
  }
  report_empty(c, empty, text, name, findings);
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The text of a side when it is one piece; the common case, and the only one
// in which "the same but for white space at the ends" has a meaning.
const Piece* only_piece(const RowContext& c, Field field) {
  const Piece* only = nullptr;
  for (const Piece& piece : c.sample.pieces) {
    if (piece.field != field) continue;
    if (only != nullptr) return nullptr;
    only = &piece;
  }
  return only;
}

void check_difference(const RowContext& c, TextScratch& scratch,
                      RowFindings& findings) {
  const Piece* chosen = only_piece(c, Field::kChosen);
  const Piece* rejected = only_piece(c, Field::kRejected);
  if (chosen == nullptr || rejected == nullptr) return;
  if (chosen->text.bytes == rejected->text.bytes) {
    if (text::is_blank(chosen->text)) return;  // told as empty
    if (Finding* finding = findings.found(RuleId::kSame)) {
      finding->message = "chosen and rejected are identical";
    }
    return;
  }
  // Texts of different sizes differ in more than white space as a rule: only
  // a look at both ends costs the unescaping.
  const std::uint64_t a = chosen->text.bytes.size();
  const std::uint64_t b = rejected->text.bytes.size();
  constexpr std::uint64_t kMostSpace = 64;
  if ((a > b ? a - b : b - a) > kMostSpace) return;
  const std::string first(text::as_utf8(chosen->text, scratch.text));
  const std::string_view second =
      trimmed(text::as_utf8(rejected->text, scratch.text));
  if (second.empty() || trimmed(first) != second) return;
  const bool same = first == text::as_utf8(rejected->text, scratch.text);
  if (Finding* finding =
          findings.found(same ? RuleId::kSame : RuleId::kSameTrimmed)) {
    finding->message = same ? "chosen and rejected are identical"
                            : "chosen and rejected differ in white space at "
                              "their ends only";
  }
}

void check_style(const RowContext& c, RowFindings& findings) {
  if (schema_of(c).carrier != records::Carrier::kPreference) return;
  bool has_plain = false;
  bool has_turns = false;
  for (const Piece& piece : c.sample.pieces) {
    if (piece.field == Field::kSystem || piece.field == Field::kContext) {
      continue;
    }
    (piece.message < 0 ? has_plain : has_turns) = true;
  }
  if (has_turns) findings.mark(facts::kConversational);
  // "prompt" as a string beside whole transcripts is a known style.
  if (has_turns && has_plain) findings.mark(facts::kMixedStyle);
}

void check_dpo(const RowContext& c, TextScratch& scratch,
               RowFindings& findings) {
  check_side(c, Field::kChosen, RuleId::kChosenMissing, RuleId::kChosenEmpty,
             "chosen", findings);
  check_side(c, Field::kRejected, RuleId::kRejectedMissing,
             RuleId::kRejectedEmpty, "rejected", findings);
  if (!c.sample.sides_are_whole) {
    report_empty(c, RuleId::kPromptEmpty, text_of(c, Field::kPrompt),
                 "the prompt", findings);
  }
  const bool is_implicit = schema_of(c).name == "implicit-preference";
  if (is_implicit) {
    if (Finding* finding = findings.found(RuleId::kImplicitPrompt)) {
      finding->message =
          "no prompt: it is the common beginning of chosen and "
          "rejected";
    }
  }
  check_difference(c, scratch, findings);
}

void check_kto(const RowContext& c, RowFindings& findings) {
  report_empty(c, RuleId::kPromptEmpty, text_of(c, Field::kPrompt),
               "the prompt", findings);
  report_empty(c, RuleId::kCompletionEmpty, text_of(c, Field::kCompletion),
               "the completion", findings);
  if (c.sample.answer_is_null) {
    if (Finding* finding = findings.found(RuleId::kNullAnswer)) {
      finding->message = "the completion is missing or null";
    }
  }
  if (c.sample.has_label) {
    findings.mark(c.sample.label ? facts::kLabelTrue : facts::kLabelFalse);
    return;
  }
  const Value* label = c.members[Key::kKtoTag] != nullptr
                           ? c.members[Key::kKtoTag]
                           : c.members[Key::kLabel];
  if (Finding* finding = findings.found(RuleId::kLabelType)) {
    if (label != nullptr) finding->pointer = pointer_of(c.row, *label);
    finding->message =
        label == nullptr ? "the label is missing"
        : label->is(ValueKind::kText)
            ? "the label is a string, and any string is true in Python"
            : "the label is no boolean";
  }
}

void check_grpo(const RowContext& c, RowFindings& findings) {
  if (!c.sample.messages.empty()) {
    const records::Message& last = c.sample.messages.back();
    if (last.role == Role::kAssistant) {
      if (Finding* finding = findings.found(RuleId::kPromptIsAnswered)) {
        finding->pointer = pointer_of(c.row, *last.value);
        finding->message =
            "the last turn is the assistant's: the answer is leaked in the "
            "prompt; did you mean sft?";
        finding->figures = {{"last_role", std::string("assistant")},
                            {"suggestion", std::string("sft")}};
      }
    }
  }
  report_empty(c, RuleId::kPromptEmpty, text_of(c, Field::kPrompt),
               "the prompt", findings);
  const Value* answer = reference_answer(c);
  if (answer == nullptr) return;
  const bool is_empty =
      answer->is(ValueKind::kNull) ||
      (answer->is(ValueKind::kText) && text::is_blank(answer->text()));
  if (!is_empty) return;
  if (Finding* finding = findings.found(RuleId::kAnswerEmpty)) {
    finding->pointer = pointer_of(c.row, *answer);
    finding->message = "the reference answer is empty";
  }
}

void check_steps(const RowContext& c, RowFindings& findings) {
  const Value* steps = c.members[Key::kCompletions];
  const Value* labels = c.members[Key::kLabels];
  if (steps == nullptr || labels == nullptr || steps->count == labels->count) {
    return;
  }
  if (Finding* finding = findings.found(RuleId::kStepsMismatch)) {
    finding->pointer = pointer_of(c.row, *labels);
    finding->message =
        fmt::format("{} completions, {} labels", steps->count, labels->count);
    finding->figures = {count_figure("completions", steps->count),
                        count_figure("labels", labels->count)};
  }
}

}  // namespace

const Value* reference_answer(const RowContext& c) {
  if (const Value* model = c.members[Key::kRewardModel]; model != nullptr) {
    return c.row.member(*model, "ground_truth");
  }
  for (const Key key : {Key::kAnswer, Key::kSolution, Key::kTarget}) {
    if (c.members[key] != nullptr) return c.members[key];
  }
  return nullptr;
}

void check_preferences(const RowContext& c, TextScratch& scratch,
                       RowFindings& findings) {
  check_style(c, findings);
  switch (c.sample.type) {
    case SampleType::kDpo:
      return check_dpo(c, scratch, findings);
    case SampleType::kKto:
      return check_kto(c, findings);
    case SampleType::kGrpo:
      return check_grpo(c, findings);
    case SampleType::kPrm:
      return check_steps(c, findings);
    case SampleType::kUnknown:
    case SampleType::kPretrain:
    case SampleType::kSft:
    case SampleType::kEmbedding:
      return;
  }
}

}  // namespace trainsight::rules
