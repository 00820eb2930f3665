// A job in a manifest's training section: written by profile, read by plan and
// validate.
#ifndef TRAINSIGHT_CLI_JOB_STORE_H_
#define TRAINSIGHT_CLI_JOB_STORE_H_

#include <string>
#include <vector>

#include "plan_args.h"
#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/plan/plan.h"

namespace trainsight::cli {

/// Writes the job into the training section, in the words of the flags. `job`:
/// what they were resolved to; the sizes of a model that is no built-in one and
/// the figures of a GPU out of a table are kept from it.
void store_job(const JobArgs& args, const plan::Job& job,
               manifest::Training& training);

/// A setting that came from a manifest: "gpu" and its value.
struct StoredSetting {
  std::string name;
  std::string value;
};
/// The other way round, where no flag was given. What a flag makes another job
/// of is not taken over: a measured peak, and how another method's base is
/// stored. Gives what was taken. Errors: kUsage for a member that is no flag's,
/// or that has a value which the flag cannot have.
Result<std::vector<StoredSetting>> restore_job(
    const manifest::Training& training, JobArgs& args);
/// Those members of a training section that store_job() writes.
void copy_job(const manifest::Training& from, manifest::Training& to);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_JOB_STORE_H_
