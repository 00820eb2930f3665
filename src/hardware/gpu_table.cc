#include "trainsight/hardware/gpu_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "trainsight/scan/json_document.h"

namespace trainsight::hardware {
namespace {

std::vector<Gpu> make_table() {
  // name, usable GiB, 16-bit and 8-bit TFLOPS, TB/s, GB/s between GPUs, bf16,
  // efficiency from and to, price low, usual, high, aliases.
  // Peak of the links: NVLink A100 300, H100 450, B200 900, PCIe 4 x16 32,
  // PCIe 5 x16 64 GB/s [assume: 65 to 80 % of the peak].
  // clang-format off
  return {
      {"t4", 14.6, 65, 0, 0.32, 12, false, 0.35, 0.45, 0.2, 0.59, 0.6,
       {"t4-16g"}},
      {"v100-16g", 15.8, 125, 0, 0.9, 120, false, 0.35, 0.50, 0, 0, 0, {}},
      {"l4", 22.0, 121, 242, 0.30, 32, true, 0.35, 0.45, 0.47, 0.80, 0.80,
       {"l4-24g"}},
      {"a10g", 22.19, 70, 0, 0.60, 32, true, 0.35, 0.45, 0.75, 1.10, 1.33,
       {"a10g-24g"}},
      {"a10", 22.19, 125, 0, 0.60, 32, true, 0.35, 0.45, 0.75, 1.10, 1.33, {}},
      {"rtx3090", 23.69, 71, 0, 0.936, 25, true, 0.50, 0.60, 0, 0, 0, {}},
      {"rtx4090", 23.52, 165, 330, 1.008, 25, true, 0.50, 0.60, 0.17, 0.35, 0.70,
       {}},
      {"a5000", 23.7, 111, 0, 0.77, 32, true, 0.35, 0.45, 0, 0, 0, {}},
      {"rtx5090", 31.36, 210, 0, 1.79, 50, true, 0.50, 0.60, 0, 0, 0, {}},
      {"v100-32g", 31.7, 125, 0, 0.9, 120, false, 0.35, 0.50, 0, 0, 0,
       {"v100"}},
      {"a100-40g", 39.4, 312, 0, 1.555, 300, true, 0.45, 0.55, 1.20, 1.76, 2.10,
       {"a100-40", "a100-40gb", "a100-sxm4-40gb", "a100-pcie-40gb"}},
      {"l40s", 44.4, 362, 733, 0.864, 32, true, 0.35, 0.45, 1.33, 1.95, 1.95,
       {"l40s-48g"}},
      {"l40", 44.32, 181, 362, 0.864, 32, true, 0.35, 0.45, 0, 0, 0, {}},
      {"a6000", 47.5, 155, 0, 0.77, 32, true, 0.35, 0.45, 0, 0, 0, {}},
      {"6000ada", 47.5, 364, 728, 0.96, 32, true, 0.35, 0.45, 0, 0, 0,
       {"a6000ada", "rtx6000ada"}},
      {"h100", 79.1, 989, 1979, 3.35, 450, true, 0.35, 0.45, 1.99, 2.95, 6.42,
       {"h100-sxm", "h100-80g", "h100-80", "h100-80gb", "h100-80gb-hbm3", "h800"}},
      {"h100-pcie", 79.1, 756, 1513, 2.0, 64, true, 0.35, 0.45, 1.99, 2.50, 6.42,
       {}},
      {"a100-80g", 79.2, 312, 0, 2.0, 300, true, 0.45, 0.55, 0.80, 2.44, 3.00,
       {"a100", "a100-80", "a100-80gb", "a100-sxm4-80gb", "a800"}},
      {"h100-nvl", 93.1, 835, 1671, 3.9, 300, true, 0.35, 0.45, 1.99, 3.10, 6.42,
       {"h100-94g"}},
      {"h100-96g", 95.0, 989, 1979, 2.4, 450, true, 0.35, 0.45, 1.99, 2.95, 6.42,
       {"h100-96", "h20-96g", "gh200"}},
      {"h20", 95.0, 148, 296, 4.0, 450, true, 0.45, 0.60, 0, 0, 0, {}},
      {"h200", 139.8, 989, 1979, 4.8, 450, true, 0.35, 0.45, 2.50, 4.54, 10.14,
       {"h200-141g"}},
      {"b200", 178.35, 2250, 4500, 8, 900, true, 0.30, 0.40, 5.00, 6.25, 7.75,
       {}},
      {"gb200", 184.0, 2500, 5000, 8, 900, true, 0.17, 0.40, 0, 15.13, 0, {}},
      {"mi300x", 191.0, 1307, 2615, 5.3, 300, true, 0.18, 0.30, 1.71, 1.85, 3.44,
       {}},
      {"mi325x", 255.0, 1307, 2615, 6.0, 300, true, 0.18, 0.30, 0, 0, 0, {}},
      {"b300", 278.0, 2250, 4500, 8, 900, true, 0.30, 0.40, 0, 0, 0,
       {"gb300"}},
      {"mi355x", 287.0, 2500, 5000, 8, 300, true, 0.18, 0.30, 0, 0, 0, {}},
  };
  // clang-format on
}

// The letters and digits that tell GPUs apart: "NVIDIA RTX 4090" and
// "rtx-4090" are "4090".
std::string key_of(std::string_view name) {
  std::string key;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ' || c == '-' || c == '_') continue;
    key += c;
  }
  for (const std::string_view word :
       {"nvidia", "amd", "geforce", "instinct", "tesla", "rtx"}) {
    if (key.size() > word.size() && key.starts_with(word)) {
      key.erase(0, word.size());
    }
  }
  if (key.size() > 2 && key.ends_with("gb")) key.pop_back();
  return key;
}

struct Member {
  std::string_view name;
  double Gpu::*field;
};

constexpr Member kMembers[] = {
    {"usable_gib", &Gpu::usable_gib},
    {"tflops_16bit", &Gpu::tflops_16bit},
    {"tflops_8bit", &Gpu::tflops_8bit},
    {"memory_tb_per_second", &Gpu::memory_tb_per_second},
    {"link_gb_per_second", &Gpu::link_gb_per_second},
    {"efficiency_low", &Gpu::efficiency_low},
    {"efficiency_high", &Gpu::efficiency_high},
    {"price_low", &Gpu::price_low},
    {"price", &Gpu::price},
    {"price_high", &Gpu::price_high},
};

std::optional<double> number_of(const scan::Value& value) {
  double number = -1;
  if (value.is(scan::ValueKind::kInteger)) {
    number = static_cast<double>(value.integer);
  } else if (value.is(scan::ValueKind::kReal)) {
    number = value.real;
  }
  if (!(number >= 0 && number <= 1e9)) return std::nullopt;
  return number;
}

}  // namespace

