// The table of built-in models. One row a model, widths as in its
// configuration file.
//
// Sources of the shapes: Lightning-AI/litgpt litgpt/config.py (26857050),
// mlc-ai/mlc-llm model presets, TransformerLensOrg/TransformerLens
// (4cd36aae), AI-Hypercomputer/maxtext (e591f30c), AMD-AGI/Primus, NVIDIA/NeMo,
// configuration files of huggingface/transformers, the models' own cards and
// papers. Sources of the totals: keras-team/keras-hub presets (71453d08),
// NVIDIA-NeMo/Megatron-Bridge (067f987d), huggingface/huggingface.js tests,
// huggingface/peft results, MrYxJ/calculate-flops.pytorch (29ca584), model
// cards. Where a stated total counts a tied head twice, buffers, or a layer
// that trainers drop, the published figure here is without it.
#include "trainsight/models/model_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <vector>

namespace trainsight::models {
namespace {

enum Trait : std::uint32_t {
  kTied = 1,
  kQkvBias = 2,
  kAllBias = 4,
  kPlain = 8,
  kLn = 16,
  kLnNoBias = 32,
  kNoNorm = 64,
  kMlpBias = 128,
  kRouterBias = 256,
  kEmbedNorm = 512,
  kHeadBias = 1024,
  kSinks = 2048,
  kSharedGate = 4096,
};

constexpr TotalEvidence kExact = TotalEvidence::kExact;
constexpr TotalEvidence kRounded = TotalEvidence::kRounded;
constexpr TotalEvidence kNamed = TotalEvidence::kNamed;

struct Row {
  std::string_view name, hub_name;
  std::uint64_t hidden, layers, heads, kv_heads, head_dim, mlp_width;
  std::uint64_t vocabulary, max_positions, position_rows, norms, qk_norm;
  std::uint64_t extra;
  std::uint32_t traits;
  // count, active, width, shared width, dense layers
  Experts experts;
  // query rank, key/value rank, nope, rope, value
  LatentAttention latent;
  std::uint64_t published;
  TotalEvidence evidence;
};

constexpr Row kRows[] = {
    // clang-format off
    {"gpt2", "openai-community/gpt2",
     768, 12, 12, 12, 64, 3072, 50257, 1024, 1024, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 124439808, kExact},
    {"gpt2-medium", "openai-community/gpt2-medium",
     1024, 24, 16, 16, 64, 4096, 50257, 1024, 1024, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 354823168, kExact},
    {"gpt2-large", "openai-community/gpt2-large",
     1280, 36, 20, 20, 64, 5120, 50257, 1024, 1024, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 774030080, kExact},
    {"gpt2-xl", "openai-community/gpt2-xl",
     1600, 48, 25, 25, 64, 6400, 50257, 1024, 1024, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 1557611200, kExact},
    {"gpt-j-6b", "EleutherAI/gpt-j-6b",
     4096, 28, 16, 16, 256, 16384, 50400, 2048, 0, 1, 0, 0,
     kPlain | kLn | kMlpBias | kHeadBias, {}, {}, 6050882784, kExact},
    {"gpt-neox-20b", "EleutherAI/gpt-neox-20b",
     6144, 44, 64, 64, 96, 24576, 50432, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 20554567680, kExact},
    {"gpt-oss-20b", "openai/gpt-oss-20b",
     2880, 24, 64, 8, 64, 2880, 201088, 131072, 0, 2, 0, 0,
     kAllBias | kMlpBias | kRouterBias | kSinks,
     {32, 4, 2880, 0, 0}, {}, 20914757184, kExact},
    {"gpt-oss-120b", "openai/gpt-oss-120b",
     2880, 36, 64, 8, 64, 2880, 201088, 131072, 0, 2, 0, 0,
     kAllBias | kMlpBias | kRouterBias | kSinks,
     {128, 4, 2880, 0, 0}, {}, 116829156672, kExact},
    {"distilgpt2", "distilbert/distilgpt2",
     768, 6, 12, 12, 64, 3072, 50257, 1024, 1024, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 81912576, kExact},
    {"pythia-14m", "EleutherAI/pythia-14m",
     128, 6, 4, 4, 32, 512, 50304, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 14067712, kExact},
    {"pythia-31m", "EleutherAI/pythia-31m",
     256, 6, 8, 8, 32, 1024, 50304, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 30494720, kExact},
    {"pythia-70m", "EleutherAI/pythia-70m",
     512, 6, 8, 8, 64, 2048, 50304, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 70426624, kExact},
    {"pythia-160m", "EleutherAI/pythia-160m",
     768, 12, 12, 12, 64, 3072, 50304, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 162322944, kExact},
    {"pythia-410m", "EleutherAI/pythia-410m",
     1024, 24, 16, 16, 64, 4096, 50304, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 405334016, kExact},
    {"pythia-1b", "EleutherAI/pythia-1b",
     2048, 16, 8, 8, 256, 8192, 50304, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 1011781632, kExact},
    {"pythia-1.4b", "EleutherAI/pythia-1.4b",
     2048, 24, 16, 16, 128, 8192, 50304, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 1414647808, kExact},
    {"pythia-2.8b", "EleutherAI/pythia-2.8b",
     2560, 32, 32, 32, 80, 10240, 50304, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 2775208960, kExact},
    {"pythia-6.9b", "EleutherAI/pythia-6.9b",
     4096, 32, 32, 32, 128, 16384, 50432, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 6857302016, kExact},
    {"pythia-12b", "EleutherAI/pythia-12b",
     5120, 36, 40, 40, 128, 20480, 50688, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 11846072320, kExact},
    {"redpajama-incite-3b", "togethercomputer/RedPajama-INCITE-Base-3B-v1",
     2560, 32, 32, 32, 80, 10240, 50432, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 2775864320, kExact},
    {"redpajama-incite-7b", "togethercomputer/RedPajama-INCITE-7B-Base",
     4096, 32, 32, 32, 128, 16384, 50432, 2048, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 6857302016, kExact},
    {"opt-125m", "facebook/opt-125m",
     768, 12, 12, 12, 64, 3072, 50272, 2048, 2050, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 125239296, kExact},
    {"opt-1.3b", "facebook/opt-1.3b",
     2048, 24, 32, 32, 64, 8192, 50272, 2048, 2050, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 1315758080, kExact},
    {"opt-2.7b", "facebook/opt-2.7b",
     2560, 32, 32, 32, 80, 10240, 50272, 2048, 2050, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 2651596800, kExact},
    {"opt-6.7b", "facebook/opt-6.7b",
     4096, 32, 32, 32, 128, 16384, 50272, 2048, 2050, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 6658473984, kExact},
    {"opt-30b", "facebook/opt-30b",
     7168, 48, 56, 56, 128, 28672, 50272, 2048, 2050, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 29974540288, kRounded},
    {"opt-66b", "facebook/opt-66b",
     9216, 64, 72, 72, 128, 36864, 50272, 2048, 2050, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 65719701504, kRounded},
    {"bloom-560m", "bigscience/bloom-560m",
     1024, 24, 16, 16, 64, 4096, 250880, 2048, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias | kEmbedNorm,
     {}, {}, 559214592, kExact},
    {"bloom-1b1", "bigscience/bloom-1b1",
     1536, 24, 16, 16, 96, 6144, 250880, 2048, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias | kEmbedNorm,
     {}, {}, 1065314304, kExact},
    {"bloom-1b7", "bigscience/bloom-1b7",
     2048, 24, 16, 16, 128, 8192, 250880, 2048, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias | kEmbedNorm,
     {}, {}, 1722408960, kExact},
    {"bloom-3b", "bigscience/bloom-3b",
     2560, 30, 32, 32, 80, 10240, 250880, 2048, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias | kEmbedNorm,
     {}, {}, 3002557440, kExact},
    {"bloom-7b1", "bigscience/bloom-7b1",
     4096, 30, 32, 32, 128, 16384, 250880, 2048, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias | kEmbedNorm,
     {}, {}, 7069016064, kExact},
    {"bloom-176b", "bigscience/bloom",
     14336, 70, 112, 112, 128, 57344, 250880, 2048, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias | kEmbedNorm,
     {}, {}, 176247271424, kExact},
    {"falcon-rw-1b", "tiiuae/falcon-rw-1b",
     2048, 24, 32, 32, 64, 8192, 50304, 2048, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 1311625216, kExact},
    {"falcon-7b", "tiiuae/falcon-7b",
     4544, 32, 71, 1, 64, 18176, 65024, 2048, 0, 1, 0, 0,
     kTied | kPlain | kLn, {}, {}, 6921720704, kExact},
    {"falcon-40b", "tiiuae/falcon-40b",
     8192, 60, 128, 8, 64, 32768, 65024, 2048, 0, 2, 0, 0,
     kTied | kPlain | kLn, {}, {}, 41303293952, kExact},
    {"falcon-180b", "tiiuae/falcon-180B",
     14848, 80, 232, 8, 64, 59392, 65024, 2048, 0, 2, 0, 0,
     kTied | kPlain | kLn, {}, {}, 178557088768, kExact},
    {"falcon3-1b", "tiiuae/Falcon3-1B-Base",
     2048, 18, 8, 4, 256, 8192, 131072, 8192, 0, 2, 0, 0,
     0, {}, {}, 1669408768, kExact},
    {"falcon3-3b", "tiiuae/Falcon3-3B-Base",
     3072, 22, 12, 4, 256, 9216, 131072, 32768, 0, 2, 0, 0,
     0, {}, {}, 3227655168, kExact},
    {"falcon3-7b", "tiiuae/Falcon3-7B-Base",
     3072, 28, 12, 4, 256, 23040, 131072, 32768, 0, 2, 0, 0,
     0, {}, {}, 7455550464, kNamed},
    {"falcon3-10b", "tiiuae/Falcon3-10B-Base",
     3072, 40, 12, 4, 256, 23040, 131072, 32768, 0, 2, 0, 0,
     0, {}, {}, 10305653760, kNamed},
    {"mpt-7b", "mosaicml/mpt-7b",
     4096, 32, 32, 32, 128, 16384, 50432, 2048, 0, 2, 0, 0,
     kTied | kPlain | kLnNoBias, {}, {}, 6649286656, kNamed},
    {"mpt-30b", "mosaicml/mpt-30b",
     7168, 48, 64, 64, 112, 28672, 50432, 8192, 0, 2, 0, 0,
     kTied | kPlain | kLnNoBias, {}, {}, 29957200896, kRounded},
    {"llama-7b", "huggyllama/llama-7b",
     4096, 32, 32, 32, 128, 11008, 32000, 2048, 0, 2, 0, 0,
     0, {}, {}, 6738415616, kExact},
    {"llama-13b", "huggyllama/llama-13b",
     5120, 40, 40, 40, 128, 13824, 32000, 2048, 0, 2, 0, 0,
     0, {}, {}, 13015864320, kExact},
    {"llama-30b", "huggyllama/llama-30b",
     6656, 60, 52, 52, 128, 17920, 32000, 2048, 0, 2, 0, 0,
     0, {}, {}, 32528943616, kRounded},
    {"llama-65b", "huggyllama/llama-65b",
     8192, 80, 64, 64, 128, 22016, 32000, 2048, 0, 2, 0, 0,
     0, {}, {}, 65285660672, kExact},
    {"llama-2-7b", "meta-llama/Llama-2-7b-hf",
     4096, 32, 32, 32, 128, 11008, 32000, 4096, 0, 2, 0, 0,
     0, {}, {}, 6738415616, kExact},
    {"llama-2-13b", "meta-llama/Llama-2-13b-hf",
     5120, 40, 40, 40, 128, 13824, 32000, 4096, 0, 2, 0, 0,
     0, {}, {}, 13015864320, kExact},
    {"llama-2-70b", "meta-llama/Llama-2-70b-hf",
     8192, 80, 64, 8, 128, 28672, 32000, 4096, 0, 2, 0, 0,
     0, {}, {}, 68976648192, kExact},
    {"llama-3-8b", "meta-llama/Meta-Llama-3-8B",
     4096, 32, 32, 8, 128, 14336, 128256, 8192, 0, 2, 0, 0,
     0, {}, {}, 8030261248, kExact},
    {"llama-3-70b", "meta-llama/Meta-Llama-3-70B",
     8192, 80, 64, 8, 128, 28672, 128256, 8192, 0, 2, 0, 0,
     0, {}, {}, 70553706496, kExact},
    {"llama-3.1-8b", "meta-llama/Llama-3.1-8B",
     4096, 32, 32, 8, 128, 14336, 128256, 131072, 0, 2, 0, 0,
     0, {}, {}, 8030261248, kExact},
    {"llama-3.1-70b", "meta-llama/Llama-3.1-70B",
     8192, 80, 64, 8, 128, 28672, 128256, 131072, 0, 2, 0, 0,
     0, {}, {}, 70553706496, kExact},
    {"llama-3.1-405b", "meta-llama/Llama-3.1-405B",
     16384, 126, 128, 8, 128, 53248, 128256, 131072, 0, 2, 0, 0,
     0, {}, {}, 405853388800, kExact},
    {"llama-3.2-1b", "meta-llama/Llama-3.2-1B",
     2048, 16, 32, 8, 64, 8192, 128256, 131072, 0, 2, 0, 0,
     kTied, {}, {}, 1235814400, kExact},
    {"llama-3.2-3b", "meta-llama/Llama-3.2-3B",
     3072, 28, 24, 8, 128, 8192, 128256, 131072, 0, 2, 0, 0,
     kTied, {}, {}, 3212749824, kExact},
    {"llama-3.3-70b", "meta-llama/Llama-3.3-70B-Instruct",
     8192, 80, 64, 8, 128, 28672, 128256, 131072, 0, 2, 0, 0,
     0, {}, {}, 70553706496, kExact},
    {"llama-4-scout", "meta-llama/Llama-4-Scout-17B-16E",
     5120, 48, 40, 8, 128, 16384, 202048, 262144, 0, 2, 0, 871932416,
     0, {16, 1, 8192, 8192, 0}, {}, 108641793536, kExact},
    {"llama-4-maverick", "meta-llama/Llama-4-Maverick-17B-128E",
     5120, 48, 40, 8, 128, 16384, 202048, 262144, 0, 2, 0, 871932416,
     0, {128, 1, 8192, 8192, 24}, {}, 401583781376, kExact},
    {"vicuna-7b-v1.5", "lmsys/vicuna-7b-v1.5",
     4096, 32, 32, 32, 128, 11008, 32000, 4096, 0, 2, 0, 0,
     0, {}, {}, 6738415616, kExact},
    {"codellama-7b", "codellama/CodeLlama-7b-hf",
     4096, 32, 32, 32, 128, 11008, 32016, 16384, 0, 2, 0, 0,
     0, {}, {}, 6738546688, kExact},
    {"codellama-13b", "codellama/CodeLlama-13b-hf",
     5120, 40, 40, 40, 128, 13824, 32016, 16384, 0, 2, 0, 0,
     0, {}, {}, 13016028160, kExact},
    {"codellama-34b", "codellama/CodeLlama-34b-hf",
     8192, 48, 64, 8, 128, 22016, 32000, 16384, 0, 2, 0, 0,
     0, {}, {}, 33743970304, kExact},
    {"codellama-70b", "codellama/CodeLlama-70b-hf",
     8192, 80, 64, 8, 128, 28672, 32016, 16384, 0, 2, 0, 0,
     0, {}, {}, 68976910336, kNamed},
    {"tinyllama-1.1b", "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
     2048, 22, 32, 4, 64, 5632, 32000, 2048, 0, 2, 0, 0,
     0, {}, {}, 1100048384, kExact},
    {"open-llama-3b", "openlm-research/open_llama_3b",
     3200, 26, 32, 32, 100, 8640, 32000, 2048, 0, 2, 0, 0,
     0, {}, {}, 3426473600, kExact},
    {"solar-10.7b", "upstage/SOLAR-10.7B-v1.0",
     4096, 48, 32, 8, 128, 14336, 32000, 4096, 0, 2, 0, 0,
     0, {}, {}, 10731524096, kExact},
    {"mistral-7b-v0.1", "mistralai/Mistral-7B-v0.1",
     4096, 32, 32, 8, 128, 14336, 32000, 32768, 0, 2, 0, 0,
     0, {}, {}, 7241732096, kExact},
    {"mistral-7b-v0.2", "mistralai/Mistral-7B-Instruct-v0.2",
     4096, 32, 32, 8, 128, 14336, 32000, 32768, 0, 2, 0, 0,
     0, {}, {}, 7241732096, kExact},
    {"mistral-7b-v0.3", "mistralai/Mistral-7B-v0.3",
     4096, 32, 32, 8, 128, 14336, 32768, 32768, 0, 2, 0, 0,
     0, {}, {}, 7248023552, kExact},
    {"mistral-nemo-12b", "mistralai/Mistral-Nemo-Base-2407",
     5120, 40, 32, 8, 128, 14336, 131072, 131072, 0, 2, 0, 0,
     0, {}, {}, 12247782400, kExact},
    {"mistral-small-22b", "mistralai/Mistral-Small-Instruct-2409",
     6144, 56, 48, 8, 128, 16384, 32768, 32768, 0, 2, 0, 0,
     0, {}, {}, 22247282688, kExact},
    {"mistral-small-24b", "mistralai/Mistral-Small-24B-Base-2501",
     5120, 40, 32, 8, 128, 32768, 131072, 32768, 0, 2, 0, 0,
     0, {}, {}, 23572403200, kExact},
    {"mistral-large-123b", "mistralai/Mistral-Large-Instruct-2407",
     12288, 88, 96, 8, 128, 28672, 32768, 131072, 0, 2, 0, 0,
     0, {}, {}, 122610069504, kExact},
    {"mistral-small-3.2-24b", "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
     5120, 40, 32, 8, 128, 32768, 131072, 131072, 0, 2, 0, 438958080,
     0, {}, {}, 24011361280, kExact},
    {"ministral-8b", "mistralai/Ministral-8B-Instruct-2410",
     4096, 36, 32, 8, 128, 12288, 131072, 32768, 0, 2, 0, 0,
     0, {}, {}, 8019808256, kExact},
    {"ministral-3-3b", "mistralai/Ministral-3-3B-Instruct-2512",
     3072, 26, 32, 8, 128, 9216, 131072, 262144, 0, 2, 0, 420083712,
     kTied, {}, {}, 3849090048, kExact},
    {"zephyr-7b-beta", "HuggingFaceH4/zephyr-7b-beta",
     4096, 32, 32, 8, 128, 14336, 32000, 32768, 0, 2, 0, 0,
     0, {}, {}, 7241732096, kExact},
    {"mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1",
     4096, 32, 32, 8, 128, 14336, 32000, 32768, 0, 2, 0, 0,
     0, {8, 2, 14336, 0, 0}, {}, 46702792704, kExact},
    {"mixtral-8x22b", "mistralai/Mixtral-8x22B-Instruct-v0.1",
     6144, 56, 48, 8, 128, 16384, 32768, 65536, 0, 2, 0, 0,
     0, {8, 2, 16384, 0, 0}, {}, 140630071296, kExact},
    {"mixtral-8x22b-v0.1", "mistral-community/Mixtral-8x22B-v0.1",
     6144, 56, 48, 8, 128, 16384, 32000, 65536, 0, 2, 0, 0,
     0, {8, 2, 16384, 0, 0}, {}, 140620634112, kExact},
    {"qwen1.5-0.5b", "Qwen/Qwen1.5-0.5B",
     1024, 24, 16, 16, 64, 2816, 151936, 32768, 0, 2, 0, 0,
     kTied | kQkvBias, {}, {}, 463987712, kExact},
    {"qwen1.5-1.8b", "Qwen/Qwen1.5-1.8B",
     2048, 24, 16, 16, 128, 5504, 151936, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 1836828672, kExact},
    {"qwen1.5-4b", "Qwen/Qwen1.5-4B",
     2560, 40, 20, 20, 128, 6912, 151936, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 3950369280, kExact},
    {"qwen1.5-7b", "Qwen/Qwen1.5-7B",
     4096, 32, 32, 32, 128, 11008, 151936, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 7721324544, kExact},
    {"qwen1.5-14b", "Qwen/Qwen1.5-14B",
     5120, 40, 40, 40, 128, 13696, 152064, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 14167290880, kExact},
    {"qwen1.5-32b", "Qwen/Qwen1.5-32B",
     5120, 64, 40, 8, 128, 27392, 152064, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 32512218112, kExact},
    {"qwen1.5-72b", "Qwen/Qwen1.5-72B",
     8192, 80, 64, 64, 128, 24576, 152064, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 72287920128, kExact},
    {"qwen1.5-110b", "Qwen/Qwen1.5-110B",
     8192, 80, 64, 8, 128, 49152, 152064, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 111209914368, kExact},
    {"qwen1.5-moe-a2.7b", "Qwen/Qwen1.5-MoE-A2.7B",
     2048, 24, 16, 16, 128, 5632, 151936, 32768, 0, 2, 0, 0,
     kQkvBias | kSharedGate, {60, 4, 1408, 5632, 0}, {}, 14315784192, kExact},
    {"qwen2-0.5b", "Qwen/Qwen2-0.5B",
     896, 24, 14, 2, 64, 4864, 151936, 131072, 0, 2, 0, 0,
     kTied | kQkvBias, {}, {}, 494032768, kExact},
    {"qwen2-1.5b", "Qwen/Qwen2-1.5B",
     1536, 28, 12, 2, 128, 8960, 151936, 131072, 0, 2, 0, 0,
     kTied | kQkvBias, {}, {}, 1543714304, kExact},
    {"qwen2-7b", "Qwen/Qwen2-7B",
     3584, 28, 28, 4, 128, 18944, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 7615616512, kExact},
    {"qwen2-72b", "Qwen/Qwen2-72B",
     8192, 80, 64, 8, 128, 29568, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 72706203648, kExact},
    {"qwen2-57b-a14b", "Qwen/Qwen2-57B-A14B",
     3584, 28, 28, 4, 128, 18944, 151936, 131072, 0, 2, 0, 0,
     kQkvBias | kSharedGate, {64, 8, 2560, 20480, 0}, {}, 57408658944, kExact},
    {"qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B",
     896, 24, 14, 2, 64, 4864, 151936, 32768, 0, 2, 0, 0,
     kTied | kQkvBias, {}, {}, 494032768, kExact},
    {"qwen2.5-1.5b", "Qwen/Qwen2.5-1.5B",
     1536, 28, 12, 2, 128, 8960, 151936, 131072, 0, 2, 0, 0,
     kTied | kQkvBias, {}, {}, 1543714304, kExact},
    {"qwen2.5-3b", "Qwen/Qwen2.5-3B",
     2048, 36, 16, 2, 128, 11008, 151936, 32768, 0, 2, 0, 0,
     kTied | kQkvBias, {}, {}, 3085938688, kExact},
    {"qwen2.5-7b", "Qwen/Qwen2.5-7B",
     3584, 28, 28, 4, 128, 18944, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 7615616512, kExact},
    {"qwen2.5-14b", "Qwen/Qwen2.5-14B",
     5120, 48, 40, 8, 128, 13824, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 14770033664, kExact},
    {"qwen2.5-32b", "Qwen/Qwen2.5-32B",
     5120, 64, 40, 8, 128, 27648, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 32763876352, kExact},
    {"qwen2.5-72b", "Qwen/Qwen2.5-72B",
     8192, 80, 64, 8, 128, 29568, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 72706203648, kExact},
    {"qwen3-0.6b", "Qwen/Qwen3-0.6B",
     1024, 28, 16, 8, 128, 3072, 151936, 40960, 0, 2, 256, 0,
     kTied, {}, {}, 596049920, kExact},
    {"qwen3-1.7b", "Qwen/Qwen3-1.7B",
     2048, 28, 16, 8, 128, 6144, 151936, 40960, 0, 2, 256, 0,
     kTied, {}, {}, 1720574976, kExact},
    {"qwen3-4b", "Qwen/Qwen3-4B",
     2560, 36, 32, 8, 128, 9728, 151936, 40960, 0, 2, 256, 0,
     kTied, {}, {}, 4022468096, kExact},
    {"qwen3-8b", "Qwen/Qwen3-8B",
     4096, 36, 32, 8, 128, 12288, 151936, 40960, 0, 2, 256, 0,
     0, {}, {}, 8190735360, kExact},
    {"qwen3-14b", "Qwen/Qwen3-14B",
     5120, 40, 40, 8, 128, 17408, 151936, 40960, 0, 2, 256, 0,
     0, {}, {}, 14768307200, kExact},
    {"qwen3-32b", "Qwen/Qwen3-32B",
     5120, 64, 64, 8, 128, 25600, 151936, 40960, 0, 2, 256, 0,
     0, {}, {}, 32762123264, kExact},
    {"qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B",
     2048, 48, 32, 4, 128, 6144, 151936, 40960, 0, 2, 256, 0,
     0, {128, 8, 768, 0, 0}, {}, 30532122624, kExact},
    {"qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B",
     4096, 94, 64, 4, 128, 12288, 151936, 40960, 0, 2, 256, 0,
     0, {128, 8, 1536, 0, 0}, {}, 235093634560, kExact},
    {"qwen3-coder-480b-a35b", "Qwen/Qwen3-Coder-480B-A35B-Instruct",
     6144, 62, 96, 8, 128, 8192, 151936, 262144, 0, 2, 256, 0,
     0, {160, 8, 2560, 0, 0}, {}, 480154875392, kExact},
    {"qwen2.5-coder-1.5b", "Qwen/Qwen2.5-Coder-1.5B",
     1536, 28, 12, 2, 128, 8960, 151936, 32768, 0, 2, 0, 0,
     kTied | kQkvBias, {}, {}, 1543714304, kExact},
    {"qwen2.5-coder-14b", "Qwen/Qwen2.5-Coder-14B",
     5120, 48, 40, 8, 128, 13824, 152064, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 14770033664, kExact},
    {"qwen2.5-coder-32b", "Qwen/Qwen2.5-Coder-32B",
     5120, 64, 40, 8, 128, 27648, 152064, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 32763876352, kExact},
    {"qwen2.5-math-7b", "Qwen/Qwen2.5-Math-7B",
     3584, 28, 28, 4, 128, 18944, 152064, 4096, 0, 2, 0, 0,
     kQkvBias, {}, {}, 7615616512, kExact},
    {"qwen-1.8b", "Qwen/Qwen-1_8B",
     2048, 24, 16, 16, 128, 5504, 151936, 8192, 0, 2, 0, 0,
     kQkvBias, {}, {}, 1836828672, kExact},
    {"qwen-7b", "Qwen/Qwen-7B",
     4096, 32, 32, 32, 128, 11008, 151936, 8192, 0, 2, 0, 0,
     kQkvBias, {}, {}, 7721324544, kExact},
    {"qwen-72b", "Qwen/Qwen-72B",
     8192, 80, 64, 64, 128, 24576, 152064, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 72287920128, kExact},
    {"qwq-32b", "Qwen/QwQ-32B",
     5120, 64, 40, 8, 128, 27648, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 32763876352, kExact},
    {"gemma-2b", "google/gemma-2b",
     2048, 18, 8, 1, 256, 16384, 256000, 8192, 0, 2, 0, 0,
     kTied, {}, {}, 2506172416, kExact},
    {"gemma-7b", "google/gemma-7b",
     3072, 28, 16, 16, 256, 24576, 256000, 8192, 0, 2, 0, 0,
     kTied, {}, {}, 8537680896, kExact},
    {"gemma-2-2b", "google/gemma-2-2b",
     2304, 26, 8, 4, 256, 9216, 256000, 8192, 0, 4, 0, 0,
     kTied, {}, {}, 2614341888, kExact},
    {"gemma-2-9b", "google/gemma-2-9b",
     3584, 42, 16, 8, 256, 14336, 256000, 8192, 0, 4, 0, 0,
     kTied, {}, {}, 9241705984, kExact},
    {"gemma-2-27b", "google/gemma-2-27b",
     4608, 46, 32, 16, 128, 36864, 256000, 8192, 0, 4, 0, 0,
     kTied, {}, {}, 27227128320, kExact},
    {"gemma-3-270m", "google/gemma-3-270m",
     640, 18, 4, 1, 256, 2048, 262144, 32768, 0, 4, 512, 0,
     kTied, {}, {}, 268098176, kExact},
    {"gemma-3-1b", "google/gemma-3-1b-pt",
     1152, 26, 4, 1, 256, 6912, 262144, 32768, 0, 4, 512, 0,
     kTied, {}, {}, 999885952, kExact},
    {"gemma-3-4b", "google/gemma-3-4b-pt",
     2560, 34, 8, 4, 256, 10240, 262208, 131072, 0, 4, 512, 419816304,
     kTied, {}, {}, 4300079472, kExact},
    {"gemma-3-12b", "google/gemma-3-12b-pt",
     3840, 48, 16, 8, 256, 15360, 262208, 131072, 0, 4, 512, 421290864,
     kTied, {}, {}, 12187325040, kExact},
    {"gemma-3-27b", "google/gemma-3-27b-pt",
     5376, 62, 32, 16, 128, 21504, 262208, 131072, 0, 4, 256, 423060336,
     kTied, {}, {}, 27432406640, kExact},
    {"phi-1.5", "microsoft/phi-1_5",
     2048, 24, 32, 32, 64, 8192, 51200, 2048, 0, 1, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias | kHeadBias,
     {}, {}, 1418270720, kExact},
    {"phi-2", "microsoft/phi-2",
     2560, 32, 32, 32, 80, 10240, 51200, 2048, 0, 1, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias | kHeadBias,
     {}, {}, 2779683840, kExact},
    {"phi-3-mini-4k", "microsoft/Phi-3-mini-4k-instruct",
     3072, 32, 32, 32, 96, 8192, 32064, 4096, 0, 2, 0, 0,
     0, {}, {}, 3821079552, kExact},
    {"phi-3-medium-4k", "microsoft/Phi-3-medium-4k-instruct",
     5120, 40, 40, 10, 128, 17920, 32064, 4096, 0, 2, 0, 0,
     0, {}, {}, 13960238080, kExact},
    {"phi-3.5-mini", "microsoft/Phi-3.5-mini-instruct",
     3072, 32, 32, 32, 96, 8192, 32064, 131072, 0, 2, 0, 0,
     0, {}, {}, 3821079552, kExact},
    {"phi-3.5-moe", "microsoft/Phi-3.5-MoE-instruct",
     4096, 32, 32, 8, 128, 6400, 32064, 131072, 0, 2, 0, 0,
     kAllBias | kLn | kHeadBias, {16, 2, 6400, 0, 0}, {}, 41873153344, kExact},
    {"phi-4", "microsoft/phi-4",
     5120, 40, 40, 10, 128, 17920, 100352, 16384, 0, 2, 0, 0,
     0, {}, {}, 14659507200, kExact},
    {"phi-4-mini", "microsoft/Phi-4-mini-instruct",
     3072, 32, 24, 8, 128, 8192, 200064, 131072, 0, 2, 0, 0,
     kTied, {}, {}, 3836021760, kExact},
    {"deepseek-llm-7b", "deepseek-ai/deepseek-llm-7b-base",
     4096, 30, 32, 32, 128, 11008, 102400, 4096, 0, 2, 0, 0,
     0, {}, {}, 6910365696, kExact},
    {"deepseek-llm-67b", "deepseek-ai/deepseek-llm-67b-base",
     8192, 95, 64, 8, 128, 22016, 102400, 4096, 0, 2, 0, 0,
     0, {}, {}, 67425001472, kNamed},
    {"deepseek-coder-1.3b", "deepseek-ai/deepseek-coder-1.3b-base",
     2048, 24, 16, 16, 128, 5504, 32256, 16384, 0, 2, 0, 0,
     0, {}, {}, 1346471936, kExact},
    {"deepseek-coder-6.7b", "deepseek-ai/deepseek-coder-6.7b-base",
     4096, 32, 32, 32, 128, 11008, 32256, 16384, 0, 2, 0, 0,
     0, {}, {}, 6740512768, kExact},
    {"deepseek-coder-33b", "deepseek-ai/deepseek-coder-33b-base",
     7168, 62, 56, 8, 128, 19200, 32256, 16384, 0, 2, 0, 0,
     0, {}, {}, 33342991360, kExact},
    {"deepseek-moe-16b", "deepseek-ai/deepseek-moe-16b-base",
     2048, 28, 16, 16, 128, 10944, 102400, 4096, 0, 2, 0, 0,
     0, {64, 6, 1408, 2816, 1}, {}, 16375728128, kExact},
    {"deepseek-v2-lite", "deepseek-ai/DeepSeek-V2-Lite",
     2048, 27, 16, 16, 192, 10944, 102400, 163840, 0, 2, 0, 0,
     0, {64, 6, 1408, 2816, 1}, {0, 512, 128, 64, 128}, 15706484224, kExact},
    {"deepseek-v2", "deepseek-ai/DeepSeek-V2",
     5120, 60, 128, 128, 192, 12288, 102400, 163840, 0, 2, 0, 0,
     0,
     {160, 6, 1536, 3072, 1}, {1536, 512, 128, 64, 128}, 235741434880, kExact},
    {"deepseek-v3", "deepseek-ai/DeepSeek-V3",
     7168, 61, 128, 128, 192, 18432, 129280, 163840, 0, 2, 0, 0,
     kRouterBias,
     {256, 8, 2048, 2048, 3}, {1536, 512, 128, 64, 128}, 671026419200, kExact},
    {"deepseek-r1", "deepseek-ai/DeepSeek-R1",
     7168, 61, 128, 128, 192, 18432, 129280, 163840, 0, 2, 0, 0,
     kRouterBias,
     {256, 8, 2048, 2048, 3}, {1536, 512, 128, 64, 128}, 671026419200, kExact},
    {"deepseek-r1-distill-qwen-1.5b",
     "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B",
     1536, 28, 12, 2, 128, 8960, 151936, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 1777088000, kExact},
    {"deepseek-r1-distill-qwen-7b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B",
     3584, 28, 28, 4, 128, 18944, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 7615616512, kExact},
    {"deepseek-r1-distill-llama-8b", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B",
     4096, 32, 32, 8, 128, 14336, 128256, 131072, 0, 2, 0, 0,
     0, {}, {}, 8030261248, kExact},
    {"deepseek-r1-distill-qwen-14b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B",
     5120, 48, 40, 8, 128, 13824, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 14770033664, kExact},
    {"deepseek-r1-distill-qwen-32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
     5120, 64, 40, 8, 128, 27648, 152064, 131072, 0, 2, 0, 0,
     kQkvBias, {}, {}, 32763876352, kExact},
    {"deepseek-r1-distill-llama-70b",
     "deepseek-ai/DeepSeek-R1-Distill-Llama-70B",
     8192, 80, 64, 8, 128, 28672, 128256, 131072, 0, 2, 0, 0,
     0, {}, {}, 70553706496, kExact},
    {"deepseek-r1-0528-qwen3-8b", "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B",
     4096, 36, 32, 8, 128, 12288, 151936, 131072, 0, 2, 256, 0,
     0, {}, {}, 8190735360, kExact},
    {"moonlight-16b-a3b", "moonshotai/Moonlight-16B-A3B",
     2048, 27, 16, 16, 192, 11264, 163840, 8192, 0, 2, 0, 0,
     kRouterBias,
     {64, 6, 1408, 2816, 1}, {0, 512, 128, 64, 128}, 15960110208, kExact},
    {"kimi-k2", "moonshotai/Kimi-K2-Instruct",
     7168, 61, 64, 64, 192, 18432, 163840, 131072, 0, 2, 0, 0,
     kRouterBias,
     {384, 8, 2048, 2048, 1}, {1536, 512, 128, 64, 128}, 1026408232448, kExact},
    {"yi-6b", "01-ai/Yi-6B",
     4096, 32, 32, 4, 128, 11008, 64000, 4096, 0, 2, 0, 0,
     0, {}, {}, 6061035520, kExact},
    {"yi-1.5-9b", "01-ai/Yi-1.5-9B",
     4096, 48, 32, 4, 128, 11008, 64000, 4096, 0, 2, 0, 0,
     0, {}, {}, 8829407232, kExact},
    {"yi-34b", "01-ai/Yi-34B",
     7168, 60, 56, 8, 128, 20480, 64000, 4096, 0, 2, 0, 0,
     0, {}, {}, 34388917248, kExact},
    {"internlm2-1.8b", "internlm/internlm2-1_8b",
     2048, 24, 16, 8, 128, 8192, 92544, 32768, 0, 2, 0, 0,
     0, {}, {}, 1889110016, kExact},
    {"internlm2-7b", "internlm/internlm2-7b",
     4096, 32, 32, 8, 128, 14336, 92544, 32768, 0, 2, 0, 0,
     0, {}, {}, 7737708544, kExact},
    {"internlm2-20b", "internlm/internlm2-20b",
     6144, 48, 48, 8, 128, 16384, 92544, 32768, 0, 2, 0, 0,
     0, {}, {}, 19861149696, kExact},
    {"internlm3-8b", "internlm/internlm3-8b-instruct",
     4096, 48, 32, 2, 128, 10240, 128512, 32768, 0, 2, 0, 0,
     0, {}, {}, 8804241408, kExact},
    {"baichuan2-7b", "baichuan-inc/Baichuan2-7B-Base",
     4096, 32, 32, 32, 128, 11008, 125696, 4096, 0, 2, 0, 0,
     0, {}, {}, 7505973248, kNamed},
    {"baichuan2-13b", "baichuan-inc/Baichuan2-13B-Base",
     5120, 40, 40, 40, 128, 13696, 125696, 4096, 0, 2, 0, 0,
     0, {}, {}, 13896668160, kNamed},
    {"baichuan-7b", "baichuan-inc/Baichuan-7B",
     4096, 32, 32, 32, 128, 11008, 64000, 4096, 0, 2, 0, 0,
     0, {}, {}, 7000559616, kExact},
    {"baichuan-13b", "baichuan-inc/Baichuan-13B-Base",
     5120, 40, 40, 40, 128, 13696, 64000, 4096, 0, 2, 0, 0,
     0, {}, {}, 13264901120, kExact},
    {"smollm-135m", "HuggingFaceTB/SmolLM-135M",
     576, 30, 9, 3, 64, 1536, 49152, 2048, 0, 2, 0, 0,
     kTied, {}, {}, 134515008, kExact},
    {"smollm-360m", "HuggingFaceTB/SmolLM-360M",
     960, 32, 15, 5, 64, 2560, 49152, 2048, 0, 2, 0, 0,
     kTied, {}, {}, 361821120, kExact},
    {"smollm-1.7b", "HuggingFaceTB/SmolLM-1.7B",
     2048, 24, 32, 32, 64, 8192, 49152, 2048, 0, 2, 0, 0,
     kTied, {}, {}, 1711376384, kExact},
    {"smollm2-135m", "HuggingFaceTB/SmolLM2-135M",
     576, 30, 9, 3, 64, 1536, 49152, 8192, 0, 2, 0, 0,
     kTied, {}, {}, 134515008, kExact},
    {"smollm2-360m", "HuggingFaceTB/SmolLM2-360M",
     960, 32, 15, 5, 64, 2560, 49152, 8192, 0, 2, 0, 0,
     kTied, {}, {}, 361821120, kExact},
    {"smollm2-1.7b", "HuggingFaceTB/SmolLM2-1.7B",
     2048, 24, 32, 32, 64, 8192, 49152, 8192, 0, 2, 0, 0,
     kTied, {}, {}, 1711376384, kExact},
    {"smollm3-3b", "HuggingFaceTB/SmolLM3-3B",
     2048, 36, 16, 4, 128, 11008, 128256, 65536, 0, 2, 0, 0,
     kTied, {}, {}, 3075098624, kExact},
    {"olmo-1b", "allenai/OLMo-1B-hf",
     2048, 16, 16, 16, 128, 8192, 50304, 2048, 0, 2, 0, 0,
     kTied | kNoNorm, {}, {}, 1176764416, kExact},
    {"olmo-7b", "allenai/OLMo-7B-hf",
     4096, 32, 32, 32, 128, 11008, 50304, 2048, 0, 2, 0, 0,
     kNoNorm, {}, {}, 6888095744, kExact},
    {"olmo-2-1b", "allenai/OLMo-2-0425-1B",
     2048, 16, 16, 16, 128, 8192, 100352, 4096, 0, 2, 4096, 0,
     0, {}, {}, 1484916736, kExact},
    {"olmo-2-7b", "allenai/OLMo-2-1124-7B",
     4096, 32, 32, 32, 128, 11008, 100352, 4096, 0, 2, 8192, 0,
     0, {}, {}, 7298617344, kExact},
    {"olmo-2-13b", "allenai/OLMo-2-1124-13B",
     5120, 40, 40, 40, 128, 13824, 100352, 4096, 0, 2, 10240, 0,
     0, {}, {}, 13716198400, kExact},
    {"olmo-2-32b", "allenai/OLMo-2-0325-32B",
     5120, 64, 40, 8, 128, 27648, 100352, 4096, 0, 2, 6144, 0,
     0, {}, {}, 32234279936, kExact},
    {"olmo-3-7b", "allenai/Olmo-3-1025-7B",
     4096, 32, 32, 32, 128, 11008, 100278, 65536, 0, 2, 8192, 0,
     0, {}, {}, 7298011136, kExact},
    {"olmo-3-32b", "allenai/Olmo-3-1125-32B",
     5120, 64, 40, 8, 128, 27648, 100278, 65536, 0, 2, 6144, 0,
     0, {}, {}, 32233522176, kExact},
    {"olmoe-1b-7b", "allenai/OLMoE-1B-7B-0924",
     2048, 16, 16, 16, 128, 1024, 50304, 4096, 0, 2, 4096, 0,
     0, {64, 8, 1024, 0, 0}, {}, 6919161856, kExact},
    {"starcoder-15b", "bigcode/starcoder",
     6144, 40, 48, 1, 128, 24576, 49152, 8192, 8192, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 15517456384, kExact},
    {"starcoder2-3b", "bigcode/starcoder2-3b",
     3072, 30, 24, 2, 128, 12288, 49152, 16384, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 3030371328, kExact},
    {"starcoder2-7b", "bigcode/starcoder2-7b",
     4608, 32, 36, 4, 128, 18432, 49152, 16384, 0, 2, 0, 0,
     kTied | kAllBias | kPlain | kLn | kMlpBias, {}, {}, 7173923840, kNamed},
    {"starcoder2-15b", "bigcode/starcoder2-15b",
     6144, 40, 48, 4, 128, 24576, 49152, 16384, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 15957889024, kExact},
    {"granite-3.1-2b", "ibm-granite/granite-3.1-2b-base",
     2048, 40, 32, 8, 64, 8192, 49155, 131072, 0, 2, 0, 0,
     kTied, {}, {}, 2533531648, kExact},
    {"granite-3.1-8b", "ibm-granite/granite-3.1-8b-base",
     4096, 40, 32, 8, 128, 12800, 49155, 131072, 0, 2, 0, 0,
     kTied, {}, {}, 8170848256, kExact},
    {"granite-3.3-2b", "ibm-granite/granite-3.3-2b-base",
     2048, 40, 32, 8, 64, 8192, 49159, 131072, 0, 2, 0, 0,
     kTied, {}, {}, 2533539840, kExact},
    {"granite-3.3-8b", "ibm-granite/granite-3.3-8b-base",
     4096, 40, 32, 8, 128, 12800, 49159, 131072, 0, 2, 0, 0,
     kTied, {}, {}, 8170864640, kExact},
    {"granite-3.1-1b-a400m", "ibm-granite/granite-3.1-1b-a400m-base",
     1024, 24, 16, 8, 64, 512, 49155, 131072, 0, 2, 0, 0,
     kTied, {32, 8, 512, 0, 0}, {}, 1334628352, kExact},
    {"granite-3.1-3b-a800m", "ibm-granite/granite-3.1-3b-a800m-base",
     1536, 32, 24, 8, 64, 512, 49155, 131072, 0, 2, 0, 0,
     kTied, {40, 8, 512, 0, 0}, {}, 3298793472, kExact},
    {"command-r-35b", "CohereForAI/c4ai-command-r-v01",
     8192, 40, 64, 64, 128, 22528, 256000, 131072, 0, 1, 0, 0,
     kTied | kLnNoBias, {}, {}, 34980831232, kRounded},
    {"command-r-08-2024", "CohereForAI/c4ai-command-r-08-2024",
     8192, 40, 64, 8, 128, 24576, 256000, 131072, 0, 1, 0, 0,
     kTied | kLnNoBias, {}, {}, 32296476672, kNamed},
    {"command-r-plus-104b", "CohereForAI/c4ai-command-r-plus",
     12288, 64, 96, 8, 128, 33792, 256000, 131072, 0, 1, 13312, 0,
     kTied | kLnNoBias, {}, {}, 103810674688, kRounded},
    {"command-r7b", "CohereForAI/c4ai-command-r7b-12-2024",
     4096, 32, 32, 8, 128, 14336, 256000, 132096, 0, 1, 0, 0,
     kTied | kLnNoBias, {}, {}, 8028033024, kNamed},
    {"aya-23-8b", "CohereForAI/aya-23-8B",
     4096, 32, 32, 8, 128, 14336, 256000, 8192, 0, 1, 0, 0,
     kTied | kLnNoBias, {}, {}, 8028033024, kExact},
    {"aya-expanse-8b", "CohereForAI/aya-expanse-8b",
     4096, 32, 32, 8, 128, 14336, 256000, 8192, 0, 1, 0, 0,
     kTied | kLnNoBias, {}, {}, 8028033024, kExact},
    {"chatglm3-6b", "THUDM/chatglm3-6b",
     4096, 28, 32, 2, 128, 13696, 65024, 8192, 0, 2, 0, 0,
     kQkvBias, {}, {}, 6243584000, kExact},
    {"chatglm2-6b", "THUDM/chatglm2-6b",
     4096, 28, 32, 2, 128, 13696, 65024, 32768, 0, 2, 0, 0,
     kQkvBias, {}, {}, 6243584000, kExact},
    {"glm-4-9b", "THUDM/glm-4-9b",
     4096, 40, 32, 2, 128, 13696, 151552, 8192, 0, 2, 0, 0,
     kQkvBias, {}, {}, 9399951360, kExact},
    {"glm-4-9b-0414", "THUDM/GLM-4-9B-0414",
     4096, 40, 32, 2, 128, 13696, 151552, 32768, 0, 4, 0, 0,
     kQkvBias, {}, {}, 9400279040, kExact},
    {"glm-4-32b-0414", "THUDM/GLM-4-32B-0414",
     6144, 61, 48, 2, 128, 23040, 151552, 32768, 0, 4, 0, 0,
     0, {}, {}, 32566081536, kNamed},
    {"glm-4.5-air", "zai-org/GLM-4.5-Air",
     4096, 46, 96, 8, 128, 10944, 151552, 131072, 0, 2, 0, 0,
     kQkvBias | kRouterBias, {128, 8, 1408, 1408, 1}, {}, 106852251264, kExact},
    {"glm-4.5", "zai-org/GLM-4.5",
     5120, 92, 96, 8, 128, 12288, 151552, 131072, 0, 2, 256, 0,
     kQkvBias | kRouterBias, {160, 8, 1536, 1536, 3}, {}, 352797829024, kExact},
    {"glm-4.6", "zai-org/GLM-4.6",
     5120, 92, 96, 8, 128, 12288, 151552, 202752, 0, 2, 256, 0,
     kQkvBias | kRouterBias, {160, 8, 1536, 1536, 3}, {}, 352797829024, kExact},
    {"intellect-3", "PrimeIntellect/INTELLECT-3",
     4096, 46, 96, 8, 128, 10944, 151552, 131072, 0, 2, 0, 0,
     kQkvBias | kRouterBias, {128, 8, 1408, 1408, 1}, {}, 106852251264, kExact},
    {"stablelm-3b-4e1t", "stabilityai/stablelm-3b-4e1t",
     2560, 32, 32, 32, 80, 6912, 50304, 4096, 0, 2, 0, 0,
     kLn, {}, {}, 2795443200, kExact},
    {"stablelm-2-1.6b", "stabilityai/stablelm-2-1_6b",
     2048, 24, 32, 32, 64, 5632, 100352, 4096, 0, 2, 0, 0,
     kQkvBias | kLn, {}, {}, 1644515328, kExact},
    {"stablelm-2-12b", "stabilityai/stablelm-2-12b",
     5120, 40, 32, 8, 160, 13824, 100352, 4096, 0, 1, 6400, 0,
     kLn, {}, {}, 12143185920, kExact},
    {"stablelm-alpha-3b", "stabilityai/stablelm-base-alpha-3b",
     4096, 16, 32, 32, 128, 16384, 50688, 4096, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 3637321728, kExact},
    {"stablelm-alpha-7b", "stabilityai/stablelm-base-alpha-7b",
     6144, 16, 48, 48, 128, 24576, 50432, 4096, 0, 2, 0, 0,
     kAllBias | kPlain | kLn | kMlpBias, {}, {}, 7868755968, kExact},
    {"minicpm-2b", "openbmb/MiniCPM-2B-sft-bf16",
     2304, 40, 36, 36, 64, 5760, 122753, 4096, 0, 2, 0, 0,
     kTied, {}, {}, 2724880896, kExact},
    {"dbrx", "databricks/dbrx-base",
     6144, 40, 48, 8, 128, 10752, 100352, 32768, 0, 2, 0, 0,
     kLnNoBias, {16, 4, 10752, 0, 0}, {}, 131596523520, kRounded},
    // clang-format on
};

struct Alias {
  std::string_view alias, name;
};

// Other names that people use for a model of the table.
constexpr Alias kAliases[] = {
    {"mistral-7b", "mistral-7b-v0.1"}, {"llama-1-7b", "llama-7b"},
    {"llama-1-13b", "llama-13b"},      {"zephyr-7b", "zephyr-7b-beta"},
    {"mixtral", "mixtral-8x7b"},       {"mistral-nemo", "mistral-nemo-12b"},
};

ModelShape shape_of(const Row& row) {
  const auto has = [&](Trait trait) { return (row.traits & trait) != 0; };
  ModelShape s;
  s.name = row.name;
  s.hidden = row.hidden;
  s.layers = row.layers;
  s.heads = row.heads;
  s.kv_heads = row.kv_heads;
  s.head_dim = row.head_dim;
  s.mlp_width = row.mlp_width;
  s.vocabulary = row.vocabulary;
  s.max_positions = row.max_positions;
  s.position_rows = row.position_rows;
  s.norms_per_layer = row.norms;
  s.qk_norm_per_layer = row.qk_norm;
  s.extra_parameters = row.extra;
  if (has(kQkvBias)) s.attention_bias = AttentionBias::kInputs;
  if (has(kAllBias)) s.attention_bias = AttentionBias::kAll;
  if (has(kLn)) s.norm = NormKind::kLayer;
  if (has(kLnNoBias)) s.norm = NormKind::kLayerNoBias;
  if (has(kNoNorm)) s.norm = NormKind::kNone;
  s.tied_head = has(kTied);
  s.gated_mlp = !has(kPlain);
  s.mlp_bias = has(kMlpBias);
  s.head_bias = has(kHeadBias);
  s.embedding_norm = has(kEmbedNorm);
  s.router_bias = has(kRouterBias);
  s.shared_gate = has(kSharedGate);
  s.attention_sinks = has(kSinks);
  s.attention_softcap = row.name.starts_with("gemma-2-");
  s.latent = row.latent;
  s.experts = row.experts;
  return s;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return out;
}

std::string_view after_slash(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the name ends with the month of a release: "-2507", "-0324".
bool ends_with_date(std::string_view name) {
  return name.size() > 5 && name[name.size() - 5] == '-' &&
         std::all_of(name.end() - 4, name.end(), is_digit);
}

// The name without what says nothing of the shape: endings, also before a
// version or a date ("Mistral-7B-Instruct-v0.3"), the date itself where a size
// or version tells the shape, and "Meta-" before Llama.
std::string plain_name(std::string_view name) {
  constexpr std::string_view kEndings[] = {
      "-instruct", "-chat",     "-base",    "-hf",      "-it",       "-pt",
      "-sft",      "-thinking", "-deduped", "-unsloth", "-bnb-4bit", "-4bit",
      "-bf16",     "-fp8",      "-awq",     "-gptq",    "-int4",     "-int8"};
  constexpr std::string_view kInner[] = {"-instruct-", "-base-", "-chat-"};
  if (name.starts_with("meta-llama-")) name.remove_prefix(5);
  std::string plain(name);
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view ending : kEndings) {
      if (plain.size() > ending.size() && plain.ends_with(ending)) {
        plain.resize(plain.size() - ending.size());
        shorter = true;
      }
    }
    // Of "Mistral-Small-Instruct-2409" only the date tells which.
    if (ends_with_date(plain) &&
        std::any_of(plain.begin(), plain.end() - 5, is_digit)) {
      plain.resize(plain.size() - 5);
      shorter = true;
    }
  }
  for (const std::string_view word : kInner) {
    const std::size_t at = plain.rfind(word);
    if (at != std::string::npos) plain.erase(at, word.size() - 1);
  }
  return plain;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1,
                         diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::size_t builtin_model_count() { return std::size(kRows); }

BuiltinModel builtin_model(std::size_t index) {
  const Row& row = kRows[index];
  return {shape_of(row), std::string(row.hub_name), row.published,
          row.evidence};
}

std::optional<BuiltinModel> find_builtin_model(std::string_view name) {
  std::string wanted = lower(name);
  const auto find = [&](auto&& form) -> std::optional<BuiltinModel> {
    for (const Alias& alias : kAliases) {
      if (wanted == alias.alias) wanted = alias.name;
    }
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
      const std::string hub = lower(kRows[i].hub_name);
      if (wanted == kRows[i].name || wanted == hub || wanted == form(hub)) {
        return builtin_model(i);
      }
    }
    return std::nullopt;
  };
  if (auto found = find(after_slash)) return found;
  wanted = std::string(after_slash(wanted));
  if (auto found = find(after_slash)) return found;
  wanted = plain_name(wanted);
  return find(
      [](std::string_view hub) { return plain_name(after_slash(hub)); });
}

std::string nearest_builtin_model(std::string_view name) {
  constexpr std::size_t kLongestName = 100;
  if (name.size() > kLongestName) return {};
  const std::string wanted = lower(after_slash(name));
  std::size_t best = std::max<std::size_t>(wanted.size() / 3, 2) + 1;
  std::string nearest;
  for (const Row& row : kRows) {
    const std::size_t distance = edit_distance(wanted, row.name);
    if (distance < best) {
      best = distance;
      nearest = row.name;
    }
  }
  return nearest;
}

}  // namespace trainsight::models
