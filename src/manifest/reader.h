// Reader: one manifest document, part by part. Internal to the module.
//
// Each part stops at its first error. The parts about the data set and the run
// are in read.cc and know every member; those about what was found and
// predicted are in read_profile.cc and pass over what they do not know.
#ifndef TRAINSIGHT_MANIFEST_READER_H_
#define TRAINSIGHT_MANIFEST_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "object_reader.h"
#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/manifest/read.h"
#include "trainsight/manifest/snapshot.h"
#include "trainsight/scan/json_document.h"

namespace trainsight::manifest {

class Reader {
 public:
  /// `document` must outlive the reader; `name` stands before messages.
  Reader(const scan::JsonDocument& document, std::string name, Depth depth)
      : document_(document), name_(std::move(name)), depth_(depth) {}

  Result<Manifest> manifest();
  Result<Policy> policy_file();
  Result<Snapshot> snapshot();

 private:
  ObjectReader object(const scan::Value* value, std::string where) const {
    return ObjectReader(document_, value, name_, std::move(where));
  }
  Status version_and_kind(ObjectReader& root, std::string_view kind);
  Status head(ObjectReader& root, Manifest& manifest);
  Status dataset(const scan::Value* value, Dataset& dataset);
  Status file(const scan::Value& value, std::string where, DatasetFile& file);
  Status training(const scan::Value* value, const std::string& where,
                  Training& training);
  Status policy(const scan::Value* value, const std::string& where,
                Policy& policy);
  Status measured(const scan::Value* value, Snapshot& snapshot);

  Status profile(const scan::Value& value, Profile& profile);
  Status all_lengths(ObjectReader& reader, const scan::Value& value,
                     Profile& profile);
  Status lengths(const scan::Value* value, const std::string& where,
                 Lengths& lengths);
  Status schemas(const scan::Value* list, Profile& profile);
  Status survival(const scan::Value* targets, Profile& profile);
  Status findings(const scan::Value* list, Profile& profile);
  Status finding(const scan::Value& value, rules::Finding& finding);
  Status longest(const scan::Value* list, Profile& profile);
  Status prediction(const scan::Value& value, Prediction& prediction);
  Status memory_figure(const scan::Value* value,
                       std::optional<MemoryFigure>& figure);

  /// Index of the data set's file with that path, else `otherwise`.
  [[nodiscard]] std::uint32_t file_index(const std::string& path,
                                         std::uint32_t otherwise) const;

  const scan::JsonDocument& document_;
  std::string name_;
  Depth depth_;
  std::unordered_map<std::string, std::uint32_t> file_indices_;
};

}  // namespace trainsight::manifest

#endif  // TRAINSIGHT_MANIFEST_READER_H_
