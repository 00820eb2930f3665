// Extractor: RowView to Sample, by the schema that the row meets.
//
// The schema is found by the row's keys and value kinds alone and remembered
// by the row's skeleton, since files repeat a few skeletons. Thread-safety:
// one Extractor per worker.
#ifndef TRAINSIGHT_RECORDS_EXTRACT_H_
#define TRAINSIGHT_RECORDS_EXTRACT_H_

#include <array>
#include <cstdint>

#include "trainsight/records/known_keys.h"
#include "trainsight/records/sample.h"
#include "trainsight/records/schema_table.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::records {

/// The role that a name stands for: "gpt" is the assistant.
Role role_of(std::string_view name);

/// The known role name nearest to a misspelt one ("assitant"); empty when none
/// is within two edits.
std::string_view nearest_role_name(std::string_view name);

/// Whether a content part of this type holds no text (images, audio, video).
bool is_media_part(std::string_view part_type);

class Extractor {
 public:
  /// A stated type decides between the schemas that a row meets: the rows of a
  /// question and an answer are prompts for RL under kGrpo.
  explicit Extractor(ColumnMap columns = {},
                     SampleType stated_type = SampleType::kUnknown)
      : columns_(std::move(columns)), stated_type_(stated_type) {}

  /// Fills `sample` from `row`; views point into the row.
  void extract(const scan::RowView& row, Sample& sample);

  /// The row's members that are known keys, from the last extract().
  [[nodiscard]] const KnownMembers& members() const { return members_; }

 private:
  std::int16_t look_up(const scan::RowView& row);

  ColumnMap columns_;
  SampleType stated_type_;
  KnownMembers members_;
  struct Remembered {
    std::uint64_t skeleton = 0;
    std::int16_t schema = -1;
    bool used = false;
    std::vector<std::uint8_t> keys;  // of the row's members, in order
  };
  std::array<Remembered, 64> remembered_{};
};

}  // namespace trainsight::records

#endif  // TRAINSIGHT_RECORDS_EXTRACT_H_
