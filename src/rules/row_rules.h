// The rules about single rows, grouped by concept: one function a file.
//
// Each looks at one row and puts what it finds into RowFindings. They allocate
// nothing unless a finding is kept. Internal to rules.
#ifndef TRAINSIGHT_RULES_ROW_RULES_H_
#define TRAINSIGHT_RULES_ROW_RULES_H_

#include "row_findings.h"
#include "token_finder.h"

namespace trainsight::rules {

/// value_rules.cc: TS107, TS108, TS117, TS408: the bytes of values.
void check_values(const RowContext& row, RowFindings& findings);

/// shape_rules.cc: TS30x, TS312–TS314, TS327, TS328: what kind of row it is.
/// False when nothing more can be said about the row.
bool check_shape(const RowContext& row, RowFindings& findings);

/// answer_rules.cc: TS302, TS303, TS307, TS308, TS411: something to learn.
void check_answers(const RowContext& row, RowFindings& findings);

/// message_rules.cc: TS305, TS309–TS311, TS316, TS330: single turns.
void check_messages(const RowContext& row, RowFindings& findings);

/// tool_call_rules.cc: TS317–TS320: calls and their results.
void check_tool_calls(const RowContext& row, RowFindings& findings);

/// text_rules.cc: TS321–TS325, TS329: what stands in the texts.
struct TextScratch {
  TokenFinder::Counts counts;
  std::string text;
};
void check_texts(const RowContext& row, const TokenFinder& finder,
                 TextScratch& scratch, RowFindings& findings);

/// template_rules.cc: TS332–TS334: how the chat template took the row.
void check_template(const RowContext& row, RowFindings& findings);

/// length_rules.cc: TS40x: limits, labels, ids.
void check_lengths(const RowContext& row, RowFindings& findings);

/// preference_rules.cc: TS70x, TS71x, TS718: pairs, labels, prompts.
void check_preferences(const RowContext& row, TextScratch& scratch,
                       RowFindings& findings);

/// tool_call_rules.cc: TS204: `nulls` stand under the parameters of the tools.
void report_padding(const RowContext& row, std::uint64_t nulls,
                    const scan::Value& parameters, RowFindings& findings);

/// The reference answer of a prompt for RL, under any of its names; nullptr.
const scan::Value* reference_answer(const RowContext& row);

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_ROW_RULES_H_
