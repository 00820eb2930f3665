// What a trainer does where its file is silent.
#ifndef TRAINSIGHT_TRAINERS_DEFAULTS_H_
#define TRAINSIGHT_TRAINERS_DEFAULTS_H_

#include <vector>

#include "trainers/flat_file.h"
#include "trainers/key_table.h"
#include "trainsight/trainers/config.h"

namespace trainsight::trainers {

/// The trainer's own defaults, where the framework's profile is not enough.
void add_defaults(Trainer trainer, TrainerConfig& config);

/// Of keys that only RL has: the objective, and what is generated with.
/// `values` are the file's.
void add_generation(Trainer trainer, const std::vector<FlatValue>& values,
                    TrainerConfig& config);

}  // namespace trainsight::trainers

#endif  // TRAINSIGHT_TRAINERS_DEFAULTS_H_
