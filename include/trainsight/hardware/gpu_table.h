// GPUs: memory that a process can use, peak arithmetic, bandwidth, price.
//
// Peaks are dense (no sparsity), TFLOPS. `usable_gib` is what CUDA reports as
// total, from public out-of-memory messages and logs; memory in GB on a box is
// more. Prices are US dollars per GPU-hour on demand, dated, with the range
// that was found: they differ by an order of magnitude between sellers, so a
// file of one's own goes before them (parse_gpu_table).
//
// Sources: vendor data sheets as collected in pytorch/torchtitan and
// Lightning's peak-FLOPS tables; price indices of spring 2026 (see
// docs/reference/gpus.md). Pure; thread-safe.
#ifndef TRAINSIGHT_HARDWARE_GPU_TABLE_H_
#define TRAINSIGHT_HARDWARE_GPU_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::hardware {

struct Gpu {
  std::string name;         ///< "a100-80g"
  double usable_gib = 0;    ///< what a process can have
  double tflops_16bit = 0;  ///< bf16, or fp16 where there is no bf16
  double tflops_8bit = 0;   ///< 0: none
  double memory_tb_per_second = 0;
  double link_gb_per_second = 32;  ///< peak between GPUs, a direction
  bool has_bf16 = true;
  /// Share of the peak that training reaches, recomputation counted (HFU).
  double efficiency_low = 0.35, efficiency_high = 0.45;
  double price_low = 0, price = 0, price_high = 0;  ///< USD/h; 0: unknown
  std::vector<std::string> aliases;
};

/// The day that the built-in prices are of.
inline constexpr std::string_view kPriceDate = "2026-06-04";
/// Longer table files are refused.
inline constexpr std::uint64_t kMostTableBytes = 1u << 20;

/// The built-in table, cheapest memory first.
const std::vector<Gpu>& builtin_gpus();

/// By name or alias as people type them: case, spaces, "-", "_" and a leading
/// "nvidia", "amd", "rtx", "geforce", "instinct" or "tesla" do not count.
const Gpu* find_gpu(std::span<const Gpu> table, std::string_view name);

/// The name nearest to `name`, for a hint; empty when none is near.
std::string nearest_gpu(std::span<const Gpu> table, std::string_view name);

/// A table file: a JSON object {"NAME": {"usable_gib": 79.1,
/// "tflops_16bit": 989, "memory_tb_per_second": 3.35, "price": 2.5, …}, …}.
/// A name of the built-in table changes the members given; a new one needs
/// usable_gib and tflops_16bit. Gives the whole table.
/// Errors: kCorrupt with line and column, kLimit; an unknown member is kUsage.
Result<std::vector<Gpu>> parse_gpu_table(std::string_view json,
                                         std::string_view name);

/// A GPU's figures by the names of a table file, to be kept in a document;
/// "has_bf16" is 0 or 1. Zeros are left out, but for has_bf16.
std::map<std::string, double> figures_of(const Gpu& gpu);

/// The GPU of these figures. Errors: kUsage for a name that is none, a value
/// outside 0 to 10^9, and without usable_gib and tflops_16bit.
Result<Gpu> gpu_from(const std::map<std::string, double>& figures,
                     std::string name);

}  // namespace trainsight::hardware

#endif  // TRAINSIGHT_HARDWARE_GPU_TABLE_H_
