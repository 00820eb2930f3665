#include <fmt/format.h>

#include <algorithm>

#include "pointer.h"
#include "set_state.h"

namespace trainsight::rules {
namespace {

using Column = SetColumns::Column;
using TypeUse = SetColumns::TypeUse;

// Below tool calls and tool schemas types vary by nature: another rule.
bool is_of_tools(const std::string& path) {
  return path.find("/arguments/") != std::string::npos ||
         path.find("/tools/") != std::string::npos ||
         path.find("/functions/") != std::string::npos ||
         path.find("/parameters/") != std::string::npos;
}

std::string_view type_name(std::size_t type) {
  return name_of(static_cast<ColumnType>(type));
}

// The types of the column in the order in which they were met.
std::vector<std::size_t> types_met(const Column& column) {
  std::vector<std::size_t> types;
  for (std::size_t t = 0; t < kColumnTypes; ++t) {
    if (column[t].line != 0) types.push_back(t);
  }
  std::stable_sort(types.begin(), types.end(),
                   [&column](std::size_t a, std::size_t b) {
                     return std::pair(column[a].file, column[a].line) <
                            std::pair(column[b].file, column[b].line);
                   });
  return types;
}

void report_change(RuleId rule, const Column& column,
                   const std::vector<std::size_t>& types, std::size_t at,
                   SetState& state) {
  const TypeUse& use = column[types[at]];
  std::string before;
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < at; ++i) {
    const std::uint64_t rows = use.rows_before[types[i]];
    before += fmt::format("{}{} in {} row{} before", before.empty() ? "" : ", ",
                          type_name(types[i]), rows, rows == 1 ? "" : "s");
    figures.push_back(
        count_figure(fmt::format("{}_rows_before", type_name(types[i])), rows));
    figures.push_back(count_figure(fmt::format("{}_rows", type_name(types[i])),
                                   column[types[i]].rows));
  }
  figures.push_back(
      count_figure(fmt::format("{}_rows", type_name(types[at])), use.rows));
  state.add(rule, use.file, use.line,
            fmt::format("{} is a {}{}{}", use.pointer, type_name(types[at]),
                        before.empty() ? "" : ", ", before),
            std::move(figures), use.pointer, use.offset);
}

void report_tool_change(const Column& column,
                        const std::vector<std::size_t>& types,
                        SetState& state) {
  std::vector<Figure> figures;
  std::string list;
  for (const std::size_t type : types) {
    figures.push_back(count_figure(fmt::format("{}_rows", type_name(type)),
                                   column[type].rows));
    list += fmt::format("{}{} first at line {}", list.empty() ? "" : ", ",
                        type_name(type), column[type].line);
  }
  for (const std::size_t type : types) {
    const TypeUse& use = column[type];
    state.add(RuleId::kToolArguments, use.file, use.line,
              fmt::format("{}: {}", use.pointer, list), figures, use.pointer,
              use.offset);
  }
}

void check_types(SetState& state) {
  struct Change {
    const Column* column;
    std::vector<std::size_t> types;
    std::size_t at;
  };
  std::vector<Change> changes;
  std::vector<Change> of_tools;
  for (const auto& [path, column] : state.columns.columns()) {
    const std::vector<std::size_t> types = types_met(column);
    if (types.size() < 2) continue;
    if (is_of_tools(path)) {
      of_tools.push_back({&column, types, 1});
      continue;
    }
    for (std::size_t at = 1; at < types.size(); ++at) {
      changes.push_back({&column, types, at});
    }
  }
  const auto in_input_order = [](const Change& a, const Change& b) {
    const TypeUse& x = (*a.column)[a.types[a.at]];
    const TypeUse& y = (*b.column)[b.types[b.at]];
    return std::pair(x.file, x.line) < std::pair(y.file, y.line);
  };
  std::stable_sort(changes.begin(), changes.end(), in_input_order);
  std::stable_sort(of_tools.begin(), of_tools.end(), in_input_order);
  for (const Change& change : changes) {
    report_change(RuleId::kColumnType, *change.column, change.types, change.at,
                  state);
  }
  for (const Change& change : of_tools) {
    report_tool_change(*change.column, change.types, state);
  }
}

void check_tool_schemas(SetState& state) {
  const auto& sets = state.tools.sets();
  if (sets.size() < 2) return;
  const std::set<std::string> all = state.tools.all_names();
  std::uint64_t nulls = 0;
  std::vector<const ToolSchemas::KeySet*> in_order;
  for (const auto& [names, set] : sets) {
    nulls += set.uses * (all.size() - names.size());
    in_order.push_back(&set);
  }
  if (nulls == 0) return;
  std::sort(in_order.begin(), in_order.end(),
            [](const ToolSchemas::KeySet* a, const ToolSchemas::KeySet* b) {
              return std::tuple(a->file, a->line, a->pointer) <
                     std::tuple(b->file, b->line, b->pointer);
            });
  std::vector<Figure> figures = {count_figure("key_sets", sets.size())};
  if (nulls % state.tools.rows() == 0) {
    figures.push_back(
        count_figure("nulls_added_per_row", nulls / state.tools.rows()));
  } else {
    figures.push_back(
        {"nulls_added_per_row",
         static_cast<double>(nulls) / static_cast<double>(state.tools.rows())});
  }
  const auto& count_tokens = state.options.vocabulary.count_tokens;
  if (count_tokens && !state.tools.first_tools().empty()) {
    const std::uint64_t before = count_tokens(state.tools.first_tools());
    const std::uint64_t after = count_tokens(state.tools.padded_first_tools());
    figures.push_back(count_figure("tokens_added_per_row",
                                   after > before ? after - before : 0));
  }
  for (const ToolSchemas::KeySet* set : in_order) {
    state.add(RuleId::kToolSchemasDiffer, set->file, set->line,
              fmt::format("{} different sets of parameters, {} names in all: "
                          "Arrow pads each with the others' as nulls",
                          sets.size(), all.size()),
              figures, set->pointer, set->offset);
  }
}

void check_dates(SetState& state) {
  for (const auto& [name, use] : state.dates) {
    std::string path;
    path += '/';
    path += name;
    const auto found = state.columns.columns().find(path);
    if (found == state.columns.columns().end()) continue;
    const TypeUse& text =
        found->second[static_cast<std::size_t>(ColumnType::kString)];
    // Types are inferred from the first value.
    const bool is_first = use.file == text.file && use.line == text.line;
    if (!is_first || text.rows <= use.rows) continue;
    const std::uint64_t others = text.rows - use.rows;
    state.add(RuleId::kTimestamp, use.file, use.line,
              fmt::format("{} looks like a timestamp in the first row and in "
                          "{} row{} in all, not in {} others",
                          path, use.rows, use.rows == 1 ? "" : "s", others),
              {count_figure("rows_like_a_timestamp", use.rows),
               count_figure("other_rows", others)},
              text.pointer, text.offset);
  }
}

// Columns that the run was told of and that no row has. Tags name members of
// messages, not of rows.
void check_named_columns(SetState& state) {
  constexpr std::string_view kTag = "_tag";
  if (state.columns.too_many_paths() || state.train.rows == 0) return;
  for (const auto& [field, column] : state.options.named_columns) {
    const bool is_tag = field.size() > kTag.size() && field != "kto_tag" &&
                        field.substr(field.size() - kTag.size()) == kTag;
    if (is_tag || column.empty()) continue;
    std::string path;
    append_token(column, path);
    if (state.columns.columns().count(path) > 0) continue;
    state.add(
        RuleId::kNamedColumn, state.whole(), kNoLine,
        fmt::format("no row has a value in \"{}\", which was named as the "
                    "{}",
                    column, field),
        {{"field", field}, {"column", column}});
  }
}

}  // namespace

void check_columns_of_set(SetState& state) {
  check_named_columns(state);
  check_types(state);
  check_tool_schemas(state);
  check_dates(state);
  if (state.columns.too_many_paths()) {
    state.add(RuleId::kManyColumns, state.whole(), kNoLine,
              fmt::format("more than {} different columns: types are checked "
                          "for the first of them",
                          kMostPaths),
              {count_figure("columns_checked", kMostPaths)});
  }
}

}  // namespace trainsight::rules
