// What the real trainers' libraries do with the same lengths; the figures are
// written by tests/reference/batching_reference.py, which names the versions.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/batching_figures.h"
#include "trainsight/batching/order.h"
#include "trainsight/batching/pack.h"
#include "trainsight/batching/padding.h"
#include "unit/batching/naive.h"

namespace trainsight::batching {
namespace {

using Lengths = std::vector<std::uint32_t>;

TEST_CASE("packs are as many as TRL makes, in windows and over all rows") {
  for (const reference::TrlPacks& row : reference::kTrlPacks) {
    INFO(row.strategy << ", " << row.rows << " rows up to " << row.most
                      << ", pack " << row.pack_length << ", window "
                      << row.window);
    const std::string_view strategy = row.strategy;
    PackOptions how;
    how.pack_length = row.pack_length;
    how.window_rows = row.window;
    how.strategy = strategy == "wrapped" ? Strategy::kWrapped
                                         : Strategy::kBestFitDecreasing;
    how.overlong = strategy == "bfd_split" ? Overlong::kSplit
                                           : Overlong::kTruncateKeepStart;
    const Lengths lengths = naive::skewed_lengths(row.rows, row.most, row.seed);
    const Result<PackingFigures> figures = pack(lengths, how);
    REQUIRE(figures.has_value());
    CHECK(figures->packs == row.packs);
    CHECK(figures->tokens == row.tokens);
  }
}

// FNV-1a over the ids, as the script computes it.
std::uint64_t checksum(std::span<const std::uint32_t> order) {
  std::uint64_t value = 0xCBF29CE484222325U;
  for (const std::uint32_t row : order) value = (value ^ row) * 0x100000001B3U;
  return value;
}

TEST_CASE("length-grouped batches are those of transformers") {
  for (const reference::GroupedOrder& row : reference::kGroupedOrders) {
    INFO(row.rows << " rows, batch " << row.batch);
    const Lengths lengths = naive::skewed_lengths(row.rows, 700, 1);
    BatchPlan plan;
    plan.sampler = Sampler::kLengthGrouped;
    plan.micro_batch = row.batch;
    plan.seed = row.seed;
    const Result<BatchSchedule> schedule = BatchSchedule::make(lengths, plan);
    REQUIRE(schedule.has_value());
    CHECK(checksum(schedule->order()) == row.order);
    const Result<PaddingFigures> figures = padding(lengths, plan);
    REQUIRE(figures.has_value());
    // Two means over independent epochs: within four standard errors.
    const double error =
        std::hypot(row.standard_error, figures->waste_standard_error);
    CHECK(figures->waste_ratio == Approx(row.mean_waste).margin(4 * error));
  }
}

}  // namespace
}  // namespace trainsight::batching
