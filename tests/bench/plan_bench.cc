// Time of a plan: all alternatives of one job, from lengths of a heavy-tailed
// data set. Checks that the best ones fit; prints microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "trainsight/models/model_table.h"
#include "trainsight/plan/plan.h"

using namespace trainsight;

int main() {
  plan::DataSet data;
  // 1,000,000 rows: 600 distinct lengths up to 8,192, thinning out as 1/x^2.
  for (int i = 1; i <= 600; ++i) {
    const double length = 8192.0 * i * i / (600.0 * 600.0) + 16;
    data.lengths.push_back(
        {static_cast<double>(static_cast<int>(length)),
         static_cast<std::uint64_t>(1.2e9 / ((i + 20) * (i + 20)) / 60 + 1)});
  }
  plan::Job job;
  job.shape = models::find_builtin_model("llama-3.1-8b")->shape;
  job.counts = models::count_parameters(job.shape);
  job.gpu = *hardware::find_gpu(hardware::builtin_gpus(), "h100");
  job.gpus = 8;
  job.settings.ranks.data = 8;
  job.settings.method = memory::Method::kLora;
  job.micro_batch = 8;
  job.accumulation = 4;
  job.batching.max_seq_len = 4096;
  std::vector<double> microseconds;
  std::size_t count = 0;
  for (int round = 0; round < 21; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const auto found = plan::alternatives(job, data, true);
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    microseconds.push_back(spent.count());
    count = found.size();
    if (found.front().outlook.verdict != memory::Verdict::kFits) {
      std::fputs("the best alternative does not fit\n", stderr);
      return 1;
    }
  }
  std::sort(microseconds.begin(), microseconds.end());
  const double median = microseconds[microseconds.size() / 2];
  std::printf(
      "%zu alternatives: median %.0f us (%.0f to %.0f), %.0f us per 500\n",
      count, median, microseconds.front(), microseconds.back(),
      median * 500 / static_cast<double>(count));
  return 0;
}
