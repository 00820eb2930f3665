#include "row_rules.h"

#include <fmt/format.h>

#include "trainsight/facts/measure.h"
#include "trainsight/records/extract.h"
#include "trainsight/records/schema_table.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

using records::SampleType;
using scan::ValueKind;

std::int64_t figure(std::uint64_t n) { return static_cast<std::int64_t>(n); }

void check_values(const RowContext& c, RowFindings& findings) {
  for (const scan::Value& value : c.row.values) {
    if (value.lone_surrogate) {
      findings.add("TS107", "", "an escaped surrogate without its other half");
    }
    if (value.duplicate_keys) {
      findings.add("TS108", "", "a member name stands twice in an object");
    }
  }
}

void check_schema(const RowContext& c, const RuleOptions& options,
                  RowFindings& findings) {
  if (c.sample.schema < 0) {
    findings.add("TS301", "", "no known field among the row's members");
    return;
  }
  if (options.stated_type != SampleType::kUnknown &&
      c.sample.type != options.stated_type) {
    findings.add(
        "TS304", "",
        findings.wants("TS304")
            ? fmt::format(
                  "{} asked for, the row is {} ({})",
                  records::name_of(options.stated_type),
                  records::name_of(c.sample.type),
                  records::schemas()[static_cast<std::size_t>(c.sample.schema)]
                      .name)
            : "");
  }
}

void check_roles(const RowContext& c, RowFindings& findings) {
  for (std::size_t i = 0; i < c.sample.messages.size(); ++i) {
    const records::Message& message = c.sample.messages[i];
    if (message.role != records::Role::kUnknown) continue;
    if (!findings.wants("TS305")) {
      findings.add("TS305", "", "");
      continue;
    }
    const std::string_view nearest =
        records::nearest_role_name(message.role_name);
    std::string text = fmt::format("role \"{}\" of message {} is not known",
                                   message.role_name, i + 1);
    if (!nearest.empty()) text += fmt::format("; \"{}\"?", nearest);
    findings.add("TS305", "", std::move(text),
                 {{"role", std::string(message.role_name)},
                  {"suggestion", std::string(nearest)}});
  }
}

bool has_blank_answer(const records::Sample& sample) {
  bool has_answer = false;
  bool all_blank = true;
  for (const records::Piece& piece : sample.pieces) {
    if (!piece.trained) continue;
    has_answer = true;
    all_blank &= text::is_blank(piece.text);
  }
  return has_answer && all_blank;
}

bool calls_a_tool(const records::Sample& sample) {
  for (const records::Message& message : sample.messages) {
    if (message.has_tool_calls) return true;
  }
  return false;
}

void check_answer(const RowContext& c, RowFindings& findings) {
  const records::Sample& s = c.sample;
  if (s.type == SampleType::kDpo) {
    const auto empty = [&](records::Field field, std::string_view name) {
      const std::uint32_t tokens = c.facts.field(field);
      if (tokens == facts::kAbsent) {
        findings.add("TS303", "", fmt::format("{} is missing or null", name));
      } else if (tokens == 0) {
        findings.add("TS702", "", fmt::format("{} is empty", name));
      }
    };
    empty(records::Field::kChosen, "chosen");
    empty(records::Field::kRejected, "rejected");
    return;
  }
  if (s.type != SampleType::kSft && s.type != SampleType::kKto) return;
  if (s.answer_is_null) {
    findings.add("TS303", "", "the answer is missing or null");
  } else if (has_blank_answer(s) && !calls_a_tool(s)) {
    findings.add("TS302", "", "the answer holds no text");
  } else if (s.ends_with_user) {
    findings.add("TS307", "", "the last turn is not the assistant's");
  }
}

void check_labels(const RowContext& c, const RuleOptions& options,
                  RowFindings& findings) {
  const facts::RowFacts& facts = c.facts;
  if ((facts.flags & facts::kHasLabels) == 0) return;
  if (facts.label_tokens == 0) {
    if (c.sample.ids.input_ids != nullptr) {
      findings.add("TS402", "", "all labels are masked");
    }
    return;
  }
  if (!options.max_seq_len.has_value()) return;
  if (facts::keeps_labels(facts, *options.max_seq_len)) return;
  if (!findings.wants("TS401")) {
    findings.add("TS401", "", "");
    return;
  }
  findings.add(
      "TS401", "",
      fmt::format("{} tokens, the first to learn is number {}: cut at "
                  "{} nothing is left to learn",
                  facts.tokens, facts.first_label + 1, *options.max_seq_len),
      {{"row_tokens", figure(facts.tokens)},
       {"trainable_tokens_kept", std::int64_t{0}},
       {"smallest_max_seq_len", figure(facts.label_end)}});
}

}  // namespace

bool RowFindings::wants(std::string_view code) const {
  return log_.keeps_more(code, find_rule(code)->severity, context_.file);
}

void RowFindings::add(std::string_view code, std::string pointer,
                      std::string message, std::vector<Figure> figures) {
  const Rule& rule = *find_rule(code);
  if (!log_.keeps_more(code, rule.severity, context_.file)) {
    log_.count_only(rule.code, rule.severity, context_.file);
    return;
  }
  Finding finding;
  finding.code = rule.code;
  finding.severity = rule.severity;
  finding.file = context_.file;
  finding.line = context_.row.line;
  finding.offset = context_.row.offset;
  finding.pointer = std::move(pointer);
  finding.message = std::move(message);
  finding.figures = std::move(figures);
  log_.add(std::move(finding));
}

void check_row(const RowContext& context, const RuleOptions& options,
               RowFindings& findings) {
  check_values(context, findings);
  check_schema(context, options, findings);
  if (context.sample.schema < 0) return;
  check_roles(context, findings);
  check_answer(context, findings);
  check_labels(context, options, findings);
}

}  // namespace trainsight::rules
