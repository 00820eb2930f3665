#include <fmt/format.h>

#include <array>

#include "pointer.h"
#include "row_rules.h"

namespace trainsight::rules {
namespace {

using records::Message;
using records::Role;
using scan::Value;
using scan::ValueKind;

std::string_view text_of(const Value* value) {
  return value != nullptr && value->is(ValueKind::kText) ? value->text().bytes
                                                         : std::string_view();
}

// Calls that wait for their results; further ones than fit are not paired.
struct OpenCalls {
  struct Call {
    std::string_view id;
    const Value* value = nullptr;
  };
  std::array<Call, 64> calls;
  std::size_t count = 0;

  void open(std::string_view id, const Value& value) {
    if (count < calls.size()) calls[count++] = Call{id, &value};
  }
  bool close(std::string_view id) {
    for (std::size_t i = 0; i < count; ++i) {
      if (calls[i].id != id) continue;
      for (; i + 1 < count; ++i) calls[i] = calls[i + 1];
      --count;
      return true;
    }
    return false;
  }
};

void open_calls(const RowContext& c, const Message& message, OpenCalls& open,
                std::uint64_t& calls) {
  const Value* list = c.row.member(*message.value, "tool_calls");
  if (list == nullptr || !list->is(ValueKind::kArray)) {
    ++calls;
    return;
  }
  for (const Value* v = c.row.first_child(*list); v != nullptr;
       v = c.row.next_child(*list, *v)) {
    ++calls;
    const std::string_view id = text_of(c.row.member(*v, "id"));
    if (!id.empty()) open.open(id, *v);
  }
}

// False when the result answers no open call.
bool check_result(const RowContext& c, const Message& message, OpenCalls& open,
                  RowFindings& findings) {
  const Value* id = c.row.member(*message.value, "tool_call_id");
  if (id == nullptr || text_of(id).empty()) {
    // Without ids results answer calls in their order.
    if (open.count > 0) open.close(open.calls[0].id);
    return true;
  }
  if (open.close(text_of(id))) return true;
  if (Finding* finding = findings.found(RuleId::kResultWithoutCall)) {
    const std::string waiting =
        open.count > 0 ? std::string(open.calls[0].id) : std::string();
    finding->pointer = pointer_of(c.row, *id);
    finding->message =
        waiting.empty()
            ? fmt::format("tool_call_id \"{}\" answers no call", text_of(id))
            : fmt::format("tool_call_id \"{}\" answers no call; \"{}\" is open",
                          text_of(id), waiting);
    finding->figures = {{"tool_call_id", std::string(text_of(id))}};
    if (!waiting.empty()) finding->figures.push_back({"open_call", waiting});
  }
  return false;
}

}  // namespace

void report_padding(const RowContext& c, std::uint64_t nulls,
                    const Value& parameters, RowFindings& findings) {
  Finding* finding = findings.found(RuleId::kToolSchemasPadded);
  if (finding == nullptr) return;
  finding->pointer = pointer_of(c.row, parameters);
  finding->message = fmt::format("{} null{} under the tools' parameters", nulls,
                                 nulls == 1 ? "" : "s");
  finding->figures = {count_figure("nulls", nulls)};
}

void check_tool_calls(const RowContext& c, RowFindings& findings) {
  OpenCalls open;
  std::uint64_t calls = 0;
  bool paired = true;
  for (const Message& message : c.sample.messages) {
    if (message.role == Role::kTool) {
      paired &= check_result(c, message, open, findings);
      continue;
    }
    if (open.count > 0 && paired) {
      if (Finding* finding = findings.found(RuleId::kCallWithoutResult)) {
        finding->pointer = pointer_of(c.row, *open.calls[0].value);
        finding->message =
            fmt::format("call \"{}\" is not answered before the next turn",
                        open.calls[0].id);
      }
    }
    open.count = 0;
    if (!message.has_tool_calls) continue;
    open_calls(c, message, open, calls);
    const Value* content = message.content;
    if (content != nullptr && content->is(ValueKind::kText) &&
        content->bytes == 0) {
      if (Finding* finding = findings.found(RuleId::kEmptyContentWithCalls)) {
        finding->pointer = pointer_of(c.row, *content);
        finding->message = "empty text beside tool calls; use null";
      }
    }
  }
  const Value* tools = c.sample.tools;
  const bool is_empty =
      tools != nullptr && tools->is(ValueKind::kArray) && tools->count == 0;
  if (calls > 0 && is_empty) {
    if (Finding* finding = findings.found(RuleId::kToolsEmpty)) {
      finding->pointer = pointer_of(c.row, *tools);
      finding->message = fmt::format("{} tool call{}, and no tool is listed",
                                     calls, calls == 1 ? "" : "s");
      finding->figures = {count_figure("tool_calls", calls)};
    }
  }
}

}  // namespace trainsight::rules
