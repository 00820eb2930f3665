// DecodeScratch: what one worker keeps from batch to batch.
//
// Each kind of reader keeps a part of its own, made on first use; parts of
// different kinds do not know of each other.
#ifndef TRAINSIGHT_SCAN_SCRATCH_H_
#define TRAINSIGHT_SCAN_SCRATCH_H_

#include <memory>
#include <utility>
#include <vector>

#include "trainsight/scan/reader.h"

namespace trainsight::scan {

/// Base of a reader kind's part.
class ScratchPart {
 public:
  virtual ~ScratchPart() = default;
};

class DecodeScratch {
 public:
  /// The part of type T, default-constructed the first time. A handful of
  /// parts exist, once a batch: a linear search is all it takes.
  template <typename T>
  T& part() {
    for (const auto& [key, part] : parts_) {
      if (key == &kKey<T>) return static_cast<T&>(*part);
    }
    parts_.emplace_back(&kKey<T>, std::make_unique<T>());
    return static_cast<T&>(*parts_.back().second);
  }

 private:
  // Its address stands for the type.
  template <typename T>
  static constexpr char kKey = 0;

  std::vector<std::pair<const char*, std::unique_ptr<ScratchPart>>> parts_;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_SCRATCH_H_
