// The record schemas in real use, most specific first.
//
// A row has the first schema whose needs it meets. The order is the precedence
// that the reference notes give (preflight.md 5.2): preferences before
// everything that also looks like a prompt, plain text last.
//
// Adding a schema of plain fields is one row here; one with a shape of its own
// is a row and a Carrier in extract.cc.
#ifndef TRAINSIGHT_RECORDS_SCHEMA_TABLE_H_
#define TRAINSIGHT_RECORDS_SCHEMA_TABLE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "trainsight/records/known_keys.h"
#include "trainsight/records/sample.h"

namespace trainsight::records {

/// How the texts of a schema are carried.
enum class Carrier : std::uint8_t {
  kNothing,           ///< recognised only
  kFields,            ///< plain members, by the field rules
  kMessages,          ///< one list of messages
  kMessagesText,      ///< a list of messages held as a string: unusable
  kPreference,        ///< prompt and two sides, strings or message lists
  kOpenAiPreference,  ///< input.messages, preferred_output,
                      ///< non_preferred_output
  kRejectedMessages,  ///< messages whose last answer has a rejected twin
  kRankedAnswers,     ///< prompt and answers[] with a rank
  kSteps,             ///< prompt, completions[], labels[]
  kSegments,          ///< segments[] of {label, text}
  kIds,               ///< input_ids and labels
};

/// Value kinds that a needed key may have, as bits.
using KindMask = std::uint16_t;
constexpr KindMask mask_of(scan::ValueKind kind) {
  return static_cast<KindMask>(1u << static_cast<unsigned>(kind));
}
inline constexpr KindMask kTextMask = mask_of(scan::ValueKind::kText);
inline constexpr KindMask kNullMask = mask_of(scan::ValueKind::kNull);
inline constexpr KindMask kBoolMask = mask_of(scan::ValueKind::kBool);
inline constexpr KindMask kIntegerMask = mask_of(scan::ValueKind::kInteger);
inline constexpr KindMask kNumbersMask = mask_of(scan::ValueKind::kNumbers);
inline constexpr KindMask kArrayMask = mask_of(scan::ValueKind::kArray);
inline constexpr KindMask kObjectMask = mask_of(scan::ValueKind::kObject);
inline constexpr KindMask kTextOrNull = kTextMask | kNullMask;
inline constexpr KindMask kAnyMask = 0xFFFF;

struct Need {
  Key key = Key::kText;
  KindMask kinds = 0;  ///< 0 ends the list
};

struct FieldRule {
  Key key = Key::kText;
  Field field = Field::kText;
  bool trained = false;
  bool used = false;  ///< false ends the list
};

struct Schema {
  std::string_view name;
  SampleType type = SampleType::kUnknown;
  Carrier carrier = Carrier::kNothing;
  std::array<Need, 3> needs{};
  /// kFields: the pieces, in the order of the training sequence. Other
  /// carriers use the first rule's key as the one that holds the list.
  std::array<FieldRule, 4> fields{};
};

/// All schemas, in order of precedence.
std::span<const Schema> schemas();

/// Index of the first schema of the stated type that `members` meets, or, when
/// there is none or none is stated, of any type; -1 when there is none.
std::int16_t match_schema(const KnownMembers& members,
                          SampleType stated_type = SampleType::kUnknown);

}  // namespace trainsight::records

#endif  // TRAINSIGHT_RECORDS_SCHEMA_TABLE_H_
