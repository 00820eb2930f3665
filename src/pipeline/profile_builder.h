// ProfileBuilder: RowFacts in input order become a Profile. Pure.
#ifndef TRAINSIGHT_PIPELINE_PROFILE_BUILDER_H_
#define TRAINSIGHT_PIPELINE_PROFILE_BUILDER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "trainsight/facts/row_facts.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/records/sample.h"

namespace trainsight::pipeline {

struct BuilderOptions {
  records::SampleType stated_type = records::SampleType::kUnknown;
  std::uint64_t micro_batch = 8;
  std::size_t longest_kept = 5;
  std::uint32_t max_seq_len = 0;  ///< 0: not given
  bool drops_overlong = false;    ///< longer rows are left out
};

class ProfileBuilder {
 public:
  explicit ProfileBuilder(const BuilderOptions& options);

  /// The next row in input order.
  void add(const facts::RowFacts& row);
  /// Records that could not be read and lines without one.
  void add_lines(std::uint64_t lines, std::uint64_t blank,
                 std::uint64_t malformed);
  [[nodiscard]] std::uint64_t records() const { return profile_.records; }

  /// Votes on the type and closes the last file-order batch. Call once.
  manifest::Profile finish();

 private:
  struct SchemaVotes {
    std::uint64_t records = 0;
    std::uint64_t ends_with_user = 0;
    std::uint32_t first_file = 0;
    std::uint64_t first_line = 0;
  };

  void add_lengths(const facts::RowFacts& row);
  void add_to_batch(const facts::RowFacts& row);
  void close_batch();
  void keep_if_long(const facts::RowFacts& row);
  void count_votes();

  BuilderOptions options_;
  manifest::Profile profile_;
  std::vector<SchemaVotes> votes_;  // by schema index + 1; 0 is "unknown"
  std::array<std::uint64_t, records::kSampleTypeCount> row_types_{};
  std::uint64_t prompts_with_text_ = 0;  // conversations that end with a user
  std::uint64_t batch_rows_ = 0;
  std::uint64_t batch_longest_ = 0;
  std::uint64_t batch_tokens_ = 0;
  std::uint64_t batch_sequences_ = 0;
};

/// Whether something can be learnt from the row: a text (or prompt), a label
/// that survives the cut, both sides of a pair.
bool is_usable(const facts::RowFacts& row, const BuilderOptions& options);

}  // namespace trainsight::pipeline

#endif  // TRAINSIGHT_PIPELINE_PROFILE_BUILDER_H_
