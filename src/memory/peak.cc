#include "trainsight/memory/peak.h"

#include <algorithm>
#include <cmath>

#include "trainsight/memory/terms.h"

namespace trainsight::memory {
namespace {

using models::ModelShape;
using models::ParameterCounts;

double real(std::uint64_t value) { return static_cast<double>(value); }

// Whether a term grows with the batch.
bool grows(Term t) {
  return t == Term::kActivations || t == Term::kWorkspace ||
         t == Term::kLogits || t == Term::kGeneration;
}

// Parameters of a pipeline stage, by how they are stored and shared.
struct StageParameters {
  double linears = 0;  ///< of the layers, without experts
  double experts = 0;  ///< routed
  double small = 0;    ///< norms, biases, router
  double embedding = 0;
  double head = 0;
  double other = 0;  ///< vision tower
  double layers = 0;
};

StageParameters parameters_of(const ModelShape& shape, const ParameterCounts& n,
                              const Settings& settings, std::uint64_t stage) {
  const Parallelism& r = settings.ranks;
  const double p = real(r.pipeline), t = real(r.tensor);
  const bool first = stage == 0, last = stage + 1 == r.pipeline;
  StageParameters s;
  s.layers = real(shape.layers) / p;
  const double moe = real(shape.moe_layers());
  const double experts = moe * real(n.expert_mlp);
  const double blocks =
      real(n.total - n.embedding - n.head - n.final_norm - n.extra);
  // With more than one layer kind the experts' linears are in layer_linears.
  const double shared_linears = std::max(
      0.0, real(n.layer_linears) - std::min(experts, real(n.layer_linears)));
  s.linears = shared_linears / p / t;
  const double expert_tensor = r.expert_tensor != 0 ? real(r.expert_tensor) : t;
  s.experts = experts / p / (real(r.expert) * expert_tensor);
  s.small = std::max(0.0, blocks - experts - shared_linears) / p;
  if (first) s.embedding = real(n.embedding) / t;
  if (last) {
    s.head = real(n.head) / t;
    s.small += real(n.final_norm);
    // A tied head stands on the last stage too.
    if ((r.pipeline > 1 || settings.unties_head) && shape.tied_head) {
      s.head = real(n.embedding) / t;
    }
  }
  if (first) s.other = real(n.extra);
  return s;
}

class StagePeak {
 public:
  StagePeak(const ModelShape& shape, const ParameterCounts& counts,
            const Settings& settings, const Batch& batch, const Coefficients& c,
            std::uint64_t stage)
      : shape_(shape),
        counts_(counts),
        s_(settings),
        r_(settings.ranks),
        c_(c),
        stage_(stage),
        p_(parameters_of(shape, counts, settings, stage)) {
    tokens_ = real(batch.tokens()) / real(r_.context);
    length_ = batch.length;
    scored_ = tokens_;
    if (batch.scored_length != 0 && batch.length != 0) {
      scored_ = std::min(tokens_, real(batch.sequences * batch.scored_length) /
                                      real(r_.context));
    }
    if (is_pairwise(s_.objective)) {
      tokens_ *= 2;
      scored_ *= 2;
    }
    const double group =
        real(r_.shard_group != 0 ? r_.shard_group : r_.data * r_.context);
    group_ = std::max(1.0, group);
  }

  Peak run() {
    weights();
    buffers();
    activations();
    logits();
    for (const Term t : {Term::kActivations, Term::kWorkspace, Term::kLogits}) {
      term(t) *= c_.dynamic_factor;
    }
    generation();
    overheads();
    phases();
    return peak_;
  }

 private:
  double& term(Term t) { return peak_.terms[static_cast<std::size_t>(t)]; }
  [[nodiscard]] bool is_fsdp() const {
    return s_.sharding == Sharding::kFsdp ||
           s_.sharding == Sharding::kFsdpGradOp;
  }
  [[nodiscard]] bool weights_sharded() const {
    return s_.sharding == Sharding::kFsdp || s_.sharding == Sharding::kZero3;
  }
  [[nodiscard]] bool is_zero() const {
    return s_.sharding == Sharding::kZero1 || s_.sharding == Sharding::kZero2 ||
           s_.sharding == Sharding::kZero3;
  }
  [[nodiscard]] double all_parameters() const {
    return p_.linears + p_.experts + p_.small + p_.embedding + p_.head +
           p_.other;
  }
  [[nodiscard]] double unit_parameters() const {
    return real(counts_.largest_layer()) / real(r_.tensor) /
           (shape_.is_moe() && r_.expert > 1 ? real(r_.expert) : 1);
  }
  // Experts are shared out over their own, smaller group of data ranks.
  [[nodiscard]] double expert_group() const {
    const double shards =
        r_.expert_tensor != 0 ? real(r_.expert_tensor) : real(r_.tensor);
    return std::max(1.0, group_ * real(r_.tensor) / (real(r_.expert) * shards));
  }

