#include <fmt/format.h>

#include <algorithm>

#include "set_state.h"
#include "trainsight/records/schema_table.h"

namespace trainsight::rules {
namespace {

using Kind = scan::FileNote::Kind;

std::string_view plural(std::uint64_t n) { return n == 1 ? "" : "s"; }

void check_lines(const FileSummary& summary, SetState& state) {
  const scan::BatchFacts& facts = summary.facts;
  const std::uint64_t trailing = facts.trailing_blank_lines;
  const std::uint64_t inside = facts.blank_lines - trailing;
  const std::uint64_t first_trailing = facts.lines - trailing + 1;
  const auto report = [&](RuleId rule, std::uint64_t count, bool at_end) {
    Severity severity = rule_of(rule).severity;
    if (count == 0 || !state.wants(rule, severity)) return;
    std::vector<Finding> first;
    const auto add = [&](std::uint64_t line) {
      if (first.size() >= state.options.kept_findings) return;
      Finding finding;
      finding.code = rule_of(rule).code;
      finding.severity = severity;
      finding.file = summary.file;
      finding.line = line;
      finding.message = fmt::format("a blank line ({} {})", count,
                                    at_end ? "at the end" : "between records");
      first.push_back(std::move(finding));
    };
    if (at_end) {
      const std::uint64_t kept =
          std::min<std::uint64_t>(count, state.options.kept_findings);
      for (std::uint64_t i = 0; i < kept; ++i) add(first_trailing + i);
    } else {
      for (const std::uint64_t line : facts.first_blank_lines) {
        if (line < first_trailing) add(line);
      }
    }
    state.add_group({rule_of(rule).code, severity, summary.file}, count,
                    std::move(first));
  };
  report(RuleId::kBlankLinesInside, inside, false);
  report(RuleId::kBlankLinesAtEnd, trailing, true);
  if (facts.crlf_lines > 0 && facts.crlf_lines < facts.lines) {
    const std::uint64_t lf = facts.lines - facts.crlf_lines;
    state.add(RuleId::kMixedLineEndings, summary.file, kNoLine,
              fmt::format("{} line{} end in CR LF, {} in LF", facts.crlf_lines,
                          plural(facts.crlf_lines), lf),
              {count_figure("crlf_lines", facts.crlf_lines),
               count_figure("lf_lines", lf)});
  }
}

RuleId rule_of_note(Kind kind) {
  switch (kind) {
    case Kind::kBom:
      return RuleId::kBom;
    case Kind::kArrayInJsonl:
      return RuleId::kArrayInJsonl;
    case Kind::kLoneCr:
      return RuleId::kCrOnly;
    case Kind::kLargeDocument:
      return RuleId::kLargeDocument;
    case Kind::kSecondMember:
      return RuleId::kSecondMember;
    case Kind::kTrailingGarbage:
      return RuleId::kCompressedTail;
    case Kind::kSingleObject:
    case Kind::kObjectMap:
    case Kind::kConcatenated:
    case Kind::kNameMismatch:
    case Kind::kNoHeader:
      return RuleId::kFileLayout;
  }
  return RuleId::kFileLayout;
}

void check_notes(const FileSummary& summary, SetState& state) {
  for (const scan::FileNote& note : summary.notes) {
    std::vector<Figure> figures;
    std::uint64_t line = note.line;
    if (note.kind == Kind::kBom) {
      constexpr std::int64_t kBomBytes = 3;
      figures = {count_figure("byte_offset", note.offset),
                 {"bom_bytes", kBomBytes}};
    } else if (note.kind == Kind::kArrayInJsonl) {
      figures = {count_figure("rows", summary.records)};
      line = std::max<std::uint64_t>(line, 1);
    } else if (note.kind == Kind::kLoneCr) {
      figures = {count_figure("lf_bytes", 0),
                 count_figure("rows_if_split_at_cr", summary.records)};
    } else if (note.kind == Kind::kLargeDocument) {
      constexpr std::int64_t kOffsetLimit = 2'147'483'647;
      figures = {count_figure("file_bytes", summary.bytes),
                 {"offset_limit_bytes", kOffsetLimit}};
    }
    state.add(rule_of_note(note.kind), summary.file, line, note.message,
              std::move(figures), "", note.offset);
  }
}

void check_failure(const FileSummary& summary, SetState& state) {
  if (summary.failure.empty()) return;
  // The reader names what it found instead of data.
  if (summary.failure.find("UTF-16") != std::string::npos) {
    state.add(RuleId::kUtf16, summary.file, kNoLine, summary.failure,
              {{"encoding", std::string("UTF-16")}});
    return;
  }
  state.add(RuleId::kUnreadable, summary.file, kNoLine, summary.failure, {});
}

void check_format(const FileSummary& summary, SetState& state) {
  const targets::Target* target = state.options.target;
  if (target == nullptr) return;
  const auto& refused = target->refused_formats;
  if (std::find(refused.begin(), refused.end(), summary.format) ==
      refused.end()) {
    return;
  }
  state.add(RuleId::kFormatRefused, summary.file, kNoLine,
            fmt::format("{} does not read {}", target->title, summary.format),
            {{"format", summary.format}});
}

// The short name of a schema: its first needed key.
std::string_view short_name(std::size_t schema) {
  if (schema == 0) return "unknown";
  return records::name_of(records::schemas()[schema - 1].needs[0].key);
}

// "text_rows": 2, … of the schemas met.
std::vector<Figure> schema_figures(const RowTally& file) {
  std::map<std::string, std::uint64_t> rows;
  for (std::size_t i = 0; i < file.schemas.size(); ++i) {
    if (file.schemas[i].rows == 0) continue;
    rows[fmt::format("{}_rows", short_name(i))] += file.schemas[i].rows;
  }
  std::vector<Figure> figures;
  figures.reserve(rows.size());
  for (const auto& entry : rows) {
    figures.push_back(count_figure(entry.first, entry.second));
  }
  return figures;
}

void check_mixture(const FileSummary& summary, SetState& state) {
  const std::vector<Figure> schemas = schema_figures(state.file);
  std::size_t known = 0;
  std::string list;
  for (std::size_t i = 1; i < state.file.schemas.size(); ++i) {
    const Tally& tally = state.file.schemas[i];
    if (tally.rows == 0) continue;
    ++known;
    list += fmt::format("{}{} × {} from line {}", list.empty() ? "" : ", ",
                        tally.rows, records::schemas()[i - 1].name, tally.line);
  }
  if (known > 1) {
    state.add(RuleId::kMixedFormats, summary.file, kNoLine, list, schemas);
  }
  if (FindingGroup* group = state.group(RuleId::kTypeMismatch, summary.file)) {
    group->figures = schemas;
    group->figures.push_back(count_figure("usable_rows", state.file.usable));
  }
}

// One finding at the first row of each kind, all with the same figures.
template <std::size_t kSize>
void report_kinds(RuleId rule, const std::array<Tally, kSize>& tallies,
                  const std::array<std::string_view, kSize>& names,
                  std::uint32_t file, SetState& state) {
  struct Met {
    std::string_view name;
    Tally tally;
  };
  std::vector<Met> met;
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < kSize; ++i) {
    if (names[i].empty()) continue;
    figures.push_back(count_figure(std::string(names[i]), tallies[i].rows));
    if (tallies[i].rows > 0) met.push_back({names[i], tallies[i]});
  }
  std::sort(met.begin(), met.end(), [](const Met& a, const Met& b) {
    return a.tally.line < b.tally.line;
  });
  for (const Met& kind : met) {
    state.add(rule, file, kind.tally.line,
              fmt::format("{}: {}, the first here", kind.name, kind.tally.rows),
              {}, "", kind.tally.offset);
  }
  if (FindingGroup* group = state.group(rule, file)) group->figures = figures;
}

void check_kinds(const FileSummary& summary, SetState& state) {
  const auto kinds = [](const auto& tallies) {
    return std::count_if(tallies.begin(), tallies.end(),
                         [](const Tally& t) { return t.rows > 0; });
  };
  if (kinds(state.file.dialects) > 1) {
    report_kinds<5>(RuleId::kDialects, state.file.dialects,
                    {"", "role_content_rows", "from_human_gpt_rows",
                     "from_user_assistant_rows", "pair_rows"},
                    summary.file, state);
  }
  if (kinds(state.file.styles) > 1 ||
      state.file.styles[static_cast<std::size_t>(Style::kMixed)].rows > 0) {
    report_kinds<3>(
        RuleId::kMixedStyles, state.file.styles,
        {"standard_rows", "conversational_rows", "rows_mixed_inside"},
        summary.file, state);
  }
}

// Counts of the groups of this file, by the table.
void add_group_figures(const FileSummary& summary, SetState& state) {
  for (auto& [key, group] : state.log.groups()) {
    if (std::get<2>(key) != summary.file) continue;
    const Rule* rule = find_rule(std::get<0>(key));
    if (!rule->count_name.empty()) {
      group.figures.push_back(
          count_figure(std::string(rule->count_name), group.count));
    }
    if (!rule->total_name.empty()) {
      group.figures.push_back(
          count_figure(std::string(rule->total_name), state.file.rows));
    }
    if (!rule->count_name.empty() && !rule->total_name.empty() &&
        state.file.rows > 0) {
      group.figures.push_back({fmt::format("{}_ratio", rule->count_name),
                               static_cast<double>(group.count) /
                                   static_cast<double>(state.file.rows)});
    }
  }
}

void add_own_figures(const FileSummary& summary, SetState& state) {
  const RowTally& file = state.file;
  const auto group = [&](RuleId rule) {
    return state.group(rule, summary.file);
  };
  for (const RuleId rule : {RuleId::kHugeRecord, RuleId::kLongRun}) {
    FindingGroup* huge = group(rule);
    if (huge == nullptr || summary.bytes == 0) continue;
    for (Finding& finding : huge->first) {
      const auto bytes = std::get<std::int64_t>(finding.figures[0].value);
      finding.figures.push_back({"share_of_file_ratio",
                                 static_cast<double>(bytes) /
                                     static_cast<double>(summary.facts.bytes)});
    }
  }
  if (FindingGroup* cut = group(RuleId::kUnlabelledCut)) {
    cut->figures.push_back(
        count_figure("smallest_max_seq_len", file.label_end));
    cut->figures.push_back(count_figure("usable_rows", file.usable));
  }
  if (FindingGroup* padded = group(RuleId::kToolSchemasPadded)) {
    std::int64_t nulls = 0;
    for (const Finding& finding : padded->first) {
      nulls += std::get<std::int64_t>(finding.figures[0].value);
    }
    // Of the kept rows; the others are alike, since one cast made them.
    padded->figures.push_back({"nulls_under_parameters", nulls});
  }
  if (FindingGroup* over = group(RuleId::kLongerThanPack)) {
    over->figures.push_back(
        {"lost_tokens_ratio_if_dropped",
         static_cast<double>(file.tokens_over) /
             static_cast<double>(std::max<std::uint64_t>(file.tokens, 1))});
  }
  if (FindingGroup* marker = group(RuleId::kMarkerAbsent)) {
    marker->figures = {
        count_figure("rendered_rows", file.marked_rows + marker->count),
        count_figure("rows_with_marker", file.marked_rows),
        count_figure("trainable_tokens", 0)};
  }
  if (FindingGroup* lines = group(RuleId::kNotAnObject);
      lines != nullptr && state.arrays > 0) {
    lines->figures.push_back(
        count_figure("lines_that_are_arrays", state.arrays));
  }
}

void check_assumptions(const FileSummary& summary, SetState& state) {
  const RowTally& file = state.file;
  const RuleOptions& options = state.options;
  if (file.media_rows > 0) {
    state.add(RuleId::kNoImageLengths, summary.file, kNoLine,
              fmt::format("{} row{} with images, audio or video: {}",
                          file.media_rows, plural(file.media_rows),
                          options.media_words.empty()
                              ? "lengths are those of the text"
                              : options.media_words),
              {count_figure("rows_with_media", file.media_rows)});
  }
  const bool learns_turns =
      options.stated_type == records::SampleType::kUnknown ||
      options.stated_type == records::SampleType::kSft;
  if (file.conversations > 0 && learns_turns && options.target == nullptr &&
      !options.response_marker.has_value() && !options.has_template) {
    state.add(RuleId::kAssumedLabels, summary.file, kNoLine,
              "trainable tokens are taken to be those of the assistant's turns",
              {});
  }
}

}  // namespace

void check_file(const FileSummary& summary, SetState& state) {
  check_lines(summary, state);
  check_notes(summary, state);
  check_failure(summary, state);
  check_format(summary, state);
  check_mixture(summary, state);
  check_kinds(summary, state);
  add_own_figures(summary, state);
  add_group_figures(summary, state);
  check_assumptions(summary, state);
}

}  // namespace trainsight::rules
