#include "trainsight/memory/verdict.h"

#include <catch2/catch.hpp>

#include "trainsight/models/model_table.h"

namespace trainsight::memory {
namespace {

TEST_CASE("the interval decides: fits, tight, does not fit") {
  const Interval in{70, 75, 80};
  CHECK(judge(in, 80) == Verdict::kFits);
  CHECK(judge(in, 79.9) == Verdict::kTight);
  CHECK(judge(in, 70) == Verdict::kTight);
  CHECK(judge(in, 69.9) == Verdict::kOutOfMemory);
}

TEST_CASE("a measured run is met exactly afterwards") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-3-8b")->shape;
  Settings s;
  s.method = Method::kLora;
  s.checkpointing = Checkpointing::kFull;
  const Batch batch{4, 4096};
  const Peak before = predict_peak(shape, s, batch);
  for (const double share : {0.8, 1.0, 1.25}) {
    const double measured = share * before.allocated;
    const Coefficients c = calibrate(shape, s, batch, measured, false);
    CHECK(predict_peak(shape, s, batch, c).allocated ==
          Approx(measured).epsilon(1e-9));
    // The weights are known: it is the batch's share that is scaled.
    CHECK(c.offset_bytes == Approx(0).margin(1e-6 * measured));
  }
  const double device = 1.1 * before.device;
  const Coefficients c = calibrate(shape, s, batch, device, true);
  CHECK(predict_peak(shape, s, batch, c).device ==
        Approx(device).epsilon(1e-9));
}

TEST_CASE("a peak that the batch does not show in gives an offset") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-3-8b")->shape;
  const Settings s;
  const Batch batch{1, 64};
  const Peak before = predict_peak(shape, s, batch);
  const Coefficients c =
      calibrate(shape, s, batch, before.allocated + 1e9, false);
  CHECK(c.dynamic_factor == 1);
  CHECK(c.offset_bytes == Approx(1e9));
}

TEST_CASE("calibration narrows the interval") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-3-8b")->shape;
  const Peak peak = predict_peak(shape, Settings(), {1, 4096});
  const Interval wide = device_interval(peak);
  const Interval narrow = device_interval(peak, {}, true);
  CHECK(narrow.high < wide.high);
  CHECK(narrow.low > wide.low);
}

TEST_CASE("no offset takes away what is there whatever the batch") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-3.2-1b")->shape;
  Settings s;
  const Batch batch{1, 512};
  Coefficients c;
  c.offset_bytes = -1e12;
  const Peak peak = predict_peak(shape, s, batch, c);
  // 10 bytes a parameter at the step.
  CHECK(peak.allocated == 10.0 * 1'235'814'400);
}

}  // namespace
}  // namespace trainsight::memory
