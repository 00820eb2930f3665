// Calibration of a job on what was measured of a run (plan_args.h).
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "job_store.h"
#include "plan_args.h"
#include "trainsight/io/files.h"
#include "trainsight/manifest/snapshot.h"

namespace trainsight::cli {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

// What the snapshot says, where it says something.
template <typename T>
void put(std::optional<T>& into, const std::optional<T>& from) {
  if (from) into = from;
}

// The job that was measured: the one planned, but for what the snapshot states.
manifest::Training measured_training(const JobArgs& args, const plan::Job& job,
                                     const manifest::Training& said) {
  manifest::Training t;
  store_job(args, job, t);
  t.max_seq_len = job.batching.max_seq_len;
  t.micro_batch = job.micro_batch;
  if (said.model) t.model_shape.clear();
  if (said.gpu) t.gpu_figures.clear();
  put(t.model, said.model);
  put(t.method, said.method);
  put(t.gpu, said.gpu);
  put(t.world_size, said.world_size);
  put(t.accumulation, said.accumulation);
  put(t.packing, said.packing);
  put(t.precision, said.precision);
  put(t.micro_batch, said.micro_batch);
  put(t.max_seq_len, said.max_seq_len);
  for (const auto& [name, value] : said.settings) t.settings[name] = value;
  if (!said.model_shape.empty()) t.model_shape = said.model_shape;
  if (!said.gpu_figures.empty()) t.gpu_figures = said.gpu_figures;
  return t;
}

Result<plan::Job> measured_job(const JobArgs& args, records::SampleType type,
                               const manifest::Training& said,
                               const Environment& environment,
                               const plan::Job& job) {
  const manifest::Training t = measured_training(args, job, said);
  JobArgs its;
  if (auto taken = restore_job(t, its); !taken) return taken.error();
  auto resolved = resolve_job(its, type, environment);
  if (!resolved) return resolved.error();
  plan::Job measured = std::move(resolved->job);
  ScanArgs scan;
  scan.micro_batch = t.micro_batch;
  if (t.max_seq_len != 0u) scan.max_seq_len = t.max_seq_len;
  const manifest::Manifest none;
  if (Status status = set_batching(its, scan, &none, measured); !status) {
    return status.error();
  }
  measured.batching.overlong = job.batching.overlong;
  measured.batching.pad_to_multiple_of = job.batching.pad_to_multiple_of;
  return measured;
}

}  // namespace

Result<std::vector<std::string>> calibrate_from_snapshot(
    const JobArgs& args, records::SampleType type, const plan::DataSet& data,
    const Environment& environment, plan::Job& job) {
  std::vector<std::string> notes;
  const std::string& path = args.calibrate_from;
  if (path.empty()) return notes;
  auto bytes = io::read_file(path, manifest::kMostSnapshotBytes);
  if (!bytes) return bytes.error();
  auto snapshot = manifest::parse_snapshot(*bytes, path);
  if (!snapshot) return snapshot.error();
  auto measured =
      measured_job(args, type, snapshot->training, environment, job);
  if (!measured) return measured.error().with_context(path);
  if (measured->counts.total != job.counts.total ||
      plan::method_name(measured->settings) !=
          plan::method_name(job.settings)) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("{}: measured of {}, {}; this job is {}, {}", path,
                    measured->shape.name, plan::method_name(measured->settings),
                    job.shape.name, plan::method_name(job.settings)),
        "calibrate on a run of the same model and method"};
  }
  plan::Batches batches(data, measured->batching);
  const auto& peak = snapshot->peak_allocated_bytes
                         ? snapshot->peak_allocated_bytes
                         : snapshot->peak_device_bytes;
  if (peak && !job.peak_measured) {
    memory::Batch batch = batches.largest(measured->micro_batch);
    if (snapshot->largest_batch) {
      batch.sequences = snapshot->largest_batch->sequences;
      batch.length = snapshot->largest_batch->length;
      batch.flat_tokens = 0;
    }
    job.coefficients =
        memory::calibrate(measured->shape, plan::settings_for(*measured, batch),
                          batch, static_cast<double>(*peak),
                          !snapshot->peak_allocated_bytes, job.coefficients);
    job.peak_measured = true;
    notes.push_back(
        fmt::format("{}: a peak of {:.1f} GiB ({}) at {} x {} tokens", path,
                    static_cast<double>(*peak) / kGiB,
                    snapshot->peak_allocated_bytes ? "allocated" : "device",
                    batch.sequences, batch.length));
  }
  if (snapshot->step_seconds && !job.pace.measured) {
    if (measured->gpu.name == job.gpu.name) {
      job.pace = throughput::calibrate(plan::assess(*measured, batches).step,
                                       *snapshot->step_seconds);
      notes.push_back(
          fmt::format("{}: {:g} s a step{}", path, *snapshot->step_seconds,
                      snapshot->steps ? fmt::format(", of {}", *snapshot->steps)
                                      : std::string()));
    } else {
      notes.push_back(
          fmt::format("{}: its step is of {}: times are not "
                      "calibrated",
                      path, measured->gpu.name));
    }
  }
  return notes;
}

}  // namespace trainsight::cli
