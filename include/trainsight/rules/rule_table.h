// The table of rules: stable codes, names and what to do about them.
//
// A rule is a row of the table, an enumerator, a check in the file of its
// concept (src/rules/README.md says which), and a page in
// docs/reference/rules/, which `trainsight explain` prints. Codes are never
// reused.
#ifndef TRAINSIGHT_RULES_RULE_TABLE_H_
#define TRAINSIGHT_RULES_RULE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trainsight/rules/finding.h"

namespace trainsight::rules {

/// One enumerator a row, in the order of codes.
enum class RuleId : std::uint8_t {
  kNotUtf8,
  kMalformedJson,
  kNotANumber,
  kNotAnObject,
  kRecordTooLong,
  kRecordTooComplex,
  kLoneSurrogate,
  kDuplicateKey,
  kTrailing,
  kTruncatedRecord,
  kBlankLinesInside,
  kBlankLinesAtEnd,
  kMixedLineEndings,
  kCrOnly,
  kUtf16,
  kLargeDocument,
  kHugeRecord,
  kNulByte,
  kBom,
  kArrayInJsonl,
  kBomInside,
  kFileLayout,
  kCompressedTail,
  kSecondMember,
  kColumnType,
  kToolArguments,
  kToolSchemasDiffer,
  kToolSchemasPadded,
  kTimestamp,
  kCsvFields,
  kManyColumns,
  kNamedColumn,
  kUnknownSchema,
  kEmptyAnswer,
  kNullAnswer,
  kTypeMismatch,
  kUnknownRole,
  kMixedFormats,
  kNoLastAnswer,
  kNoAssistant,
  kMissingKey,
  kUnrecognizedKey,
  kMissingContent,
  kMissingMessages,
  kMessagesJsonText,
  kMessagesRepr,
  kDialects,
  kRoleOrder,
  kResultWithoutCall,
  kCallWithoutResult,
  kEmptyContentWithCalls,
  kToolsEmpty,
  kSpecialToken,
  kRoleToken,
  kImageCount,
  kNoImageLengths,
  kMarkerAbsent,
  kAssumedLabels,
  kNullOptional,
  kExtraColumn,
  kBosTwice,
  kBadWeight,
  kAmbiguousColumns,
  kTemplateRefuses,
  kTemplateStandsIn,
  kTurnsRewritten,
  kUnlabelledCut,
  kUnlabelled,
  kPairCut,
  kRejectedCut,
  kLongerThanPack,
  kLongerThanLimit,
  kPromptTooLong,
  kLongRun,
  kIdOutside,
  kIdsMismatch,
  kEmptyText,
  kPackingLoses,
  kLessThanAPack,
  kPaddingWaste,
  kPackingCompared,
  kPaddingBySampler,
  kSlowTokenization,
  kWorstBatch,
  kLogits,
  kLargeVocabulary,
  kEagerAttention,
  kUnsafeFit,
  kDoesNotFit,
  kSame,
  kSameTrimmed,
  kPromptEmpty,
  kChosenEmpty,
  kRejectedEmpty,
  kChosenMissing,
  kRejectedMissing,
  kLengthBias,
  kMixedStyles,
  kImplicitPrompt,
  kLabelType,
  kOneClass,
  kCompletionEmpty,
  kPromptIsAnswered,
  kAnswerEmpty,
  kAnswerConstant,
  kFewPrompts,
  kStepsMismatch,
  kNoUsable,
  kDuplicate,
  kDuplicateFolded,
  kLeakage,
  kFewerThanBatch,
  kMinimumRows,
  kFormatRefused,
  kUnreadable,
};
inline constexpr std::size_t kRuleCount =
    static_cast<std::size_t>(RuleId::kUnreadable) + 1;

/// What else a row of the table says, as bits.
enum RuleTrait : std::uint8_t {
  kPlain = 0,
  kSpoilsRow = 1u << 0,  ///< nothing can be learnt from the row
  kFixable = 1u << 1,    ///< a mechanical repair exists (trainsight fix)
};

struct Rule {
  std::string_view code;                 ///< "TS101"
  std::string_view name;                 ///< "not-utf-8"
  Severity severity = Severity::kError;  ///< unless the run says otherwise
  std::uint8_t traits = kPlain;
  /// Figure of the group that holds its number of findings; empty: none.
  std::string_view count_name;
  /// Figure of the group that holds the records of the file; empty: none.
  std::string_view total_name;
  std::string_view summary;  ///< one line: what is wrong
  std::string_view hint;     ///< one line: what to do
};

/// All rules by code.
std::span<const Rule> rules();

inline const Rule& rule_of(RuleId id) {
  return rules()[static_cast<std::size_t>(id)];
}

/// The rule of that code or name; nullptr when there is none.
const Rule* find_rule(std::string_view code_or_name);

/// The page of a rule, in Markdown. REQUIRES: `rule` is one of rules().
std::string_view page_of(const Rule& rule);

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_RULE_TABLE_H_
