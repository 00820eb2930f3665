#include "job_memory.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "trainsight/memory/profiles.h"
#include "trainsight/memory/verdict.h"
#include "trainsight/plan/plan.h"

namespace trainsight::cli {
namespace {

// What no flag gave, in a few words each.
std::vector<std::string> defaults_of(const JobArgs& args, const ScanArgs& scan,
                                     const manifest::Training& training,
                                     const plan::Job& job) {
  std::vector<std::string> defaults;
  if (!scan.micro_batch && !training.micro_batch) {
    defaults.push_back(fmt::format("micro-batch {}", job.micro_batch));
  }
  if (!args.gpus) defaults.emplace_back("1 GPU");
  if (!args.method) {
    defaults.push_back(
        fmt::format("lora of rank {}", job.settings.adapter.rank));
  }
  if (!args.framework) defaults.emplace_back("trl");
  if (!args.checkpointing) {
    const bool none =
        job.settings.checkpointing == memory::Checkpointing::kNone;
    defaults.emplace_back(none ? "no checkpointing" : "checkpointing");
  }
  if (!job.peak_measured) defaults.emplace_back("no measured peak");
  return defaults;
}

std::uint64_t bytes_of(double bytes) {
  return bytes > 0 ? static_cast<std::uint64_t>(std::llround(bytes)) : 0;
}

}  // namespace

bool names_job(const JobArgs& args) { return !(args == JobArgs()); }

Result<manifest::MemoryFigure> predict_memory(const JobArgs& args,
                                              const ScanArgs& scan,
                                              const manifest::Manifest& m,
                                              const std::string& beside,
                                              const Environment& environment) {
  auto resolved = resolve_job(args, m.profile->type, environment);
  if (!resolved) return resolved.error();
  plan::Job& job = resolved->job;
  if (Status status = set_batching(args, scan, &m, job); !status) {
    return status.error();
  }
  plan::Batches batches(data_of(m, beside), job.batching);
  if (Status status = calibrate_job(args, batches, job); !status) {
    return status.error();
  }
  const plan::Outlook o = plan::assess(job, batches);
  const plan::Limits limits = plan::safe_limits(job, batches);
  manifest::MemoryFigure figure;
  figure.verdict = memory::name_of(o.verdict);
  figure.peak_bytes = bytes_of(o.device.point);
  figure.low_bytes = bytes_of(o.device.low);
  figure.high_bytes = bytes_of(o.device.high);
  figure.usable_bytes = bytes_of(o.usable_bytes);
  figure.phase = memory::name_of(o.peak.winner);
  figure.model = job.shape.name;
  figure.method = plan::method_name(job.settings);
  figure.gpu = job.gpu.name;
  figure.gpus = job.gpus;
  figure.micro_batch = o.largest_batch.sequences;
  figure.length = o.largest_batch.length;
  figure.tokens = o.largest_batch.tokens();
  figure.safe_micro_batch = limits.micro_batch;
  figure.safe_length = limits.length;
  figure.defaults = defaults_of(args, scan, m.training, job);
  figure.notes = std::move(resolved->notes);
  for (std::string& note :
       generation_notes(args, job, o.largest_batch, false)) {
    figure.notes.push_back(std::move(note));
  }
  if (m.dataset.tokenizer.has_value()) {
    std::string note =
        tokenizer_note(m.dataset.tokenizer->name, scan.tokenizer_given,
                       resolved->model_folder);
    if (!note.empty()) figure.notes.push_back(std::move(note));
  }
  return figure;
}

void use_tokenizer_of(const ResolvedJob& job, ScanArgs& scan) {
  std::error_code error;
  if (!scan.tokenizer_given && !job.model_folder.empty() &&
      std::filesystem::is_regular_file(
          std::filesystem::path(job.model_folder) / "tokenizer.json", error)) {
    scan.tokenizer = job.model_folder;
  }
}

std::string tokenizer_note(std::string_view unit, bool given,
                           const std::string& model_folder) {
  if (unit == "bytes" || unit == "chars") {
    return fmt::format(
        "lengths count {}, not tokens: the peak is far too high; --tokenizer",
        unit);
  }
  std::error_code error;
  const std::filesystem::path folder = model_folder;
  const bool known =
      !model_folder.empty() &&
      std::filesystem::is_regular_file(folder / "tokenizer.json", error);
  const std::filesystem::path counted = unit;
  const bool own =
      known &&
      (std::filesystem::equivalent(folder, counted, error) ||
       std::filesystem::equivalent(folder / "tokenizer.json", counted, error));
  if (own || (given && !known)) return {};
  if (!known && unit != "o200k_base") return {};
  return fmt::format(
      "lengths are counted with {}, not the model's tokenizer: 5 % more "
      "tokens are 5 % more activations; --tokenizer",
      unit);
}

}  // namespace trainsight::cli
