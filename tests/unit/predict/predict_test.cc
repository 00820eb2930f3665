#include "trainsight/predict/predict.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

namespace trainsight::predict {
namespace {

using manifest::Prediction;
using manifest::Profile;
using manifest::Training;
using records::SampleType;
using stats::Overlong;

using Rows = std::vector<std::uint64_t>;

Profile profile_of(const Rows& lengths, SampleType type = SampleType::kSft) {
  Profile profile;
  profile.type = type;
  for (const std::uint64_t length : lengths) {
    profile.tokens.sketch.add(length);
    profile.in_order.push_back(length);
  }
  return profile;
}

Training limited(std::uint64_t max_seq_len, const char* overlong) {
  Training training;
  training.max_seq_len = max_seq_len;
  training.overlong = overlong;
  return training;
}

double waste(const Profile& profile, const Training& training,
             std::uint64_t micro_batch) {
  return random_padding(profile, training, micro_batch).waste_ratio;
}

TEST_CASE("the over-long policy is none without a limit, else as its word") {
  CHECK(*overlong_of({}) == Overlong::kKeep);
  CHECK(*overlong_of(limited(8, "truncate")) == Overlong::kTruncate);
  CHECK(*overlong_of(limited(8, "drop")) == Overlong::kDrop);
  CHECK(*overlong_of(limited(8, "split")) == Overlong::kSplit);
  CHECK(*overlong_of(limited(8, "error")) == Overlong::kKeep);
  Training unstated;
  unstated.max_seq_len = 8;
  CHECK(*overlong_of(unstated) == Overlong::kTruncate);
  Training no_limit;
  no_limit.overlong = "drop";
  CHECK(*overlong_of(no_limit) == Overlong::kKeep);
  no_limit.overlong = "shorten";
  CHECK(!overlong_of(no_limit));
  const auto unknown = overlong_of(limited(8, "shorten"));
  REQUIRE(!unknown);
  CHECK(unknown.error().kind == ErrorKind::kUsage);
  CHECK(unknown.error().message == "unknown over-long policy \"shorten\"");
  CHECK(unknown.error().hint == "one of truncate, drop, split, error");
}

TEST_CASE("a batch of 10 and 30 tokens has 60 slots, of which 20 are empty") {
  const auto padding = random_padding(profile_of({10, 30}), {}, 2);
  CHECK(padding.waste_ratio == Approx(20.0 / 60.0));
  CHECK(padding.expected_longest == 30);
  CHECK(padding.micro_batch == 2);
  CHECK(padding.sampler == "random");
  CHECK(padding.whole_step);
}

TEST_CASE("a batch is as wide as a multiple when it is padded up to one") {
  Training training;
  training.pad_to_multiple_of = 16;
  const auto padding = random_padding(profile_of({10, 30}), training, 2);
  CHECK(padding.waste_ratio == Approx(24.0 / 64.0));
  CHECK(padding.expected_longest == 32);
}

TEST_CASE("both sides of all pairs are padded to the longest pair") {
  Profile profile = profile_of({20, 40}, SampleType::kDpo);
  for (const std::uint64_t side : {10, 30}) {
    profile.chosen_side.sketch.add(side);
  }
  for (const std::uint64_t side : {20, 40}) {
    profile.rejected_side.sketch.add(side);
  }
  // 4 sequences of 40 slots hold 10 + 30 + 20 + 40 tokens.
  CHECK(waste(profile, {}, 2) == Approx(60.0 / 160.0));
}

TEST_CASE("padding is that of the rows which the policy leaves") {
  const Profile profile = profile_of({10, 30});
  CHECK(waste(profile, limited(20, "truncate"), 2) == Approx(10.0 / 40.0));
  CHECK(waste(profile, limited(20, "drop"), 2) == 0);
  // 10, 20 and the remainder 10 in one batch.
  CHECK(waste(profile, limited(20, "split"), 3) == Approx(20.0 / 60.0));
  CHECK(waste(profile, limited(20, "error"), 2) == Approx(20.0 / 60.0));
}

TEST_CASE("every row dropped leaves nothing to pad") {
  const auto padding =
      random_padding(profile_of({10, 30}), limited(5, "drop"), 2);
  CHECK(padding.waste_ratio == 0);
  CHECK(padding.expected_longest == 0);
}

TEST_CASE("splitting at a multiple of the length leaves no empty piece") {
  // 40 becomes 20 and 20, and 20 stays: three full rows.
  CHECK(waste(profile_of({40, 20}), limited(20, "split"), 3) == 0);
}

TEST_CASE("a limit of nothing counts as one token and ends") {
  CHECK(waste(profile_of({3, 5}), limited(0, "split"), 2) == 0);
  CHECK(waste(profile_of({3, 5}), limited(0, "truncate"), 2) == 0);
  CHECK(waste(profile_of({3, 5}), limited(0, "drop"), 2) == 0);
}

TEST_CASE("splitting into more rows than are kept works from counts") {
  const Rows lengths = {4'000'000'001, 7};
  const Profile in_order = profile_of(lengths);
  Profile counted = profile_of(lengths);
  counted.in_order.clear();
  for (const std::uint64_t limit : {1, 2, 1000}) {
    const auto a = random_padding(in_order, limited(limit, "split"), 4);
    const auto b = random_padding(counted, limited(limit, "split"), 4);
    CHECK(a.waste_ratio == b.waste_ratio);
    CHECK(a.method == b.method);
    CHECK(a.waste_ratio >= 0);
    CHECK(a.waste_ratio < 0.01);
  }
}

TEST_CASE("more pieces than can be counted are still many") {
  // Two lengths of 2^62 tokens, 2^40 rows each, split into single tokens.
  Profile profile;
  profile.type = SampleType::kSft;
  const std::uint64_t rows = std::uint64_t{1} << 40;
  profile.tokens.sketch.add(std::uint64_t{1} << 62, rows);
  profile.tokens.sketch.add(std::uint64_t{3} << 61, rows);
  const auto padding = random_padding(profile, limited(1, "split"), 4);
  CHECK(padding.method == "closed form");
  CHECK(padding.expected_longest == 1);
}

TEST_CASE("a small set is simulated, a large one has a closed form") {
  CHECK(random_padding(profile_of({1, 2, 3}), {}, 2).method == "simulated");
  CHECK(random_padding(profile_of(Rows(100, 5)), {}, 2).method ==
        "closed form");
}

TEST_CASE("no record has no verdict, and says why there is no figure") {
  const Prediction none = predict(Profile{}, {});
  CHECK(none.regime.empty());
  CHECK(none.risk.empty());
  CHECK(!none.padding.has_value());
  CHECK(!none.throughput.value.has_value());
  CHECK(none.throughput.reason == "no record has a length");
  CHECK(none.entropy.reason == "no record has a length");
}

TEST_CASE("regime and grade follow spread and tail of the raw lengths") {
  // Half 100, half 300: mean 200, deviation 100, so sigma/mu 0.5.
  Rows lengths;
  for (int i = 0; i < 100; ++i) {
    lengths.push_back(100);
    lengths.push_back(300);
  }
  const Prediction p = predict(profile_of(lengths), limited(100, "truncate"));
  CHECK(p.regime == "clean execution");
  CHECK(p.in_transition);
  CHECK(p.risk == "high");
  REQUIRE(p.padding.has_value());
  CHECK(p.padding->waste_ratio == 0);  // of the kept rows, all 100 long
  CHECK(p.padding->micro_batch == kDefaultMicroBatch);
}

TEST_CASE("the reference calibration answers inside its range") {
  Rows lengths;
  for (int i = 0; i < 200; ++i) {
    lengths.push_back(200);
    lengths.push_back(400);
  }
  // sigma/mu = 100 / 300, P99 = 400; both lie inside the published runs.
  const Prediction p = predict(profile_of(lengths), {});
  REQUIRE(p.throughput.value.has_value());
  CHECK(p.throughput.low < *p.throughput.value);
  CHECK(p.throughput.high > *p.throughput.value);
  REQUIRE(p.throughput_index.value.has_value());
  CHECK(*p.throughput_index.value > 0);
  // -0.049 + 0.288 ln 400 - 0.402 / 3 = 1.5425...
  REQUIRE(p.entropy.value.has_value());
  CHECK(*p.entropy.value == Approx(1.5425).margin(1e-3));
}

TEST_CASE("lengths that are no tokens have no calibrated figure") {
  const Prediction p =
      predict(profile_of({100, 300}), Training{}, LengthUnit::kOther);
  CHECK(p.regime.empty());
  CHECK(p.risk == "high");
  CHECK(p.padding.has_value());
  CHECK(!p.throughput.value.has_value());
  CHECK(p.entropy.reason == "lengths are not in tokens");
}

TEST_CASE("prompts of reinforcement learning are no whole step") {
  const Prediction p =
      predict(profile_of({10, 30}, SampleType::kGrpo), Training{});
  REQUIRE(p.padding.has_value());
  CHECK(!p.padding->whole_step);
  CHECK(!p.throughput.value.has_value());
  CHECK(p.throughput.reason ==
        "completions are generated: their lengths are not in the data");
}

TEST_CASE("the file order's figure stands only for the batch it was made of") {
  Profile profile = profile_of({10, 30});
  profile.file_order_micro_batch = 8;
  profile.file_order_slots = 60;
  profile.file_order_tokens = 40;
  const auto figure = [&profile](const Training& training) {
    return predict(profile, training).padding->file_order_waste_ratio;
  };
  REQUIRE(figure({}).has_value());
  CHECK(*figure({}) == Approx(1.0 / 3.0));
  Training other;
  other.micro_batch = 4;
  CHECK(!figure(other).has_value());
  CHECK(!figure(limited(20, "truncate")).has_value());
  other.micro_batch = 8;
  other.pad_to_multiple_of = 64;
  CHECK(!figure(other).has_value());
}

TEST_CASE("what a limit leaves: cut, dropped or split") {
  const Profile profile = profile_of({10, 20, 30});
  const auto cut = survival(profile, 20, Overlong::kTruncate);
  CHECK(cut.max_seq_len == 20);
  CHECK(cut.kept.records == 3);
  CHECK(cut.kept.tokens == 50);
  CHECK(cut.truncated.records == 1);
  CHECK(cut.truncated.tokens == 10);
  CHECK(cut.dropped.records == 0);
  const auto dropped = survival(profile, 20, Overlong::kDrop);
  CHECK(dropped.kept.records == 2);
  CHECK(dropped.kept.tokens == 30);
  CHECK(dropped.dropped.records == 1);
  CHECK(dropped.dropped.tokens == 30);
  CHECK(dropped.truncated.records == 0);
  const auto split = survival(profile, 20, Overlong::kSplit);
  CHECK(split.kept.records == 3);
  CHECK(split.kept.tokens == 60);
  CHECK(split.truncated.tokens == 0);
}

TEST_CASE("a cut in front of the first label leaves nothing to learn") {
  // First labels at 5, 19 and 20; the fourth row learns nothing at any length.
  Profile profile = profile_of({10, 30, 30, 8});
  for (const std::uint64_t first : {5, 19, 20}) {
    profile.first_label.sketch.add(first);
  }
  CHECK(survival(profile, 20, Overlong::kTruncate).unlabelled.records == 2);
  CHECK(survival(profile, 21, Overlong::kTruncate).unlabelled.records == 1);
  CHECK(survival(profile, 20, Overlong::kSplit).unlabelled.records == 1);
  profile.type = SampleType::kGrpo;
  CHECK(survival(profile, 20, Overlong::kTruncate).unlabelled.records == 0);
}

}  // namespace
}  // namespace trainsight::predict