const std::vector<Gpu>& builtin_gpus() {
  static const std::vector<Gpu> table = make_table();
  return table;
}

const Gpu* find_gpu(std::span<const Gpu> table, std::string_view name) {
  const std::string key = key_of(name);
  for (const Gpu& gpu : table) {
    if (key_of(gpu.name) == key) return &gpu;
  }
  for (const Gpu& gpu : table) {
    for (const std::string& alias : gpu.aliases) {
      if (key_of(alias) == key) return &gpu;
    }
  }
  return nullptr;
}

std::string nearest_gpu(std::span<const Gpu> table, std::string_view name) {
  // Names are short: the one with the longest common beginning is meant.
  const std::string key = key_of(name);
  std::size_t best = 1;
  std::string nearest;
  for (const Gpu& gpu : table) {
    const std::string other = key_of(gpu.name);
    std::size_t common = 0;
    while (common < key.size() && common < other.size() &&
           key[common] == other[common]) {
      ++common;
    }
    if (common > best) {
      best = common;
      nearest = gpu.name;
    }
  }
  return nearest;
}

Result<std::vector<Gpu>> parse_gpu_table(std::string_view json,
                                         std::string_view name) {
  if (json.size() > kMostTableBytes) {
    return Error{ErrorKind::kLimit,
                 fmt::format("{}: longer than {} bytes", name, kMostTableBytes),
                 ""};
  }
  auto document = scan::JsonDocument::parse(json, name);
  if (!document) return document.error();
  const auto fault = [&](ErrorKind kind, const scan::Value& at,
                         const std::string& why, std::string hint) {
    return Error{kind,
                 fmt::format("{}:{}: {}", name, document->place_of(at), why),
                 std::move(hint)};
  };
  std::vector<Gpu> table = builtin_gpus();
  const scan::RowView& view = document->view();
  for (const scan::Value* entry = view.first_child(view.root());
       entry != nullptr; entry = view.next_child(view.root(), *entry)) {
    if (!entry->is(scan::ValueKind::kObject)) {
      return fault(ErrorKind::kCorrupt, *entry, "a GPU is no object", "");
    }
    const Gpu* known = find_gpu(table, entry->key);
    Gpu* gpu = known == nullptr
                   ? &table.emplace_back()
                   : &table[static_cast<std::size_t>(known - table.data())];
    if (known == nullptr) gpu->name = entry->key;
    for (const scan::Value* value = view.first_child(*entry); value != nullptr;
         value = view.next_child(*entry, *value)) {
      const auto* const member =
          std::find_if(std::begin(kMembers), std::end(kMembers),
                       [&](const Member& m) { return m.name == value->key; });
      if (member == std::end(kMembers)) {
        return fault(ErrorKind::kUsage, *value,
                     fmt::format("unknown member \"{}\"", value->key),
                     "docs/reference/gpus.md lists the members");
      }
      const std::optional<double> number = number_of(*value);
      if (!number) {
        return fault(
            ErrorKind::kCorrupt, *value,
            fmt::format("\"{}\" is no number from 0 to 10^9", value->key), "");
      }
      gpu->*(member->field) = *number;
    }
    if (gpu->usable_gib <= 0 || gpu->tflops_16bit <= 0) {
      return fault(ErrorKind::kCorrupt, *entry,
                   "a new GPU needs usable_gib and tflops_16bit", "");
    }
    gpu->price_low =
        gpu->price_low > 0 ? std::min(gpu->price_low, gpu->price) : gpu->price;
    gpu->price_high = std::max(gpu->price_high, gpu->price);
  }
  return table;
}

