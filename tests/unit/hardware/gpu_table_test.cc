#include "trainsight/hardware/gpu_table.h"

#include <catch2/catch.hpp>
#include <set>

namespace trainsight::hardware {
namespace {

std::string found(std::string_view name) {
  const Gpu* gpu = find_gpu(builtin_gpus(), name);
  return gpu == nullptr ? "" : gpu->name;
}

TEST_CASE("GPUs are found by the names that people type") {
  CHECK(found("h100") == "h100");
  CHECK(found("H100-80GB-HBM3") == "h100");
  CHECK(found("a100") == "a100-80g");
  CHECK(found("A100-40G") == "a100-40g");
  CHECK(found("NVIDIA A100-SXM4-40GB") == "a100-40g");
  CHECK(found("rtx 4090") == "rtx4090");
  CHECK(found("NVIDIA GeForce RTX 4090") == "rtx4090");
  CHECK(found("4090") == "rtx4090");
  CHECK(found("mi300x") == "mi300x");
  CHECK(found("Tesla T4") == "t4");
  CHECK(found("h1000").empty());
  CHECK(found("").empty());
}

TEST_CASE("the table is sound and its names are unambiguous") {
  std::set<std::string> names;
  double last = 0;
  for (const Gpu& gpu : builtin_gpus()) {
    INFO(gpu.name);
    CHECK(names.insert(gpu.name).second);
    for (const std::string& alias : gpu.aliases) {
      INFO(alias);
      CHECK(found(alias) == gpu.name);
    }
    CHECK(gpu.usable_gib > last - 0.5);
    last = gpu.usable_gib;
    CHECK(gpu.tflops_16bit > 0);
    CHECK(gpu.memory_tb_per_second > 0);
    CHECK(gpu.efficiency_low <= gpu.efficiency_high);
    CHECK(gpu.price_low <= gpu.price);
    CHECK((gpu.price_high >= gpu.price || gpu.price_high == 0));
  }
}

TEST_CASE("a near name is proposed") {
  CHECK(nearest_gpu(builtin_gpus(), "h100x") == "h100");
  CHECK(nearest_gpu(builtin_gpus(), "zzz").empty());
}

TEST_CASE("a file changes members and adds GPUs") {
  const auto table =
      parse_gpu_table(R"({"h100": {"price": 1.5}, "X1": {"usable_gib": 10,)"
                      R"( "tflops_16bit": 100}})",
                      "gpus.json");
  REQUIRE(table);
  const Gpu* h100 = find_gpu(*table, "h100");
  CHECK(h100->price == 1.5);
  CHECK(h100->price_low == 1.5);
  CHECK(h100->usable_gib == 79.1);
  const Gpu* own = find_gpu(*table, "x1");
  REQUIRE(own != nullptr);
  CHECK(own->usable_gib == 10);
}

TEST_CASE("a table's faults are located") {
  const auto message = [](std::string_view json) {
    return parse_gpu_table(json, "g").error().message;
  };
  CHECK(message(R"({"h100": {"prize": 1}})") ==
        "g:1:12: unknown member \"prize\"");
  CHECK(message(R"({"h100": {"price": -1}})") ==
        "g:1:12: \"price\" is no number from 0 to 10^9");
  CHECK(message(R"({"x": {"price": 1}})") ==
        "g:1:3: a new GPU needs usable_gib and tflops_16bit");
  CHECK(message(R"({"x": 1})") == "g:1:3: a GPU is no object");
  CHECK(parse_gpu_table(std::string(kMostTableBytes + 1, ' '), "g")
            .error()
            .kind == ErrorKind::kLimit);
}

TEST_CASE("every GPU comes back from its figures") {
  for (const Gpu& gpu : builtin_gpus()) {
    INFO(gpu.name);
    const auto back = gpu_from(figures_of(gpu), gpu.name);
    REQUIRE(back);
    CHECK(figures_of(*back) == figures_of(gpu));
    CHECK(back->usable_gib == gpu.usable_gib);
    CHECK(back->has_bf16 == gpu.has_bf16);
    CHECK(back->price_high == gpu.price_high);
  }
}

TEST_CASE("figures that make no GPU are refused") {
  const auto error = [](const std::map<std::string, double>& figures) {
    const auto gpu = gpu_from(figures, "mine");
    REQUIRE_FALSE(gpu);
    return gpu.error().message;
  };
  CHECK(error({}) == "usable_gib and tflops_16bit are needed");
  CHECK(error({{"usable_gib", -1}}) == "usable_gib: must be from 0 to 10^9");
  CHECK(error({{"vram", 80}}) == "unknown \"vram\"");
}

}  // namespace
}  // namespace trainsight::hardware
