// Against truth.json of the shared data, for the one series whose lengths are
// stored as numbers: a Megatron index. Everything that a sketch and the padding
// functions say about it is compared with what an independent program found.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trainsight/stats/length_mass.h"
#include "trainsight/stats/length_sketch.h"
#include "trainsight/stats/padding.h"

namespace trainsight::stats {
namespace {

std::string read_shared(const std::string& name) {
  const char* shared = std::getenv("TRAINSIGHT_SHARED");
  if (shared == nullptr) return "";
  std::ifstream in(std::string(shared) + "/data/" + name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Sequence lengths of an MMIDIDX index, version 1: 9 bytes of magic, 8 of
// version, 1 of type, 8 of the number of sequences, 8 of documents, then one
// 32-bit length each. Empty when it is not one.
std::vector<std::uint64_t> megatron_lengths(const std::string& bytes) {
  constexpr std::size_t kHeader = 9 + 8 + 1 + 8 + 8;
  if (bytes.size() < kHeader || bytes.compare(0, 6, "MMIDID") != 0) return {};
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data() + 18, 8);
  if (count > (bytes.size() - kHeader) / 4) return {};
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + kHeader + 4 * i, 4);
    lengths.push_back(length);
  }
  return lengths;
}

TEST_CASE("a Megatron index gives the figures of truth.json") {
  const std::string index = read_shared("meg_gpt2_openwebtext.idx");
  const std::string text = read_shared("truth.json");
  if (index.empty() || text.empty()) {
    std::cout << "SKIPPED: stats against truth.json (no shared data; set "
                 "TRAINSIGHT_SHARED)\n";
    return;
  }
  const std::vector<std::uint64_t> rows = megatron_lengths(index);
  REQUIRE(rows.size() == 1000);
  const auto truth = nlohmann::json::parse(
      text)["files"]["meg_gpt2_openwebtext.idx"]["series"]["input_ids"];

  LengthSketch sketch;
  for (const std::uint64_t row : rows) sketch.add(row);
  const auto& tokens = truth["tokens"];
  CHECK(sketch.sum() == tokens["sum"].get<std::uint64_t>());
  CHECK(sketch.mean() == Approx(tokens["mean"].get<double>()).margin(1e-6));
  CHECK(sketch.stddev() == Approx(tokens["std"].get<double>()).margin(1e-6));
  CHECK(sketch.cv() == Approx(tokens["cv"].get<double>()).margin(1e-6));
  CHECK(sketch.min() == tokens["min"].get<std::uint64_t>());
  CHECK(sketch.quantile(0.5) == tokens["p50"].get<std::uint64_t>());
  CHECK(sketch.quantile(0.9) == tokens["p90"].get<std::uint64_t>());
  CHECK(sketch.quantile(0.95) == tokens["p95"].get<std::uint64_t>());
  CHECK(sketch.quantile(0.99) == tokens["p99"].get<std::uint64_t>());
  CHECK(sketch.max() == tokens["max"].get<std::uint64_t>());
  CHECK(sketch.cut_at(512).records_over ==
        tokens["over_512"].get<std::uint64_t>());
  CHECK(sketch.cut_at(2048).records_over ==
        tokens["over_2048"].get<std::uint64_t>());

  const auto& padding = truth["padding_waste_percent"];
  for (const std::uint64_t size : {4U, 8U, 32U}) {
    for (const std::string limit : {"none", "512", "2048"}) {
      INFO("batch " << size << ", limit " << limit);
      std::vector<std::uint64_t> cut = rows;
      if (limit != "none") {
        for (std::uint64_t& row : cut) {
          row = std::min<std::uint64_t>(row, std::stoull(limit));
        }
      }
      const auto masses = length_masses(cut);
      const double used = token_count(masses);
      const PaddedBatches batches{size, 1, 1};
      const auto percent = [&](const std::string& order) {
        return padding[order]["bs" + std::to_string(size)][limit].get<double>();
      };
      CHECK(100 * padding_in_order(cut, used, batches).waste_ratio ==
            Approx(percent("file_order")).margin(1e-6));
      const PaddingWaste random = random_padding_of_rows(cut, used, batches);
      const double mean = percent("shuffle_mean_seeds_1_to_200");
      // 1,000 rows: simulated for batches of 32, and then equal.
      if (random.method == PaddingMethod::kSimulated) {
        CHECK(100 * random.waste_ratio == Approx(mean).margin(1e-6));
      } else {
        CHECK(100 * random.waste_ratio == Approx(mean).margin(0.3));
      }
      CHECK(100 * random_padding(masses, used, batches).waste_ratio ==
            Approx(mean).margin(0.3));
    }
  }
}

}  // namespace
}  // namespace trainsight::stats
