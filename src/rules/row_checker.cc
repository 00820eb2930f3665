#include <algorithm>

#include "bad_records.h"
#include "batch_state.h"
#include "row_rules.h"
#include "token_finder.h"
#include "trainsight/rules/check.h"
#include "trainsight/text/json_text.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::rules {
namespace {

using scan::Value;
using scan::ValueKind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "2021-03-04" with or without a time: what loaders infer timestamps from.
bool looks_like_date(std::string_view text) {
  constexpr std::size_t kShortest = 10;
  constexpr std::size_t kLongest = 40;
  if (text.size() < kShortest || text.size() > kLongest || text[4] != '-' ||
      text[7] != '-') {
    return false;
  }
  for (const std::size_t i : {0u, 1u, 2u, 3u, 5u, 6u, 8u, 9u}) {
    if (!is_digit(text[i])) return false;
  }
  if (text.size() == kShortest) return true;
  return (text[10] == ' ' || text[10] == 'T') && text.size() >= 16 &&
         is_digit(text[11]) && is_digit(text[12]) && text[13] == ':';
}

void count_dates(const scan::RowView& row, BatchState& batch) {
  const Value& root = row.root();
  for (const Value* v = row.first_child(root); v != nullptr;
       v = row.next_child(root, *v)) {
    if (!v->is(ValueKind::kText) || !looks_like_date(v->text().bytes)) continue;
    auto found = batch.dates.find(v->key);
    if (found == batch.dates.end()) {
      if (batch.dates.size() >= kMostPaths) continue;
      found = batch.dates.emplace(std::string(v->key), DateTally{0, row.line})
                  .first;
    }
    ++found->second.rows;
  }
}

std::uint64_t hash_of_prompt(const records::Sample& sample,
                             std::string& scratch) {
  text::Xxh64Stream stream;
  for (const records::Piece& piece : sample.pieces) {
    stream.update(text::as_utf8(piece.text, scratch));
    stream.update(std::string_view("\0", 1));
  }
  return stream.digest();
}

}  // namespace

void PromptTally::add_prompt(std::uint64_t hash) {
  ++rows;
  if (many_prompts) return;
  prompts.insert(hash);
  many_prompts = prompts.size() > kMostPrompts;
}

void PromptTally::add_answer(std::uint64_t hash, std::string_view text) {
  constexpr std::size_t kShown = 64;
  if (answers++ == 0) {
    answer_hash = hash;
    answer = text.substr(0, kShown);
  }
  answers_differ |= hash != answer_hash;
}

void PromptTally::append(const PromptTally& later) {
  rows += later.rows;
  many_prompts |= later.many_prompts;
  if (!many_prompts) {
    prompts.insert(later.prompts.begin(), later.prompts.end());
    many_prompts = prompts.size() > kMostPrompts;
  }
  if (later.answers == 0) return;
  if (answers == 0) {
    answer = later.answer;
    answer_hash = later.answer_hash;
  }
  answers += later.answers;
  answers_differ |= later.answers_differ || later.answer_hash != answer_hash;
}

BatchFindings::BatchFindings() = default;
BatchFindings::BatchFindings(BatchFindings&&) noexcept = default;
BatchFindings& BatchFindings::operator=(BatchFindings&&) noexcept = default;
BatchFindings::~BatchFindings() = default;

struct RowChecker::State {
  explicit State(const RuleOptions& given)
      : options(given),
        finder(options.vocabulary.special_tokens),
        findings(options) {}

  void start() {
    batch = std::make_unique<BatchState>();
    findings.use(batch->findings);
  }
  void gather(const RowContext& context);

  RuleOptions options;
  TokenFinder finder;
  RowFindings findings;
  TextScratch scratch;
  Fingerprinter fingerprinter;
  std::unique_ptr<BatchState> batch;
};

// What rules about the whole set need of the row.
void RowChecker::State::gather(const RowContext& c) {
  batch->columns.add(c.row);
  count_dates(c.row, *batch);
  if (options.find_duplicates) {
    batch->fingerprints.push_back(fingerprinter.of(c.row, c.sample));
  }
  const Value* tools = c.sample.tools;
  if (tools != nullptr && tools->is(ValueKind::kArray)) {
    const Value* where = nullptr;
    const std::uint64_t nulls = batch->tools.add(c.row, *tools, &where);
    if (nulls > 0) report_padding(c, nulls, *where, findings);
  }
  if (c.sample.type != records::SampleType::kGrpo) return;
  batch->prompts.add_prompt(hash_of_prompt(c.sample, scratch.text));
  const Value* answer = reference_answer(c);
  if (answer == nullptr || answer->is(ValueKind::kNull)) return;
  if (answer->is(ValueKind::kText)) {
    if (text::is_blank(answer->text())) return;
    const std::string_view utf8 = text::as_utf8(answer->text(), scratch.text);
    batch->prompts.add_answer(text::xxh64(utf8), utf8);
  } else if (answer->is(ValueKind::kInteger)) {
    const std::string number = std::to_string(answer->integer);
    batch->prompts.add_answer(text::xxh64(number), number);
  } else if (!answer->raw().empty()) {
    batch->prompts.add_answer(text::xxh64(answer->raw()), answer->raw());
  }
}

RowChecker::RowChecker(const RuleOptions& options)
    : state_(std::make_unique<State>(options)) {
  state_->start();
}
RowChecker::~RowChecker() = default;

std::uint16_t RowChecker::row(const RowContext& context) {
  RowFindings& findings = state_->findings;
  findings.begin(context);
  check_values(context, findings);
  state_->gather(context);
  if (check_shape(context, findings)) {
    check_answers(context, findings);
    if (!context.sample.messages.empty()) {
      check_messages(context, findings);
      check_tool_calls(context, findings);
    }
    check_texts(context, state_->finder, state_->scratch, findings);
    check_template(context, findings);
    check_lengths(context, findings);
    check_preferences(context, state_->scratch, findings);
  }
  return findings.flags();
}

void RowChecker::bad_record(const scan::BadRecord& bad, std::uint32_t file) {
  const RuleId rule = rule_of_kind(bad.kind);
  if (rule == RuleId::kNotAnObject &&
      bad.message.find("array") != std::string::npos) {
    ++state_->batch->arrays;
  }
  const Severity severity = state_->options.selection.severity_of(rule);
  if (!state_->options.selection.is_on(rule, severity)) return;
  BatchSlots::Slot& slot =
      state_->batch->findings.slots[static_cast<std::size_t>(rule)];
  const auto fingerprint = [&bad] { return fingerprint_of(bad); };
  Finding* finding =
      slot.add(state_->options, {rule_of(rule).code, file}, fingerprint);
  if (finding == nullptr) return;
  *finding = finding_of(bad, file);
  finding->severity = severity;
}

void RowChecker::list_rules() { state_->findings.list_rules(); }

std::span<const RuleId> RowChecker::rules_of_row() const {
  return state_->findings.rules_of_row();
}

BatchFindings RowChecker::take() {
  BatchFindings found;
  found.state = std::move(state_->batch);
  state_->start();
  return found;
}

}  // namespace trainsight::rules
