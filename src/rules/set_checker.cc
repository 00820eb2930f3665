#include <algorithm>
#include <limits>

#include "fingerprint.h"
#include "set_state.h"
#include "trainsight/records/schema_table.h"
#include "trainsight/rules/check.h"

namespace trainsight::rules {

using facts::RowFacts;

void RowTally::add(const RowFacts& row, const RuleOptions& options) {
  ++rows;
  const auto has = [&row](facts::Flag flag) { return (row.flags & flag) != 0; };
  if (has(facts::kUsable)) ++usable;
  tokens += row.tokens;
  if (options.max_seq_len.has_value() && row.tokens > *options.max_seq_len) {
    ++rows_over;
    tokens_over += row.tokens;
  }
  label_end = std::max<std::uint64_t>(label_end, row.label_end);
  longest = std::max<std::uint64_t>(longest, row.tokens);
  if (has(facts::kHasImages)) ++media_rows;
  if (has(facts::kHasMarker)) ++marked_rows;
  if (has(facts::kLabelTrue)) ++labels_true;
  if (has(facts::kLabelFalse)) ++labels_false;
  const auto schema = static_cast<std::size_t>(row.schema + 1);
  if (schemas.size() <= schema) schemas.resize(schema + 1);
  schemas[schema].add(row);
  if (row.dialect != records::Dialect::kNone) {
    ++conversations;
    dialects[static_cast<std::size_t>(row.dialect)].add(row);
  }
  if (row.is_pair() && row.field(records::Field::kChosen) != facts::kAbsent &&
      row.field(records::Field::kRejected) != facts::kAbsent) {
    ++pairs;
    chosen_tokens += row.field(records::Field::kChosen);
    rejected_tokens += row.field(records::Field::kRejected);
  }
  if (row.schema < 0 ||
      records::schemas()[static_cast<std::size_t>(row.schema)].carrier !=
          records::Carrier::kPreference) {
    return;
  }
  const Style style = has(facts::kMixedStyle)       ? Style::kMixed
                      : has(facts::kConversational) ? Style::kConversational
                                                    : Style::kStandard;
  styles[static_cast<std::size_t>(style)].add(row);
}

void LengthTally::add(const RowFacts& row) {
  ++counts[row.tokens];
  if (!too_many_for_order) {
    in_order.push_back(row.tokens);
    if (in_order.size() > kMostInOrder) {
      too_many_for_order = true;
      in_order = {};
    }
  }
  if (longest.size() == kMostLongRows) {
    if (row.tokens <= longest.back().tokens) return;
    longest.pop_back();
  }
  const auto at =
      std::upper_bound(longest.begin(), longest.end(), row.tokens,
                       [](std::uint32_t tokens, const LongRow& other) {
                         return tokens > other.tokens;
                       });
  longest.insert(at, LongRow{row.tokens, row.file, row.line, row.offset});
}

batching::LengthCounts LengthTally::sorted() const {
  batching::LengthCounts result;
  result.reserve(counts.size());
  for (const auto& entry : counts) {
    result.push_back(batching::LengthCount{entry.first, entry.second});
  }
  std::sort(result.begin(), result.end(),
            [](const batching::LengthCount& a, const batching::LengthCount& b) {
              return a.length < b.length;
            });
  return result;
}

void SetState::add_as(RuleId rule, Severity severity, std::uint32_t file_index,
                      std::uint64_t line, std::string message,
                      std::vector<Figure> figures, const std::string& pointer,
                      std::uint64_t offset) {
  if (!wants(rule, severity)) return;
  Finding finding;
  finding.code = rule_of(rule).code;
  finding.severity = severity;
  finding.file = file_index;
  finding.line = line;
  finding.offset = offset;
  finding.pointer = pointer;
  finding.message = std::move(message);
  finding.figures = std::move(figures);
  // A place within the rows, if any, is all the content that there is.
  if (known.take({finding.code, file_index}, content_hash(pointer))) {
    log.add_known({finding.code, severity, file_index}, 1);
  } else {
    log.add(std::move(finding));
  }
}

void SetState::add_group(const FindingLog::Key& key, std::uint64_t count,
                         std::vector<Finding> first) {
  const auto& [code, severity, file_index] = key;
  const std::uint64_t accepted = known.take_number({code, file_index}, count);
  log.add_group(key, count - accepted, std::move(first));
  log.add_known(key, accepted);
}

void SetState::add(RuleId rule, std::uint32_t file_index, std::uint64_t line,
                   std::string message, std::vector<Figure> figures,
                   const std::string& pointer, std::uint64_t offset) {
  add_as(rule, options.selection.severity_of(rule), file_index, line,
         std::move(message), std::move(figures), pointer, offset);
}

std::uint32_t SetState::whole() const { return files == 1 ? 0 : kAllFiles; }

FindingGroup* SetState::group(RuleId rule, std::uint32_t file_index) {
  for (const Severity severity :
       {Severity::kInfo, Severity::kWarning, Severity::kError}) {
    FindingGroup* found = log.find({rule_of(rule).code, severity, file_index});
    if (found != nullptr) return found;
  }
  return nullptr;
}

struct SetChecker::State {
  explicit State(const RuleOptions& options) : set(options) {}
  SetState set;
};

SetChecker::SetChecker(const RuleOptions& options)
    : state_(std::make_unique<State>(options)) {}
SetChecker::~SetChecker() = default;

namespace {

// Of a rule's findings in a batch those that are known are counted only.
void take_slot(BatchSlots::Slot&& slot, const FindingLog::Key& key,
               SetState& set) {
  if (slot.fingerprints.empty()) {
    set.log.add_group(key, slot.count, std::move(slot.first));
    return;
  }
  std::vector<Finding> fresh;
  std::uint64_t known = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < slot.fingerprints.size(); ++i) {
    const bool is_known = set.known.take({std::get<0>(key), std::get<2>(key)},
                                         slot.fingerprints[i]);
    if (is_known) ++known;
    if (next == slot.kept_at.size() || slot.kept_at[next] != i) continue;
    if (!is_known) fresh.push_back(std::move(slot.first[next]));
    ++next;
  }
  set.log.add_group(key, slot.count - known, std::move(fresh));
  set.log.add_known(key, known);
}

void take_findings(BatchSlots&& slots, std::uint32_t file,
                   std::uint64_t line_base, SetState& set) {
  for (std::size_t i = 0; i < kRuleCount; ++i) {
    BatchSlots::Slot& slot = slots.slots[i];
    if (slot.count == 0) continue;
    for (Finding& finding : slot.first) {
      if (finding.line != kNoLine) finding.line += line_base;
    }
    const Severity severity =
        slot.first.empty()
            ? set.options.selection.severity_of(static_cast<RuleId>(i))
            : slot.first.front().severity;
    take_slot(std::move(slot), {rules()[i].code, severity, file}, set);
  }
}

}  // namespace