  void weights();
  void trained(double dense, double experts);
  void buffers();
  void activations();
  void logits();
  void generation();
  void overheads();
  void phases();

  const ModelShape& shape_;
  const ParameterCounts& counts_;
  const Settings& s_;
  const Parallelism& r_;
  const Coefficients& c_;
  std::uint64_t stage_;
  StageParameters p_;
  double tokens_ = 0;
  double scored_ = 0;  ///< of them, those with logits
  std::uint64_t length_ = 0;
  double group_ = 1;
  double trained_ = 0;  ///< parameters on this rank before sharding
  Peak peak_;
};

// States of trained parameters under the sharding.
void StagePeak::trained(double dense, double experts) {
  const StateBytes b = state_bytes(s_);
  const double g = group_, e = expert_group();
  const auto shared = [&](bool sharded) {
    return sharded ? dense / g + experts / e : dense + experts;
  };
  const bool z1 = is_zero() || is_fsdp();
  const bool z2 = z1 && s_.sharding != Sharding::kZero1;
  const bool z3 = weights_sharded();
  trained_ = dense + experts;
  const bool host_states = s_.offload != Offload::kNone;
  const Term weight_term =
      s_.method == Method::kFull ? Term::kWeights : Term::kAdapters;
  term(weight_term) += b.weights * shared(z3);
  if (s_.offload == Offload::kParameters) term(weight_term) = 0;
  if (!host_states) {
    term(Term::kMaster) = b.master * shared(z1);
    term(Term::kStates) = b.states * shared(z1);
    term(Term::kStep) = b.step_temporary * shared(z1);
  }
  double gradients = b.gradients * shared(z2 || z3);
  // ZeRO 1 and 2 accumulate a 32-bit partition beside the 16-bit gradients.
  if (s_.precision == Precision::kMaster16) {
    if (s_.holds_gradients && !host_states) gradients += 4 * shared(true);
  }
  if (s_.offload == Offload::kParameters) gradients = 0;
  term(Term::kGradients) = gradients;
  if (s_.holds_gradients || s_.precision == Precision::kMegatron) {
    term(Term::kHeldGradients) =
        s_.precision == Precision::kMaster16 ? 2 * shared(true) : gradients;
  }
}

void StagePeak::weights() {
  const double shard = weights_sharded() ? group_ : 1;
  if (s_.method == Method::kFull) {
    trained(p_.linears + p_.small + p_.embedding + p_.head + p_.other,
            p_.experts);
  } else {
    const double base = base_bytes(s_.base);
    const double rest = s_.base == BaseStorage::k32Bit ? 4 : 2;
    double frozen = base * (p_.linears + p_.experts) +
                    rest * (p_.embedding + p_.head + p_.other) +
                    (s_.upcast_frozen ? 4 : rest) * p_.small;
    if (s_.upcast_frozen) frozen += (4 - rest) * p_.head;
    term(Term::kWeights) =
        s_.offload == Offload::kParameters ? 0 : frozen / shard;
    const double adapters =
        s_.method == Method::kLora
            ? real(adapter_parameters(shape_, s_)) / real(r_.pipeline)
            : p_.small;
    trained(adapters, 0);
  }
  if (s_.reference == Reference::kSecondModel) {
    term(Term::kReference) = 2 * all_parameters() / shard;
  }
  if (s_.method != Method::kFull && s_.base != BaseStorage::k16Bit &&
      s_.base != BaseStorage::k32Bit) {
    term(Term::kDequantised) = 2 * real(counts_.largest_linear);
  }
}

void StagePeak::buffers() {
  double& buffers = term(Term::kBuffers);
  const bool full = s_.method == Method::kFull;
  const double root =
      std::max(p_.embedding, p_.head) +
      (p_.embedding > 0 && p_.head > 0 ? std::min(p_.embedding, p_.head) : 0);
  if (is_fsdp() && (group_ > 1 || s_.offload == Offload::kParameters)) {
    const double unit = s_.method != Method::kFull ? base_bytes(s_.base) : 2.0;
    if (r_.pipeline > 1 && full) {
      // Between micro-batches a stage stays whole, its gradients in 32 bits.
      buffers = (2 + 4) * all_parameters();
    } else if (s_.sharding == Sharding::kFsdpGradOp) {
      buffers = 2 * all_parameters();
    } else {
      buffers = 2 * unit * unit_parameters() + 2 * root;
    }
    if (full) buffers += 2 * unit_parameters();
  } else if (s_.sharding == Sharding::kZero3 &&
             (group_ > 1 || s_.offload == Offload::kParameters)) {
    constexpr double kLive = 1e9;  // stage3_max_live_parameters
    buffers = 2 * std::min(kLive, all_parameters());
    if (full) buffers += 2 * std::min(5e8, all_parameters());
  } else if (is_zero() && s_.precision == Precision::kMaster16) {
    buffers = 2 * 2 * std::min(5e8, trained_);  // two buckets of 5e8 elements
  }
}

void StagePeak::activations() {
  const double layers = p_.layers;
  const double share = pipeline_share(r_, stage_) * real(r_.pipeline);
  const bool moe = shape_.is_moe();
  const double dense_ratio =
      moe ? real(shape_.experts.dense_layers) / real(shape_.layers) : 1;
  const double dense_layer =
      dense_ratio > 0
          ? saved_bytes_per_token(shape_, s_, length_, false, c_) * tokens_
          : 0;
  const double moe_layer =
      moe ? saved_bytes_per_token(shape_, s_, length_, true, c_) * tokens_ : 0;
  const double all =
      (dense_layer * dense_ratio + moe_layer * (1 - dense_ratio)) * layers *
      share;
  const double largest = std::max(dense_layer, moe_layer);
  const double checkpoint = checkpoint_bytes_per_token(shape_, s_) * tokens_;
  const double t = real(r_.tensor);
  const double width = moe ? real(shape_.experts.active * shape_.experts.width +
                                  shape_.experts.shared_width)
                           : real(shape_.mlp_width);
  const double flight = (c_.workspace_mlp_f * width / t +
                         c_.workspace_hidden_h * real(shape_.hidden)) *
                        tokens_;
  const bool eager =
      s_.attention == Attention::kEager ||
      (s_.attention == Attention::kSdpa && shape_.attention_softcap);
  const double scores = eager ? (c_.eager_score_live - c_.eager_score_saved) *
                                    real(shape_.heads) / t * real(length_) *
                                    tokens_
                              : 0;
  double& saved = term(Term::kActivations);
  double& workspace = term(Term::kWorkspace);
  workspace = flight + scores;
  switch (s_.checkpointing) {
    case Checkpointing::kNone:
    case Checkpointing::kScores:
      saved = all;
      break;
    case Checkpointing::kOperators: {
      const double kept = selective_bytes_per_token(shape_, s_) * tokens_;
      saved = kept * layers * share;
      workspace += std::max(0.0, largest - kept);
      break;
    }
    case Checkpointing::kFull: {
      const double every =
          real(std::max<std::uint64_t>(s_.checkpoint_every, 1));
      saved = checkpoint * std::ceil(layers / every) * share;
      workspace += largest * std::min(every, layers);
      break;
    }
    case Checkpointing::kOffloaded:
      saved = 2 * checkpoint;
      workspace += largest;
      break;
  }
  if (s_.activation_offload) {
    saved = std::min(
        saved,
        2 * (s_.checkpointing == Checkpointing::kNone ? largest : checkpoint));
  }
  if (is_fsdp() && !s_.fsdp2 && s_.method != Method::kFull &&
      s_.checkpointing == Checkpointing::kFull) {
    saved += c_.fsdp_adapter_input_h * real(shape_.hidden) * tokens_ * layers;
  }
  // The embedding's output and the final norm's input.
  saved += 2 * checkpoint;
  // Ring attention passes two blocks of keys and values around.
  if (r_.context > 1) {
    term(Term::kBuffers) += 2 * 2 * 2 * real(shape_.kv_width()) * tokens_;
  }
  if (moe && r_.expert > 1) {
    term(Term::kBuffers) +=
        2 * real(shape_.experts.active) * 2 * real(shape_.hidden) * tokens_;
  }
}

void StagePeak::logits() {
  const bool last = stage_ + 1 == r_.pipeline;
  if (!last) return;
  double bytes = logits_bytes(shape_, s_, 1, c_) * scored_;
  // In RL the reference has answered before the policy's forward.
  if (s_.reference == Reference::kSecondModel &&
      s_.objective != Objective::kGrpo) {
    bytes += c_.reference_logits_v * scored_ * real(shape_.vocabulary);
  }
  term(Term::kLogits) = bytes;
  if (s_.method == Method::kFull && !s_.fused_backward) {
    const double width = state_bytes(s_).gradients;
    const double head = shape_.tied_head ? p_.embedding : p_.head;
    term(Term::kHeadGradient) =
        s_.precision == Precision::kMegatron ? 0 : std::min(width, 4.0) * head;
  }
}

void StagePeak::generation() {
  const Generation& g = s_.generation;
  if (s_.objective != Objective::kGrpo || g.engine == Engine::kElsewhere) {
    return;
  }
  const double shards = real(std::max<std::uint64_t>(g.tensor, 1));
  double weights = engine_weight_bytes(counts_, s_);
  if (g.engine == Engine::kTrainer && weights_sharded() && group_ > 1) {
    // The trained model is gathered to generate with it.
    weights = (s_.method == Method::kFull ? state_bytes(s_).weights
                                          : base_bytes(s_.base)) *
              all_parameters();
  }
  const double sequence =
      kv_cache_bytes_per_token(shape_) * real(g.length) / shards;
  // An engine queues what its cache has no room for, but for one sequence.
  term(Term::kGeneration) =
      g.reserved_bytes != 0
          ? std::max(real(g.reserved_bytes),
                     weights + (g.concurrent != 0 ? sequence : 0))
          : weights + sequence * real(g.concurrent);
  peak_.engine_stays = !g.sleeps;
}

void StagePeak::overheads() {
  term(Term::kContext) = c_.context_bytes;
  double groups = 0;
  if (r_.data > 1) groups += 1;
  for (const std::uint64_t axis :
       {r_.tensor, r_.pipeline, r_.context, r_.expert}) {
    if (axis > 1) groups += 1;
  }
  term(Term::kCommunicators) = groups * c_.communicator_bytes;
  double ratio = c_.fragmentation_ratio;
  if (s_.expandable_segments) ratio = c_.fragmentation_fixed_ratio;
  if (s_.variable_lengths && !s_.expandable_segments) {
    ratio = c_.fragmentation_variable_ratio;
  }
  term(Term::kFragmentation) =
      ratio *
      (term(Term::kActivations) + term(Term::kWorkspace) + term(Term::kLogits));
}

void StagePeak::phases() {
  const auto sum = [&](Phase phase) {
    double fixed = 0, growing = 0;
    for (std::size_t i = 0; i < kTermCount; ++i) {
      const Term t = static_cast<Term>(i);
      if (!peak_.holds(t, phase)) continue;
      (grows(t) ? growing : fixed) += peak_.terms[i];
    }
    // No measured offset takes away what is there whatever the batch.
    return std::max(fixed, fixed + growing + c_.offset_bytes);
  };
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    peak_.phases[i] = sum(static_cast<Phase>(i));
  }
  // At the end of the backward the first unit's gradients are still to come,
  // and its layer is live.
  if (is_zero()) {
    peak_.phases[static_cast<std::size_t>(Phase::kStep)] +=
        term(Term::kBuffers);
  }
  double& end = peak_.phases[static_cast<std::size_t>(Phase::kBackwardEnd)];
  const double gradient_width = state_bytes(s_).gradients;
  const double shard = is_fsdp() || s_.sharding == Sharding::kZero2 ||
                               s_.sharding == Sharding::kZero3
                           ? group_
                           : 1;
  const double first = s_.method == Method::kFull && !shape_.tied_head &&
                               s_.offload == Offload::kNone
                           ? gradient_width * p_.embedding / shard
                           : 0;
  end = std::max(end - term(Term::kWorkspace) - term(Term::kBuffers),
                 end - std::min(first, term(Term::kGradients)));
  if (s_.objective != Objective::kGrpo || term(Term::kGeneration) == 0) {
    peak_.phases[static_cast<std::size_t>(Phase::kGenerate)] = 0;
  }
  peak_.phases[static_cast<std::size_t>(Phase::kLoad)] = 0;
  if (s_.loads_whole && group_ > 1 && weights_sharded()) {
    peak_.phases[static_cast<std::size_t>(Phase::kLoad)] =
        2 * all_parameters() * (1 + 1 / group_) + term(Term::kBuffers);
  }
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    if (peak_.phases[i] > peak_.allocated) {
      peak_.allocated = peak_.phases[i];
      peak_.winner = static_cast<Phase>(i);
    }
  }
  const double cached =
      s_.variable_lengths ? c_.cached_variable_ratio : c_.cached_fixed_ratio;
  peak_.reserved =
      peak_.allocated +
      cached * (term(Term::kActivations) +
                std::max(term(Term::kLogits), term(Term::kWorkspace)));
  peak_.device = peak_.allocated + term(Term::kContext) +
                 term(Term::kCommunicators) + term(Term::kFragmentation);
  peak_.stage = stage_;
}

