#include "tool_schemas.h"

#include <algorithm>

#include "pointer.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

using scan::RowView;
using scan::Value;
using scan::ValueKind;

constexpr std::size_t kMostToolsBytes = 64u << 10;

const Value* parameters_of(const RowView& row, const Value& tool) {
  const Value* parameters = row.member(tool, "parameters");
  if (parameters == nullptr) {
    const Value* function = row.member(tool, "function");
    if (function != nullptr) parameters = row.member(*function, "parameters");
  }
  if (parameters == nullptr || !parameters->is(ValueKind::kObject)) {
    return nullptr;
  }
  // A JSON Schema names its parameters under "properties".
  const Value* properties = row.member(*parameters, "properties");
  return properties != nullptr && properties->is(ValueKind::kObject)
             ? properties
             : parameters;
}

}  // namespace

std::uint64_t ToolSchemas::add(const RowView& row, const Value& tools,
                               const Value** where) {
  std::uint64_t nulls = 0;
  const bool is_first = rows_ == 0;
  bool has_parameters = false;
  for (const Value* tool = row.first_child(tools); tool != nullptr;
       tool = row.next_child(tools, *tool)) {
    const Value* parameters = parameters_of(row, *tool);
    if (parameters == nullptr) continue;
    has_parameters = true;
    std::vector<std::string> names;
    for (const Value* v = row.first_child(*parameters); v != nullptr;
         v = row.next_child(*parameters, *v)) {
      if (!v->is(ValueKind::kNull)) names.emplace_back(v->key);
    }
    for (std::uint32_t i = row.index_of(*parameters) + 1; i < parameters->next;
         ++i) {
      if (!row.values[i].is(ValueKind::kNull)) continue;
      if (nulls++ == 0) *where = parameters;
    }
    std::sort(names.begin(), names.end());
    if (is_first && !tools.raw().empty() &&
        tools.raw().size() <= kMostToolsBytes) {
      const auto end = static_cast<std::size_t>(parameters->raw().data() +
                                                parameters->raw().size() - 1 -
                                                tools.raw().data());
      places_.push_back(Place{end, names});
    }
    const auto found = sets_.find(names);
    if (found == sets_.end()) {
      if (sets_.size() >= kMostSets) continue;
      sets_.emplace(std::move(names), KeySet{1, row.line, row.offset, 0,
                                             pointer_of(row, *parameters)});
    } else {
      ++found->second.uses;
    }
  }
  if (has_parameters) {
    if (!places_.empty() && is_first) first_tools_ = tools.raw();
    ++rows_;
  }
  return nulls;
}

void ToolSchemas::append(ToolSchemas&& later, std::uint32_t file,
                         std::uint64_t line_base) {
  if (rows_ == 0) {
    first_tools_ = std::move(later.first_tools_);
    places_ = std::move(later.places_);
  }
  rows_ += later.rows_;
  for (auto& [names, set] : later.sets_) {
    const auto found = sets_.find(names);
    if (found != sets_.end()) {
      found->second.uses += set.uses;
    } else if (sets_.size() < kMostSets) {
      KeySet& added = sets_[names];
      added = std::move(set);
      added.file = file;
      added.line += line_base;
    }
  }
}

std::set<std::string> ToolSchemas::all_names() const {
  std::set<std::string> all;
  for (const auto& entry : sets_) {
    all.insert(entry.first.begin(), entry.first.end());
  }
  return all;
}

std::string ToolSchemas::padded_first_tools() const {
  const std::set<std::string> all = all_names();
  std::string padded;
  std::size_t from = 0;
  for (const Place& place : places_) {
    padded.append(first_tools_, from, place.end - from);
    bool first = place.names.empty();
    for (const std::string& name : all) {
      if (std::binary_search(place.names.begin(), place.names.end(), name)) {
        continue;
      }
      padded += first ? "\"" : ", \"";
      text::append_json_escaped(name, padded);
      padded += "\": null";
      first = false;
    }
    from = place.end;
  }
  padded.append(first_tools_, from, std::string::npos);
  return padded;
}

}  // namespace trainsight::rules
