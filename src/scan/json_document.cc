#include "trainsight/scan/json_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "scan/json_strict.h"
#include "scan/json_tape.h"
#include "scan/tape_finish.h"
#include "trainsight/text/json_text.h"

namespace trainsight::scan {
namespace {

// The strict parser reads ahead of the record's end.
constexpr std::size_t kPadding = 64;

std::string place_at(std::string_view json, std::size_t byte) {
  const std::string_view before = json.substr(0, byte);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", line, byte - line_begin + 1);
}

}  // namespace

struct JsonDocument::State {
  std::string text;
  std::size_t size = 0;
  JsonTape tape;
  RowView view;
};

JsonDocument::JsonDocument(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

Result<JsonDocument> JsonDocument::parse(std::string_view json,
                                         std::string_view name) {
  if (json.size() > kMaxBytes) {
    return Error{ErrorKind::kLimit,
                 fmt::format("{}: {} bytes, over the limit of {}", name,
                             json.size(), kMaxBytes),
                 ""};
  }
  auto state = std::make_unique<State>();
  state->size = json.size();
  state->text.reserve(json.size() + kPadding);
  state->text.append(json);
  state->text.append(kPadding, '\0');
  const std::string_view text(state->text.data(), state->size);
  JsonLimits limits;
  limits.max_values = 4'000'000;
  JsonFault fault;
  StrictJson parser;
  if (!parser.parse(text, limits, state->tape, fault)) {
    return Error{ErrorKind::kCorrupt,
                 fmt::format("{}:{}: {}", name,
                             place_at(text, std::min<std::uint64_t>(
                                                fault.byte, text.size())),
                             fault.message),
                 ""};
  }
  FinishScratch finish;
  state->view.skeleton = finish_tape(state->tape.values(), finish);
  state->view.values = state->tape.values();
  state->view.raw = text;
  return JsonDocument(std::move(state));
}

const RowView& JsonDocument::view() const { return state_->view; }

std::string JsonDocument::place_of(const Value& value) const {
  const std::string_view text(state_->text.data(), state_->size);
  const auto inside = [&text](const char* at) {
    return at != nullptr && at >= text.data() && at < text.data() + text.size();
  };
  const char* at = inside(value.key.data()) ? value.key.data() : value.data;
  return inside(at) ? place_at(text, static_cast<std::size_t>(at - text.data()))
                    : std::string("1:1");
}

std::string text_of(const Value* value) {
  std::string text;
  if (value != nullptr && value->is(ValueKind::kText)) {
    text::append_unescaped(value->text(), text);
  }
  return text;
}

}  // namespace trainsight::scan
