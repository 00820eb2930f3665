// TrainingSnapshot: what was measured of a running job, and which job it is.
//
// `pulse` writes it, or anybody who has the figures; plan calibrates on it.
// Which job: a training section as the manifest's. What it holds besides is
// for others and passed over, so that a newer one can be read. Described in
// docs/reference/snapshot.md.
#ifndef TRAINSIGHT_MANIFEST_SNAPSHOT_H_
#define TRAINSIGHT_MANIFEST_SNAPSHOT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"

namespace trainsight::manifest {

inline constexpr std::string_view kSnapshotKind = "TrainingSnapshot";
/// Longer files are refused before they are parsed.
inline constexpr std::uint64_t kMostSnapshotBytes = 16u << 20;

struct Snapshot {
  std::string created;  ///< RFC 3339; empty when not stated
  Training training;    ///< the job; what is absent is as in the job planned
  /// The largest of all ranks since the start: of
  /// torch.cuda.max_memory_allocated(), and of the device's used memory.
  std::optional<std::uint64_t> peak_allocated_bytes;
  std::optional<std::uint64_t> peak_device_bytes;
  std::optional<double> step_seconds;  ///< median of optimizer steps
  std::optional<std::uint64_t> steps;  ///< optimizer steps that were seen
  /// The largest micro-batch that a rank had; absent: the largest that the data
  /// can make.
  struct Batch {
    std::uint64_t sequences = 0;
    std::uint64_t length = 0;  ///< padded, tokens
  };
  std::optional<Batch> largest_batch;
};

/// Errors: kLimit, kCorrupt for broken JSON, kUnsupported for another
/// apiVersion or kind, kUsage with the place for a member that is missing, of
/// another type or out of range: a peak of 1 MiB to 10 TiB, a step of 1 µs to
/// 10^6 s, and at least one of them.
Result<Snapshot> parse_snapshot(std::string_view json, std::string_view name);

}  // namespace trainsight::manifest

#endif  // TRAINSIGHT_MANIFEST_SNAPSHOT_H_