void SetChecker::batch(BatchFindings&& findings, std::span<const RowFacts> rows,
                       std::uint32_t file, std::uint64_t line_base) {
  SetState& set = state_->set;
  for (const RowFacts& row : rows) {
    set.file.add(row, set.options);
    if (set.options.eval(file)) continue;
    set.train.add(row, set.options);
    if (row.schema >= 0) set.lengths.add(row);
  }
  if (findings.state == nullptr) return;
  BatchState& state = *findings.state;
  take_findings(std::move(state.findings), file, line_base, set);
  set.arrays += state.arrays;
  set.columns.add(state.columns, file, line_base);
  for (const auto& entry : state.dates) {
    DateUse& use = set.dates[entry.first];
    if (use.rows == 0) {
      use.file = file;
      use.line = entry.second.line + line_base;
    }
    use.rows += entry.second.rows;
  }
  set.tools.append(std::move(state.tools), file, line_base);
  if (!set.options.eval(file)) set.prompts.append(state.prompts);
  const std::uint64_t first_line = set.lines + line_base;
  for (Fingerprint fingerprint : state.fingerprints) {
    const std::uint64_t line = first_line + fingerprint.line;
    if (line >= std::numeric_limits<std::uint32_t>::max()) {
      set.fingerprints.close();
      break;
    }
    fingerprint.line = static_cast<std::uint32_t>(line);
    set.fingerprints.add(fingerprint);
  }
}

void SetChecker::file(const FileSummary& summary) {
  SetState& set = state_->set;
  if (set.lines_before.size() <= summary.file) {
    set.lines_before.resize(summary.file + 1, set.lines);
  }
  check_file(summary, set);
  // Rows of columnar files are lines of their own: whichever are more.
  set.lines += std::max(summary.facts.lines, summary.records) + 1;
  if (!set.options.eval(summary.file)) ++set.files;
  set.file = RowTally();
  set.arrays = 0;
}

SetResult SetChecker::finish(records::SampleType type) {
  SetState& set = state_->set;
  check_columns_of_set(set);
  check_batches(type, set);
  SetResult result;
  result.duplicates = check_set(type, set);
  result.log = std::move(set.log);
  result.stale = set.known.stale();
  result.found = std::move(set.known).found();
  return result;
}

}  // namespace trainsight::rules
