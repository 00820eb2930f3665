// Settings: a way of training, as far as it decides how much GPU memory it
// takes. Plain values with the defaults of a plain run; a framework's own
// defaults are in profiles.h.
//
// Sizes are of one GPU ("rank") unless a name says otherwise.
// Thread-safety: plain values.
#ifndef TRAINSIGHT_MEMORY_SETTINGS_H_
#define TRAINSIGHT_MEMORY_SETTINGS_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "trainsight/models/model_shape.h"

namespace trainsight::memory {

/// What is trained.
enum class Method : std::uint8_t {
  kFull,    ///< every parameter
  kLora,    ///< low-rank adapters on a frozen base
  kFrozen,  ///< a few parameters of a frozen base (norms)
};

/// How the frozen base of an adapter is stored.
enum class BaseStorage : std::uint8_t {
  k16Bit,
  k32Bit,
  kInt8,
  kGptq4,
  kNf4,
  kNf4Double,  ///< nf4 with quantised constants
};

/// In what the trained parameters, gradients and states are held.
enum class Precision : std::uint8_t {
  kPure16,    ///< all 16 bits: 2 + 2 + 2 a state
  kMixed32,   ///< 32-bit parameters under autocast or FSDP mixed precision
  kMaster16,  ///< DeepSpeed: 16-bit copy, 32-bit master
  kMegatron,  ///< 16-bit weights, 32-bit gradients and master
};

enum class Optimizer : std::uint8_t {
  kAdamW,
  kAdamW8bit,
  kPagedAdamW,
  kPagedAdamW8bit,
  kSgd,
  kMomentum,
  kLion,
  kAdafactor,
  kMuon,
};

enum class Sharding : std::uint8_t {
  kNone,
  kDdp,
  kZero1,
  kZero2,
  kZero3,
  kFsdp,        ///< full shard
  kFsdpGradOp,  ///< weights stay whole during the step
};

enum class Offload : std::uint8_t {
  kNone,
  kOptimizer,   ///< states and their update on the host
  kParameters,  ///< weights too; a layer at a time on the GPU
};

enum class Checkpointing : std::uint8_t {
  kNone,
  kFull,       ///< a block's input is kept, the block recomputed
  kScores,     ///< Korthikanti's selective: scores and softmax recomputed
  kOperators,  ///< torchtitan's selective: every second matmul kept
  kOffloaded,  ///< as kFull, with the inputs on the host
};

enum class Attention : std::uint8_t {
  kFlash,
  kSdpa,     ///< as flash, with keys and values repeated to all heads
  kEager,    ///< scores are written out, softmax in 32 bits
  kEager16,  ///< scores in 16 bits under a fused mask and softmax (Megatron)
};

enum class Kernels : std::uint8_t {
  kUnfused,  ///< norms in 32 bits, activation and product apart
  kFused,    ///< Liger, Unsloth, TransformerEngine, torch.compile
};

/// How the loss treats the logits.
enum class Loss : std::uint8_t {
  kUpcastCopy,     ///< 32-bit copy and a shifted copy of it
  kUpcast,         ///< 32-bit copy
  kCompiled,       ///< upcast inside a compiled loss
  kInPlace,        ///< gradient written over the logits
  kHalf,           ///< 16-bit logits and loss
  kVocabParallel,  ///< Megatron's
  kChunked,        ///< 16-bit logits kept, loss a chunk at a time
  kFusedLinear,    ///< logits never exist
};

enum class Objective : std::uint8_t { kSft, kDpo, kSimPo, kOrpo, kKto, kGrpo };

/// "sft", "dpo", …
constexpr std::string_view name_of(Objective objective) {
  switch (objective) {
    case Objective::kSft:
      return "sft";
    case Objective::kDpo:
      return "dpo";
    case Objective::kSimPo:
      return "simpo";
    case Objective::kOrpo:
      return "orpo";
    case Objective::kKto:
      return "kto";
    case Objective::kGrpo:
      return "grpo";
  }
  return "sft";
}
/// Whether a batch holds both sides of pairs.
constexpr bool is_pairwise(Objective objective) {
  return objective == Objective::kDpo || objective == Objective::kSimPo ||
         objective == Objective::kOrpo;
}

/// Where reference log-probabilities come from.
enum class Reference : std::uint8_t {
  kNone,         ///< not needed, or precomputed
  kAdapterOff,   ///< the trained model without its adapter: time, no memory
  kSecondModel,  ///< a frozen copy
};

/// A set of linears, by models::LinearShape::Role.
class Targets {
 public:
  using Role = models::LinearShape::Role;
  constexpr Targets() = default;
  constexpr Targets(std::initializer_list<Role> roles) {
    for (const Role role : roles) add(role);
  }
  constexpr void add(Role role) { bits_ |= 1u << static_cast<unsigned>(role); }
  [[nodiscard]] constexpr bool has(Role role) const {
    return (bits_ >> static_cast<unsigned>(role) & 1u) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(Targets, Targets) = default;
  /// Every linear of the layers.
  static constexpr Targets all_linear() {
    return {Role::kQuery, Role::kKey, Role::kValue, Role::kOutput,
            Role::kGate,  Role::kUp,  Role::kDown};
  }

 private:
  std::uint32_t bits_ = 0;
};

struct Adapter {
  std::uint64_t rank = 16;
  Targets targets = Targets::all_linear();
  bool dropout = false;  ///< larger than 0
  bool dora = false;     ///< a magnitude vector a target
  bool bits32 = false;   ///< adapters held in 32 bits
};

/// How the ranks share the work. `data` counts the ranks that see different
/// batches; with `context` > 1 states are sharded over data x context.
struct Parallelism {
  std::uint64_t data = 1;
  std::uint64_t shard_group = 0;  ///< 0: all of data x context
  std::uint64_t tensor = 1;
  std::uint64_t pipeline = 1;
  std::uint64_t virtual_stages = 1;
  std::uint64_t context = 1;
  std::uint64_t expert = 1;
  std::uint64_t expert_tensor = 0;  ///< shards of an expert; 0: as `tensor`
  std::uint64_t micro_batches = 1;  ///< of a step, for the pipeline
  bool sequence_parallel = false;
  bool vocabulary_parallel = false;  ///< logits and loss over `tensor`
  bool gpipe = false;                ///< holds every micro-batch
};

/// The largest batch that one rank has to hold at a time.
struct Batch {
  std::uint64_t sequences = 1;
  std::uint64_t length = 0;  ///< padded, or of a pack; tokens
  /// Padding-free: the sum of the lengths; 0: sequences x length.
  std::uint64_t flat_tokens = 0;
  /// RL: tokens of a sequence that logits are computed for, which are those of
  /// its completion; 0: all.
  std::uint64_t scored_length = 0;