constexpr std::string_view kTermNames[kTermCount] = {
    "weights",
    "master copy",
    "adapters",
    "reference model",
    "optimizer states",
    "gradients",
    "held gradients",
    "head gradient",
    "activations",
    "layer workspace",
    "logits and loss",
    "shard buffers",
    "dequantised weight",
    "step temporary",
    "generation engine",
    "CUDA context",
    "communicators",
    "fragmentation",
};

constexpr std::string_view kTermFormulas[kTermCount] = {
    "P x bytes / shards",
    "4 P / shards",
    "sum of r (in + out) x bytes",
    "2 P / shards",
    "P x states x bytes / shards",
    "P x bytes / shards",
    "gradients kept over micro-batches or in buckets",
    "bytes x V h",
    "saved x T x L, or 2 h T L checkpoints",
    "one layer saved + (4 f + 2 h) T",
    "c_V T V + 4 h T",
    "2 units + embedding and head, or buckets",
    "2 x largest linear",
    "one copy of what is updated",
    "reserved, or 2 P / t + 4 L hkv tokens",
    "CUDA, cuBLAS",
    "0.4 GiB a process group",
    "share of activations, workspace, logits",
};

constexpr std::string_view kPhaseNames[kPhaseCount] = {
    "load",           "logits and loss", "backward", "end of backward",
    "optimizer step", "generation",
};

}  // namespace

