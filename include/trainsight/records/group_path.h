// GroupPath: the field of a row that a breakdown (`--by source`) groups it by.
//
// "source" is a member of the row; "meta.source" a member of a member, unless
// the row has a member of that whole name; "/meta/source" a JSON Pointer (RFC
// 6901), which may also step into lists ("/messages/0/role"). Works on any
// row: JSON, CSV, Parquet, Arrow. Pure; const members may run side by side.
#ifndef TRAINSIGHT_RECORDS_GROUP_PATH_H_
#define TRAINSIGHT_RECORDS_GROUP_PATH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::records {

/// What kind of value a group stands for: the text "null" and a null are two.
enum class GroupKind : std::uint8_t {
  kText,
  kNumber,
  kBool,
  kNull,
  kMissing,  ///< the row has no such field
  kList,     ///< all lists together
  kObject,   ///< all objects together
};

/// "string", "number", "boolean", "null", "missing", "array", "object".
std::string_view name_of(GroupKind kind);
/// The kind of that name; kMissing for any other.
GroupKind group_kind_named(std::string_view name);

/// A value that rows are grouped by.
struct GroupKey {
  /// Longer texts are cut to this many bytes of UTF-8 and told apart by a hash
  /// of the whole (two are taken for one with a chance of 2^-64 a pair).
  static constexpr std::size_t kMostBytes = 96;

  GroupKind kind = GroupKind::kMissing;
  std::string text;        ///< UTF-8: the text, number or "true"; else empty
  std::uint64_t hash = 0;  ///< of a text that was cut, else 0

  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  // clang-tidy 14 sees a null pointer in a defaulted comparison.
  friend auto operator<=>(const GroupKey&,
                          const GroupKey&) = default;  // NOLINT
};

class GroupPath {
 public:
  GroupPath() = default;
  /// Errors: kUsage for an empty name, an empty step, a bad "~" escape.
  static Result<GroupPath> parse(std::string_view spec);

  [[nodiscard]] bool empty() const { return steps_.empty(); }
  /// As it was written.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The value of `row`, into `key`. Linear in the members on the way, and in
  /// the length of a text.
  void read(const scan::RowView& row, GroupKey& key) const;

 private:
  [[nodiscard]] const scan::Value* find(const scan::RowView& row) const;

  std::string name_;
  std::vector<std::string> steps_;
  bool is_pointer_ = false;
};

}  // namespace trainsight::records

#endif  // TRAINSIGHT_RECORDS_GROUP_PATH_H_
