// What a job is told about generation (RL): completions, and the engine that
// writes them.
//
// Internal to cli; part of resolve_job() and set_batching() (plan_args.h).
#ifndef TRAINSIGHT_CLI_JOB_GENERATION_H_
#define TRAINSIGHT_CLI_JOB_GENERATION_H_

#include "plan_args.h"
#include "trainsight/core/result.h"
#include "trainsight/plan/plan.h"

namespace trainsight::cli {

/// Whether any flag of generation was given, which makes the job an RL job.
bool generates(const JobArgs& args);

/// The engine, once objective, ranks and GPU are known.
/// Errors: kUsage, also for flags of generation where nothing generates.
Status set_engine(const JobArgs& args, plan::Job& job);

/// Lengths and number of completions. Errors: kUsage.
Status set_completions(const JobArgs& args, plan::Job& job);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_JOB_GENERATION_H_