  [[nodiscard]] std::uint64_t tokens() const {
    return flat_tokens != 0 ? flat_tokens : sequences * length;
  }
};

/// What generates completions (GRPO).
enum class Engine : std::uint8_t {
  kElsewhere,  ///< on other GPUs
  kTrainer,    ///< the trained model itself: a KV cache, no second copy
  kColocated,  ///< an engine with its own 16-bit weights on the same GPUs
};

/// "elsewhere", "trainer", "colocated".
constexpr std::string_view name_of(Engine engine) {
  switch (engine) {
    case Engine::kElsewhere:
      return "elsewhere";
    case Engine::kTrainer:
      return "trainer";
    case Engine::kColocated:
      return "colocated";
  }
  return "elsewhere";
}

/// Generation between the steps of training (GRPO).
struct Generation {
  Engine engine = Engine::kElsewhere;
  std::uint64_t concurrent = 0;  ///< sequences in an engine's KV cache
  std::uint64_t length = 0;      ///< prompt + completion, tokens
  std::uint64_t tensor = 1;      ///< ranks that an engine is spread over
  /// What the engine takes of each GPU however much it needs; 0: what weights
  /// and cache need. vLLM's gpu_memory_utilization x the GPU's memory.
  std::uint64_t reserved_bytes = 0;
  bool sleeps = true;  ///< gives its memory back for training
};

struct Settings {
  Method method = Method::kFull;
  BaseStorage base = BaseStorage::k16Bit;
  Precision precision = Precision::kPure16;
  Optimizer optimizer = Optimizer::kAdamW;
  Sharding sharding = Sharding::kNone;
  Offload offload = Offload::kNone;
  Checkpointing checkpointing = Checkpointing::kNone;
  std::uint64_t checkpoint_every = 1;  ///< blocks a checkpoint
  bool activation_offload = false;     ///< saved activations on the host
  Attention attention = Attention::kFlash;
  Kernels kernels = Kernels::kUnfused;
  Loss loss = Loss::kUpcast;
  Objective objective = Objective::kSft;
  Reference reference = Reference::kNone;
  Adapter adapter;
  Parallelism ranks;
  Generation generation;
  bool foreach_step = true;      ///< the step makes one temporary copy
  bool fused_backward = false;   ///< the optimizer steps inside the backward
  bool holds_gradients = false;  ///< accumulation > 1: they outlive a step
  bool dropout = false;          ///< hidden-state dropout in training
  /// 4-bit linears that save their inputs: bytes per unit of input width.
  double kept_input_bytes = 0;
  bool unties_head = false;    ///< stores a tied head a second time
  bool fsdp2 = false;          ///< per-parameter sharding: no flat copies
  bool upcast_frozen = false;  ///< norms and head of a k-bit base in 32 bits
  bool expandable_segments = false;  ///< the allocator's option
  bool variable_lengths = false;     ///< shapes differ from step to step
  bool loads_whole = false;  ///< each rank holds the model before sharding
  double extra_saved_h = 0;  ///< known copies of a code, bytes/token/layer/h
  double expert_imbalance = 1.0;  ///< tokens of the worst rank / mean
};

}  // namespace trainsight::memory

#endif  // TRAINSIGHT_MEMORY_SETTINGS_H_