std::string_view name_of(Term term) {
  return kTermNames[static_cast<std::size_t>(term)];
}
std::string_view name_of(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}
std::string_view formula_of(Term term) {
  return kTermFormulas[static_cast<std::size_t>(term)];
}

bool belongs(Term term, Phase phase) {
  switch (term) {
    case Term::kWeights:
    case Term::kMaster:
    case Term::kAdapters:
    case Term::kReference:
    case Term::kStates:
      return phase != Phase::kLoad;
    case Term::kGradients:
      return phase == Phase::kBackwardEnd || phase == Phase::kStep;
    case Term::kHeldGradients:
      return phase == Phase::kLogits || phase == Phase::kBackward;
    case Term::kHeadGradient:
      return phase == Phase::kBackward;
    case Term::kActivations:
      return phase == Phase::kLogits || phase == Phase::kBackward;
    case Term::kLogits:
      return phase == Phase::kLogits;
    case Term::kWorkspace:
      return phase == Phase::kBackward || phase == Phase::kBackwardEnd;
    case Term::kDequantised:
      return phase == Phase::kBackward;
    case Term::kBuffers:
      return phase == Phase::kLogits || phase == Phase::kBackward ||
             phase == Phase::kBackwardEnd;
    case Term::kStep:
      return phase == Phase::kStep;
    case Term::kGeneration:
      return phase == Phase::kGenerate;
    case Term::kContext:
    case Term::kCommunicators:
    case Term::kFragmentation:
      return false;
  }
  return false;
}

