// Figures of real data: the sequence lengths of a Megatron index, and what
// the shared folder's truth.json says about them.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "trainsight/batching/order.h"
#include "trainsight/batching/pack.h"
#include "trainsight/batching/padding.h"

namespace trainsight::batching {
namespace {

using Lengths = std::vector<std::uint32_t>;
using Json = nlohmann::json;

std::string data_folder() {
  const char* shared = std::getenv("TRAINSIGHT_SHARED");
  return std::string(shared == nullptr ? "../shared" : shared) + "/data/";
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Sizes of a Megatron .idx: 9 bytes of magic, u64 version, u8 type, u64
// sequences, u64 documents, then an i32 size a sequence.
Lengths megatron_sizes(const std::string& idx) {
  REQUIRE(idx.size() > 34);
  std::uint64_t sequences = 0;
  std::memcpy(&sequences, idx.data() + 18, sizeof sequences);
  REQUIRE(sequences <= (idx.size() - 34) / 4);
  Lengths sizes(sequences);
  std::memcpy(sizes.data(), idx.data() + 34, sequences * 4);
  return sizes;
}

TEST_CASE("real data waste and pack as their truths say") {
  const std::string idx = bytes_of(data_folder() + "meg_gpt2_openwebtext.idx");
  const std::string text = bytes_of(data_folder() + "truth.json");
  if (idx.empty() || text.empty()) {
    std::cout << "SKIPPED: no shared data at " << data_folder() << '\n';
    return;
  }
  const Json truth = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  REQUIRE(truth.is_object());
  const Json& series =
      truth["files"]["meg_gpt2_openwebtext.idx"]["series"]["input_ids"];
  const Lengths lengths = megatron_sizes(idx);
  const auto key = [&](const char* name) -> const Json& {
    // Series of stored ids name their figures without a tokenizer's name.
    for (auto entry = series.begin(); entry != series.end(); ++entry) {
      if (entry.key().rfind(name, 0) == 0) return entry.value();
    }
    FAIL("no " << name);
    return series;
  };
  const Json& waste = key("padding_waste");
  for (const auto& [limit_name, limit] :
       {std::pair("none", 0U), std::pair("512", 512U),
        std::pair("2048", 2048U)}) {
    for (const std::uint32_t batch : {4U, 8U, 32U}) {
      const std::string size = "bs" + std::to_string(batch);
      INFO(size << " at " << limit_name);
      BatchPlan plan;
      plan.micro_batch = batch;
      plan.max_seq_len = limit;
      plan.sampler = Sampler::kFileOrder;
      CHECK(padding(lengths, plan)->waste_ratio * 100 ==
            Approx(waste["file_order"][size][limit_name].get<double>())
                .margin(1e-6));
      plan.sampler = Sampler::kSorted;
      CHECK(padding(lengths, plan)->waste_ratio * 100 ==
            Approx(waste["sorted_ascending"][size][limit_name].get<double>())
                .margin(1e-6));
      plan.sampler = Sampler::kRandom;
      const Result<PaddingFigures> random = padding(lengths, plan);
      CHECK(random->waste_ratio * 100 ==
            Approx(waste["shuffle_mean_seeds_1_to_200"][size][limit_name]
                       .get<double>())
                .margin(random->method == Method::kSimulated ? 1e-6 : 0.1));
      // One given shuffle, as an order: exact again.
      plan.seed = 42;
      const Result<BatchSchedule> schedule = BatchSchedule::make(lengths, plan);
      Lengths shuffled;
      for (const std::uint32_t row : schedule->order()) {
        shuffled.push_back(lengths[row]);
      }
      plan.sampler = Sampler::kFileOrder;
      CHECK(padding(shuffled, plan)->waste_ratio * 100 ==
            Approx(waste["shuffle_seed42"][size][limit_name].get<double>())
                .margin(1e-6));
    }
  }
  const Json& packing = key("packing_2048");
  PackOptions how;
  for (const auto& [name, overlong] :
       {std::pair("truncate", Overlong::kTruncateKeepStart),
        std::pair("split", Overlong::kSplit)}) {
    INFO(name);
    how.overlong = overlong;
    const Result<PackingFigures> figures = pack(lengths, how);
    CHECK(figures->packs == packing[name]["sequences"].get<std::uint64_t>());
    CHECK(figures->tokens == packing[name]["tokens"].get<std::uint64_t>());
    CHECK(
        figures->efficiency_ratio * 100 ==
        Approx(packing[name]["efficiency_percent"].get<double>()).margin(1e-6));
  }
}

}  // namespace
}  // namespace trainsight::batching