std::map<std::string, double> figures_of(const Gpu& gpu) {
  std::map<std::string, double> figures;
  for (const Member& member : kMembers) {
    const double value = gpu.*(member.field);
    if (value != 0) figures[std::string(member.name)] = value;
  }
  figures["has_bf16"] = gpu.has_bf16 ? 1 : 0;
  return figures;
}

Result<Gpu> gpu_from(const std::map<std::string, double>& figures,
                     std::string name) {
  Gpu gpu;
  gpu.name = std::move(name);
  gpu.link_gb_per_second = 0;
  for (const auto& [key, value] : figures) {
    if (!(value >= 0 && value <= 1e9)) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: must be from 0 to 10^9", key), ""};
    }
    if (key == "has_bf16") {
      gpu.has_bf16 = value != 0;
      continue;
    }
    const auto* const member =
        std::find_if(std::begin(kMembers), std::end(kMembers),
                     [&key = key](const Member& m) { return m.name == key; });
    if (member == std::end(kMembers)) {
      return Error{ErrorKind::kUsage, fmt::format("unknown \"{}\"", key), ""};
    }
    gpu.*(member->field) = value;
  }
  if (gpu.usable_gib <= 0 || gpu.tflops_16bit <= 0) {
    return Error{ErrorKind::kUsage, "usable_gib and tflops_16bit are needed",
                 ""};
  }
  return gpu;
}

}  // namespace trainsight::hardware