bool Peak::holds(Term t, Phase p) const {
  return belongs(t, p) ||
         (t == Term::kGeneration && engine_stays && p != Phase::kLoad);
}

double Peak::rest(Phase p) const {
  double held = 0;
  for (std::size_t i = 0; i < kTermCount; ++i) {
    if (holds(static_cast<Term>(i), p)) held += terms[i];
  }
  return phase(p) > 0 ? phase(p) - held : 0;
}

double Peak::fixed() const {
  double bytes = 0;
  for (std::size_t i = 0; i < kTermCount; ++i) {
    const Term t = static_cast<Term>(i);
    if (!grows(t) && holds(t, winner)) bytes += terms[i];
  }
  return bytes;
}

Peak predict_peak(const ModelShape& shape, const ParameterCounts& counts,
                  const Settings& settings, const Batch& batch,
                  const Coefficients& coefficients, std::uint64_t only_stage) {
  const std::uint64_t stages =
      std::max<std::uint64_t>(settings.ranks.pipeline, 1);
  if (only_stage < stages) {
    return StagePeak(shape, counts, settings, batch, coefficients, only_stage)
        .run();
  }
  Peak worst = StagePeak(shape, counts, settings, batch, coefficients, 0).run();
  if (stages > 1) {
    const Peak last =
        StagePeak(shape, counts, settings, batch, coefficients, stages - 1)
            .run();
    if (last.device > worst.device) return last;
  }
  return worst;
}

Peak predict_peak(const ModelShape& shape, const Settings& settings,
                  const Batch& batch, const Coefficients& coefficients,
                  std::uint64_t only_stage) {
  return predict_peak(shape, models::count_parameters(shape), settings, batch,
                      coefficients, only_stage);
}

}  // namespace trainsight::memory
