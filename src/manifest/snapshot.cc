#include "trainsight/manifest/snapshot.h"

#include <fmt/format.h>

#include <utility>

#include "reader.h"

namespace trainsight::manifest {
namespace {

constexpr std::uint64_t kLeastPeak = 1u << 20;
constexpr std::uint64_t kMostPeak = 10ull << 40;

void check_peak(ObjectReader& reader, const scan::Value* at,
                std::string_view member,
                const std::optional<std::uint64_t>& bytes) {
  if (bytes && (*bytes < kLeastPeak || *bytes > kMostPeak)) {
    reader.fail(ErrorKind::kUsage, at, member, "must be from 1 MiB to 10 TiB");
  }
}

}  // namespace

Status Reader::measured(const scan::Value* value, Snapshot& s) {
  ObjectReader reader = object(value, "measured");
  s.peak_allocated_bytes = reader.unsigned_integer("peak_allocated_bytes");
  s.peak_device_bytes = reader.unsigned_integer("peak_device_bytes");
  s.step_seconds = reader.number("step_seconds");
  s.steps = reader.unsigned_integer("steps");
  const scan::Value* batch = reader.object("largest_batch");
  check_peak(reader, value, "peak_allocated_bytes", s.peak_allocated_bytes);
  check_peak(reader, value, "peak_device_bytes", s.peak_device_bytes);
  if (s.step_seconds && !(*s.step_seconds >= 1e-6 && *s.step_seconds <= 1e6)) {
    reader.fail(ErrorKind::kUsage, value, "step_seconds",
                "must be from 0.000001 to 1000000");
  }
  if (!s.peak_allocated_bytes && !s.peak_device_bytes && !s.step_seconds) {
    reader.fail(ErrorKind::kUsage, value, "peak_allocated_bytes",
                "missing, as are peak_device_bytes and step_seconds");
  }
  // Adam's states are made in the first step: its peak is no run's.
  if ((s.peak_allocated_bytes || s.peak_device_bytes) && s.steps &&
      *s.steps < 2) {
    reader.fail(ErrorKind::kUsage, value, "steps",
                "must be at least 2: the optimizer's states come with the "
                "first");
  }
  if (Status status = reader.finish(true); !status) return status;
  if (batch == nullptr) return {};
  ObjectReader inside = object(batch, "measured.largest_batch");
  const auto sequences = inside.unsigned_integer("sequences");
  const auto length = inside.unsigned_integer("length");
  if (!sequences || *sequences == 0 || *sequences > 1u << 20) {
    inside.fail(ErrorKind::kUsage, batch, "sequences",
                "must be from 1 to 1048576");
  }
  if (!length || *length == 0 || *length > 1u << 30) {
    inside.fail(ErrorKind::kUsage, batch, "length",
                "must be from 1 to 1073741824");
  }
  if (Status status = inside.finish(true); !status) return status;
  s.largest_batch = Snapshot::Batch{*sequences, *length};
  return {};
}

Result<Snapshot> Reader::snapshot() {
  Snapshot s;
  ObjectReader root = object(&document_.view().root(), "");
  if (Status status = version_and_kind(root, kSnapshotKind); !status) {
    return status.error();
  }
  s.created = root.text("created").value_or("");
  const scan::Value* run = root.object("training");
  const scan::Value* figures = root.object("measured");
  if (figures == nullptr && !root.failed()) {
    root.fail(ErrorKind::kUsage, &document_.view().root(), "measured",
              "missing");
  }
  if (Status status = root.finish(true); !status) return status.error();
  if (Status status = training(run, "training", s.training); !status) {
    return status.error();
  }
  if (Status status = measured(figures, s); !status) return status.error();
  return s;
}

Result<Snapshot> parse_snapshot(std::string_view json, std::string_view name) {
  if (json.size() > kMostSnapshotBytes) {
    return Error{
        ErrorKind::kLimit,
        fmt::format("{}: longer than {} bytes", name, kMostSnapshotBytes), ""};
  }
  auto document = scan::JsonDocument::parse(json, name);
  if (!document) return document.error();
  return Reader(*document, std::string(name), Depth::kAll).snapshot();
}

}  // namespace trainsight::manifest
