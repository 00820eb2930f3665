// The member names that data sets use for the parts of a training sample.
//
// One enum for all schemas: a row's members are looked up once, and every
// schema then asks for keys by number. A `--columns` mapping adds names.
#ifndef TRAINSIGHT_RECORDS_KNOWN_KEYS_H_
#define TRAINSIGHT_RECORDS_KNOWN_KEYS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::records {

enum class Key : std::uint8_t {
  kMessages,
  kConversations,
  kConversation,
  kInteractions,
  kSegments,
  kPrompt,
  kQuestion,
  kQuery,
  kInstruction,
  kProblem,
  kInput,
  kContext,
  kSystem,
  kHistory,
  kCompletion,
  kResponse,
  kGeneration,
  kOutput,
  kAnswer,
  kSolution,
  kCanonicalSolution,
  kTarget,
  kText,
  kContent,
  kChosen,
  kRejected,
  kChosenResponse,
  kRejectedResponse,
  kRejectedMessages,
  kPreferredOutput,
  kNonPreferredOutput,
  kAnswers,
  kLabel,
  kKtoTag,
  kCompletions,
  kLabels,
  kDataSource,
  kRewardModel,
  kInputIds,
  kAttentionMask,
  kTools,
  kFunctions,
  kImages,
  kVideos,
  kAudios,
  kAnchor,
  kPositive,
  kNegative,
  kPos,
  kNeg,
};
inline constexpr std::size_t kKeyCount =
    static_cast<std::size_t>(Key::kNeg) + 1;
inline constexpr std::size_t kNoKey = kKeyCount;

/// The name as it stands in files: "canonical_solution".
std::string_view name_of(Key key);
/// The key of that name, or kNoKey as a number.
std::size_t find_key(std::string_view name);

/// What messages call their parts: named as LLaMA-Factory's dataset_info.json
/// does, where these tags come from.
enum class Tag : std::uint8_t {
  kRole,     ///< the member that says who speaks
  kContent,  ///< the member that holds what is said
  kUser,     ///< from here on: values of the role member
  kAssistant,
  kSystem,
  kObservation,  ///< a tool's answer
  kFunction,     ///< a call of a tool
};
inline constexpr std::size_t kTagCount =
    static_cast<std::size_t>(Tag::kFunction) + 1;

/// "role_tag", "content_tag", "user_tag", …
std::string_view name_of(Tag tag);

/// The user's own names for keys and tags: `--columns
/// prompt=question,completion=answer`, `--columns role_tag=speaker`.
class ColumnMap {
 public:
  /// Parses "KEY=COLUMN,…"; an empty column says that no member is that key.
  /// Errors name what is not known.
  static Result<ColumnMap> parse(std::string_view spec);
  [[nodiscard]] bool empty() const { return columns_.empty(); }
  [[nodiscard]] const std::vector<std::pair<Key, std::string>>& columns()
      const {
    return columns_;
  }
  /// Empty: not named.
  [[nodiscard]] const std::string& tag(Tag tag) const {
    return tags_[static_cast<std::size_t>(tag)];
  }
  [[nodiscard]] bool has_tags() const;
  /// Whether a value of the role member is named: then no others are known.
  [[nodiscard]] bool has_role_values() const;
  /// Keys and tags by name, with their columns.
  [[nodiscard]] std::map<std::string, std::string> named() const;

 private:
  std::vector<std::pair<Key, std::string>> columns_;
  std::array<std::string, kTagCount> tags_;
};

/// The key of each member of `row`'s root, in order; kNoKey where unknown.
/// Rows of one skeleton have the same.
void keys_of(const scan::RowView& row, std::vector<std::uint8_t>& keys);

/// The members of one row that are known keys; nullptr where absent. Of a key
/// that stands twice the last one counts.
class KnownMembers {
 public:
  /// Looks all members of `row`'s root up. With a column map, only its columns
  /// are known for the keys that it names. `keys` are those of the members in
  /// order, as keys_of() gives them for any row of the same skeleton.
  void look_up(const scan::RowView& row, const ColumnMap& columns,
               const std::vector<std::uint8_t>& keys);

  [[nodiscard]] const scan::Value* operator[](Key key) const {
    return members_[static_cast<std::size_t>(key)];
  }
  [[nodiscard]] bool has(Key key, scan::ValueKind kind) const {
    const scan::Value* value = (*this)[key];
    return value != nullptr && value->kind == kind;
  }

 private:
  std::array<const scan::Value*, kKeyCount> members_{};
};

}  // namespace trainsight::records

#endif  // TRAINSIGHT_RECORDS_KNOWN_KEYS_H_
