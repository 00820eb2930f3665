// The peak of GPU memory of a job on a profile, as the manifest keeps it; the
// job itself is kept by job_store.h.
#ifndef TRAINSIGHT_CLI_JOB_MEMORY_H_
#define TRAINSIGHT_CLI_JOB_MEMORY_H_

#include <string>
#include <string_view>

#include "environment.h"
#include "plan_args.h"
#include "scan_args.h"
#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"

namespace trainsight::cli {

/// Whether any flag tells of a job.
bool names_job(const JobArgs& args);

/// The figure for the largest batch of the manifest's lengths; `beside` as for
/// data_of(). REQUIRES: m.profile with a row that has a length.
/// Errors: those of resolve_job() and set_batching().
Result<manifest::MemoryFigure> predict_memory(const JobArgs& args,
                                              const ScanArgs& scan,
                                              const manifest::Manifest& m,
                                              const std::string& beside,
                                              const Environment& environment);

/// Counts with the model's own tokenizer, where its folder has one and no flag
/// names another.
void use_tokenizer_of(const ResolvedJob& job, ScanArgs& scan);
/// What to know about lengths counted with `unit`; empty when that is, as far
/// as can be told, the model's own tokenizer. `given`: a flag named it.
std::string tokenizer_note(std::string_view unit, bool given,
                           const std::string& model_folder);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_JOB_MEMORY_H_
