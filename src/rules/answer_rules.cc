#include <fmt/format.h>

#include "pointer.h"
#include "row_rules.h"
#include "trainsight/records/schema_table.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

using records::Piece;
using records::Role;
using records::SampleType;
using scan::Value;

bool calls_a_tool(const records::Sample& sample) {
  for (const records::Message& message : sample.messages) {
    if (message.has_tool_calls) return true;
  }
  return false;
}

bool has_assistant(const records::Sample& sample) {
  for (const records::Message& message : sample.messages) {
    if (message.role == Role::kAssistant || message.role == Role::kCall) {
      return true;
    }
  }
  return false;
}

// The blank answer of a row whose answers are all blank; nullptr otherwise.
const Piece* blank_answer(const records::Sample& sample) {
  const Piece* answer = nullptr;
  for (const Piece& piece : sample.pieces) {
    if (!piece.trained) continue;
    if (!text::is_blank(piece.text)) return nullptr;
    answer = &piece;
  }
  return answer;
}

// The pointer of the schema's answer when it is there and null.
std::string null_answer_pointer(const RowContext& c) {
  const records::Schema& schema =
      records::schemas()[static_cast<std::size_t>(c.sample.schema)];
  for (const records::FieldRule& rule : schema.fields) {
    if (!rule.used) break;
    const Value* value = rule.trained ? c.members[rule.key] : nullptr;
    if (value != nullptr && value->is(scan::ValueKind::kNull)) {
      return pointer_of(c.row, *value);
    }
  }
  return {};
}

void check_conversation(const RowContext& c, RowFindings& findings) {
  const records::Sample& s = c.sample;
  if (!has_assistant(s)) {
    if (Finding* finding = findings.found(RuleId::kNoAssistant)) {
      finding->message =
          fmt::format("{} turns, none of the assistant", s.messages.size());
    }
  } else if (s.ends_with_user) {
    if (Finding* finding = findings.found(RuleId::kNoLastAnswer)) {
      finding->message = fmt::format("the last turn is of \"{}\"",
                                     s.messages.back().role_name);
    }
  }
}

}  // namespace

void check_answers(const RowContext& c, RowFindings& findings) {
  const records::Sample& s = c.sample;
  if (s.type == SampleType::kPretrain) {
    if (s.answer_is_null) {
      if (Finding* finding = findings.found(RuleId::kNullAnswer)) {
        finding->pointer = null_answer_pointer(c);
        finding->message = "the text is missing or null";
      }
    } else if (s.ids.input_ids == nullptr && blank_answer(s) != nullptr) {
      if (Finding* finding = findings.found(RuleId::kEmptyText)) {
        finding->pointer =
            pointer_of_text(c.row, blank_answer(s)->text.bytes.data());
        finding->message = "the document holds no text";
      }
    }
    return;
  }
  if (s.type != SampleType::kSft) return;
  const Piece* blank = nullptr;
  if (s.answer_is_null) {
    if (Finding* finding = findings.found(RuleId::kNullAnswer)) {
      finding->pointer = null_answer_pointer(c);
      finding->message = "the answer is missing or null";
    }
  } else if ((blank = blank_answer(s)) != nullptr && !calls_a_tool(s)) {
    if (Finding* finding = findings.found(RuleId::kEmptyAnswer)) {
      finding->pointer = pointer_of_text(c.row, blank->text.bytes.data());
      finding->message = blank->text.bytes.empty()
                             ? "the answer is empty"
                             : "the answer is white space only";
    }
  }
  if (!s.messages.empty()) check_conversation(c, findings);
}

}  // namespace trainsight::rules
