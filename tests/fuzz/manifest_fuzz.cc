// Manifests and policies of any bytes: the reader neither crashes nor allocates
// without bound, what it accepts is written and read again unchanged, the gate
// can judge it, and its job is taken over or refused with a reason.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/job_store.h"
#include "trainsight/gate/judge.h"
#include "trainsight/hardware/gpu_table.h"
#include "trainsight/manifest/read.h"
#include "trainsight/manifest/write.h"
#include "trainsight/models/shape_sizes.h"
#include "trainsight/predict/predict.h"

namespace {

using namespace trainsight;

// A violated promise of the module, for the fuzzer to see.
void require(bool holds) {
  if (!holds) std::abort();
}

void judge(const manifest::Manifest& m, manifest::Policy policy) {
  if (!m.profile.has_value() || !predict::overlong_of(m.training)) return;
  if (!gate::check(policy)) return;
  gate::Evidence evidence{*m.profile, m.training};
  evidence.prediction = m.prediction.has_value() ? &*m.prediction : nullptr;
  evidence.baseline = &*m.profile;
  const gate::Verdict verdict = gate::judge(evidence, policy);
  const bool passes = verdict.exit_code() == ExitCode::kPass;
  require(!passes || m.profile->usable > 0);
}

void restore(const manifest::Training& training) {
  cli::JobArgs args;
  const auto taken = cli::restore_job(training, args);
  require(taken || !taken.error().message.empty());
  if (!taken) return;
  const auto shape = models::shape_from(args.model_shape, args.model);
  if (shape) require(models::count_parameters(*shape).total > 0);
  const auto gpu = hardware::gpu_from(args.gpu_figures, args.gpu);
  if (gpu) require(gpu->usable_gib > 0);
}

void read(std::string_view json, manifest::Depth depth) {
  const auto first = manifest::parse_manifest(json, "m.json", depth);
  if (!first) {
    require(!first.error().message.empty());
    return;
  }
  judge(*first, first->policy);
  restore(first->training);
  const std::string written = manifest::to_json(*first);
  const auto second = manifest::parse_manifest(written, "m.json", depth);
  require(second.has_value());
  require(manifest::to_json(*second) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size > 1 << 16) return 0;
  // A constructor from two pointers takes no null one.
  const std::string json(data, data + size);
  read(json, manifest::Depth::kAll);
  read(json, manifest::Depth::kTokens);
  const auto policy = manifest::parse_policy(json, "p.json");
  if (policy) static_cast<void>(gate::check(*policy));
  return 0;
}
