#include "trainsight/rules/rule_table.h"

namespace trainsight::rules {
namespace {

constexpr Severity kInfo = Severity::kInfo;
constexpr Severity kWarning = Severity::kWarning;
constexpr Severity kError = Severity::kError;

constexpr Rule kRules[] = {
    {"TS101", "not-utf-8", kError, "a byte that is not UTF-8",
     "convert the file: iconv -f latin1 -t utf-8"},
    {"TS102", "malformed-json", kError, "a line that is not one JSON value",
     "fix the line at its source, or drop it"},
    {"TS103", "not-a-json-number", kError,
     "NaN or Infinity, which Python writes and JSON does not have",
     "write null or a string; json.dumps(…, allow_nan=False) finds them"},
    {"TS104", "line-is-not-an-object", kError,
     "a line that is JSON but no object",
     "a row is an object with named fields"},
    {"TS105", "record-too-long", kError,
     "a record over the size that is parsed; measured in bytes only",
     "split the document, or drop the row"},
    {"TS106", "record-too-complex", kError,
     "a record nested too deeply or of too many values", "flatten the row"},
    {"TS107", "lone-surrogate", kError,
     "half of an escaped surrogate pair, which has no UTF-8 form",
     "the text was cut inside an emoji; cut by characters, not by code units"},
    {"TS108", "duplicate-key", kWarning,
     "a member name that stands twice; the last one counts",
     "remove one of the two"},
    {"TS111", "blank-lines-inside", kWarning, "blank lines between records",
     "remove them: strict readers stop at the first"},
    {"TS112", "blank-lines-at-the-end", kInfo,
     "blank lines after the last record", "harmless for most readers"},
    {"TS113", "mixed-line-endings", kInfo, "LF and CR LF in one file",
     "write the file with one kind of line end"},
    {"TS121", "byte-order-mark", kWarning,
     "a UTF-8 byte order mark before the first record",
     "remove the three bytes"},
    {"TS122", "file-layout", kWarning,
     "the file is laid out as another kind than its name says",
     "convert it to one object a line (.jsonl)"},
    {"TS123", "byte-order-mark-inside", kError,
     "a byte order mark in the middle: files were joined",
     "join files without their first three bytes"},
    {"TS201", "field-count", kError,
     "a row with more or fewer fields than the header",
     "quote fields that hold the separator"},
    {"TS301", "unknown-schema", kError,
     "a row of no known shape: nothing can be measured",
     "name the columns: --columns prompt=question,completion=answer"},
    {"TS302", "empty-answer", kError, "an answer without text",
     "drop the row, or restore its answer"},
    {"TS303", "null-answer", kError, "an answer that is missing or null",
     "drop the row, or restore its answer"},
    {"TS304", "type-does-not-match", kError,
     "a row of another type than the one asked for",
     "state the right --type, or convert the rows"},
    {"TS305", "unknown-role", kError, "a role that no trainer knows",
     "rename it to system, user, assistant or tool"},
    {"TS306", "mixed-record-formats", kInfo, "rows of several shapes",
     "trainers decide by the first row; convert all to one shape"},
    {"TS307", "conversation-without-answer", kWarning,
     "a conversation that ends before the assistant's turn",
     "drop the row, or train it as a prompt (--type grpo)"},
    {"TS401", "no-trainable-tokens-after-truncation", kError,
     "truncation leaves nothing to learn from",
     "raise max_seq_len, shorten the prompt, or drop the row"},
    {"TS402", "no-trainable-tokens", kWarning,
     "every label of the row is masked", "drop the row"},
    {"TS701", "chosen-equals-rejected", kWarning,
     "both sides of a preference are the same text", "drop the pair"},
    {"TS702", "empty-side", kError, "a preference with an empty side or prompt",
     "drop the pair"},
    {"TS801", "no-usable-records", kError,
     "nothing in the data set can be trained on",
     "check --type, --columns and the file"},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view code_or_name) {
  for (const Rule& rule : kRules) {
    if (rule.code == code_or_name || rule.name == code_or_name) return &rule;
  }
  return nullptr;
}

}  // namespace trainsight::rules
