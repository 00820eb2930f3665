// Properties of LengthSketch on many distributions: against exact answers from
// the sorted lengths, the laws of merging, and hostile texts. Seeds are fixed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "trainsight/stats/length_sketch.h"
#include "trainsight/stats/shuffle.h"
#include "trainsight/stats/sketch_codec.h"

namespace trainsight::stats {
namespace {

using Rows = std::vector<std::uint64_t>;

double uniform(SplitMix64& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

double normal(SplitMix64& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::acos(-1.0) * uniform(random));
}

struct Named {
  std::string name;
  Rows rows;
};

// Shapes that data sets have: log-normal short and long, uniform, two humps,
// constant with outliers, Pareto, sorted, block-wise, mostly empty, tiny.
std::vector<Named> distributions() {
  std::vector<Named> all;
  SplitMix64 random(2019);
  const auto make = [&](const std::string& name, std::size_t n, auto length) {
    Named named{name, {}};
    for (std::size_t i = 0; i < n; ++i) {
      named.rows.push_back(static_cast<std::uint64_t>(length(i)));
    }
    all.push_back(std::move(named));
  };
  make("log-normal short", 20000,
       [&](std::size_t) { return 150 * std::exp(0.5 * normal(random)); });
  make("log-normal long", 200000,
       [&](std::size_t) { return 3000 * std::exp(1.5 * normal(random)); });
  make("log-normal around the exact limit", 150000,
       [&](std::size_t) { return 16384 * std::exp(0.1 * normal(random)); });
  make("books", 5000,
       [&](std::size_t) { return 120000 * std::exp(0.4 * normal(random)); });
  make("uniform", 10000, [&](std::size_t) { return 100000 * uniform(random); });
  make("two humps", 70000, [&](std::size_t i) {
    return i % 10 < 9 ? 200 + 40 * std::abs(normal(random))
                      : 30000 + 2000 * std::abs(normal(random));
  });
  make("constant with outliers", 3000, [&](std::size_t i) {
    return i % 500 == 0 ? 50000.0 + static_cast<double>(i) : 352.0;
  });
  make("pareto", 100000, [&](std::size_t) {
    return std::min(50 / std::pow(uniform(random), 1.2), 1e12);
  });
  make("ascending", 100000,
       [](std::size_t i) { return static_cast<double>(i); });
  make("descending", 100000,
       [](std::size_t i) { return static_cast<double>(100000 - i); });
  make("blocks", 66000, [](std::size_t i) {
    return i < 65536 ? 100.0 : 40000.0 + static_cast<double>(i);
  });
  make("mostly empty", 5000,
       [&](std::size_t i) { return i % 3 == 0 ? 500 * uniform(random) : 0; });
  for (std::size_t n = 1; n <= 12; ++n) {
    make("tiny " + std::to_string(n), n,
         [&](std::size_t) { return 60000 * uniform(random); });
  }
  return all;
}

LengthSketch sketch_of(const Rows& rows) {
  LengthSketch sketch;
  for (const std::uint64_t row : rows) sketch.add(row);
  return sketch;
}

// ceil(p n), p in ten-thousandths, from 1.
std::size_t rank_of(std::size_t n, std::size_t ten_thousandths) {
  return std::max<std::size_t>((n * ten_thousandths + 9999) / 10000, 1);
}

TEST_CASE("quantiles: exact in the exact range, within 0.4 % in the tail") {
  for (const Named& set : distributions()) {
    const LengthSketch sketch = sketch_of(set.rows);
    Rows sorted = set.rows;
    std::sort(sorted.begin(), sorted.end());
    for (const std::size_t p : {1U, 100U, 500U, 2500U, 5000U, 7500U, 9000U,
                                9500U, 9900U, 9990U, 9999U, 10000U}) {
      INFO(set.name << ", p = " << p << " / 10000");
      const std::uint64_t exact = sorted[rank_of(sorted.size(), p) - 1];
      const double share = static_cast<double>(p) / 10000.0;
      const std::uint64_t got = sketch.quantile(share);
      if (exact <= LengthSketch::kExactLimit) {
        CHECK(got == exact);
      } else {
        CHECK(std::abs(static_cast<double>(got) / static_cast<double>(exact) -
                       1) <= 1.0 / 256.0);
      }
      const LengthBin bin = sketch.quantile_bin(share);
      CHECK(bin.first <= exact);
      CHECK(exact <= bin.last);
    }
    CHECK(sketch.min() == sorted.front());
    CHECK(sketch.max() == sorted.back());
  }
}

TEST_CASE("the t-digest's quantiles lie within its bound of the exact ranks") {
  for (const Named& set : distributions()) {
    const LengthSketch sketch = sketch_of(set.rows);
    Rows sorted = set.rows;
    std::sort(sorted.begin(), sorted.end());
    const double n = static_cast<double>(sorted.size());
    CHECK(sketch.digest().count() == n);
    CHECK(sketch.digest().centroids().size() <= TDigest::kMaxCentroids);
    for (const double q : {0.05, 0.5, 0.9, 0.95, 0.99, 0.999}) {
      INFO(set.name << ", q = " << q);
      const double got = sketch.digest_quantile(q);
      // Ranks that the answer stands for, widened by the bound and one row.
      const double slack =
          2 * std::acos(-1.0) * std::sqrt(q * (1 - q)) / 200 * n + 1;
      const auto at = [&](double rank) {
        const double index = std::clamp(rank, 1.0, n) - 1;
        return static_cast<double>(sorted[static_cast<std::size_t>(index)]);
      };
      CHECK(at(std::floor(q * n - slack)) <= got * (1 + 1e-12));
      CHECK(got <= at(std::ceil(q * n + slack)) * (1 + 1e-12));
    }
  }
}

// The bar of printed quantiles: P50, P90, P95 within 0.5 % or one token of the
// nearest rank, P99 within 1 %. The digest alone keeps it on smooth data of
// ordinary spread; at sigma 1.5 its centroids at P99 are 17 % wide, and 2 % is
// asked for. (Over a gap between two humps a digest interpolates: no bound.)
TEST_CASE("digest and counts agree on smooth distributions") {
  const std::vector<std::string> smooth = {
      "log-normal short", "log-normal around the exact limit",
      "log-normal long",  "books",
      "uniform",          "ascending",
      "descending"};
  for (const Named& set : distributions()) {
    if (std::find(smooth.begin(), smooth.end(), set.name) == smooth.end()) {
      continue;
    }
    const LengthSketch sketch = sketch_of(set.rows);
    const double p99_bar = set.name == "log-normal long" ? 0.02 : 0.01;
    for (const double q : {0.5, 0.9, 0.95, 0.99}) {
      INFO(set.name << ", q = " << q);
      const double counts = static_cast<double>(sketch.quantile(q));
      const double bar = q == 0.99 ? p99_bar : 0.005;
      CHECK(std::abs(sketch.digest_quantile(q) - counts) <=
            std::max(bar * counts, 1.0));
    }
  }
}

TEST_CASE("moments equal those of the lengths") {
  for (const Named& set : distributions()) {
    INFO(set.name);
    const LengthSketch sketch = sketch_of(set.rows);
    long double sum = 0;
    for (const std::uint64_t row : set.rows) sum += row;
    const long double mean = sum / static_cast<long double>(set.rows.size());
    long double spread = 0;
    for (const std::uint64_t row : set.rows) {
      spread += (row - mean) * (row - mean);
    }
    const double sigma = static_cast<double>(
        std::sqrt(spread / static_cast<long double>(set.rows.size())));
    CHECK(sketch.mean() == Approx(static_cast<double>(mean)).epsilon(1e-14));
    CHECK(sketch.stddev() == Approx(sigma).epsilon(1e-12).margin(1e-9));
  }
}

TEST_CASE("cuts equal those of the lengths, or stay within their bound") {
  for (const Named& set : distributions()) {
    const LengthSketch sketch = sketch_of(set.rows);
    for (const std::uint64_t limit :
         {0U, 1U, 100U, 512U, 2048U, 16384U, 16385U, 16400U, 16448U, 20000U,
          20480U, 32768U, 40000U, 65536U, 99999U, 131072U}) {
      INFO(set.name << ", limit " << limit);
      std::uint64_t over = 0;
      std::uint64_t tokens = 0;
      std::uint64_t lost = 0;
      for (const std::uint64_t row : set.rows) {
        if (row <= limit) continue;
        ++over;
        tokens += row;
        lost += row - limit;
      }
      const CutAt cut = sketch.cut_at(limit);
      if (cut.records_uncertain == 0) {
        CHECK(cut.records_over == over);
        CHECK(cut.tokens_over == tokens);
        CHECK(cut.tokens_lost == lost);
      } else {
        const double doubt = static_cast<double>(cut.records_uncertain);
        CHECK(std::abs(static_cast<double>(cut.records_over) -
                       static_cast<double>(over)) <= doubt);
        CHECK(std::abs(static_cast<double>(cut.tokens_lost) -
                       static_cast<double>(lost)) <=
              doubt * static_cast<double>(limit) / 256.0);
      }
      const bool exact_limit = limit <= LengthSketch::kExactLimit ||
                               (limit & (limit - 1)) == 0 || limit == 16448 ||
                               limit == 20480;
      if (exact_limit) CHECK(cut.records_uncertain == 0);
    }
  }
}

TEST_CASE("merging is associative and commutative, and equals one pass") {
  for (const Named& set : distributions()) {
    INFO(set.name);
    LengthSketch parts[3];
    for (std::size_t i = 0; i < set.rows.size(); ++i) {
      parts[i * 3 / set.rows.size()].add(set.rows[i]);
    }
    LengthSketch left = parts[0];
    left.merge(parts[1]);
    left.merge(parts[2]);
    LengthSketch right = parts[1];
    right.merge(parts[2]);
    LengthSketch outer = parts[0];
    outer.merge(right);
    LengthSketch reversed = parts[2];
    reversed.merge(parts[1]);
    reversed.merge(parts[0]);
    const LengthSketch whole = sketch_of(set.rows);
    CHECK(left.same_counts(whole));
    CHECK(outer.same_counts(whole));
    CHECK(reversed.same_counts(whole));
    CHECK(left.digest().count() == static_cast<double>(set.rows.size()));
    for (const double q : {0.5, 0.9, 0.99}) {
      // Digests differ, the quantiles hardly: both lie in the same bucket.
      const double a = static_cast<double>(left.quantile(q));
      const double b = static_cast<double>(reversed.quantile(q));
      CHECK(std::abs(a - b) <= a / 256.0);
    }
  }
}

TEST_CASE("the same input gives the same text, byte for byte") {
  for (const Named& set : distributions()) {
    INFO(set.name);
    const std::string text = SketchCodec::to_text(sketch_of(set.rows));
    CHECK(text == SketchCodec::to_text(sketch_of(set.rows)));
    const auto parsed = SketchCodec::parse(text);
    REQUIRE(parsed.has_value());
    CHECK(parsed->same_counts(sketch_of(set.rows)));
    CHECK(SketchCodec::to_text(*parsed) == text);
    for (const double q : {0.5, 0.9, 0.99, 0.999}) {
      CHECK(parsed->quantile(q) == sketch_of(set.rows).quantile(q));
    }
  }
}

TEST_CASE("a parsed sketch goes on as the original would in its counts") {
  SplitMix64 random(5);
  LengthSketch original;
  for (int i = 0; i < 70000; ++i) original.add(random.next() % 40000);
  auto parsed = SketchCodec::parse(SketchCodec::to_text(original));
  REQUIRE(parsed.has_value());
  for (int i = 0; i < 70000; ++i) {
    const std::uint64_t length = random.next() % 90000;
    original.add(length);
    parsed->add(length);
  }
  CHECK(parsed->same_counts(original));
  CHECK(parsed->digest().count() == 140000);
}

TEST_CASE("damaged texts are refused, or are the text of another sketch") {
  constexpr std::uint64_t kSeed = 77;
  INFO("seed " << kSeed);
  SplitMix64 random(kSeed);
  const std::string alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= :";
  std::size_t accepted = 0;
  for (const Named& set : distributions()) {
    if (set.rows.size() > 20000) continue;
    const std::string good = SketchCodec::to_text(sketch_of(set.rows));
    for (int trial = 0; trial < 300; ++trial) {
      std::string text = good;
      const std::size_t at = random.next() % text.size();
      switch (random.next() % 4) {
        case 0:
          text[at] = alphabet[random.next() % alphabet.size()];
          break;
        case 1:
          text.erase(at, 1 + random.next() % 8);
          break;
        case 2:
          text.insert(at, 1, alphabet[random.next() % 64]);
          break;
        default:
          text.resize(at);
          break;
      }
      const auto parsed = SketchCodec::parse(text);
      if (!parsed) continue;
      ++accepted;
      INFO(set.name << ": " << text.substr(0, 200));
      REQUIRE(SketchCodec::to_text(*parsed) == text);
      // Whatever was accepted answers without trouble.
      CHECK(parsed->min() <= parsed->quantile(0.5));
      CHECK(parsed->quantile(0.5) <= parsed->max());
      CHECK(std::isfinite(parsed->stddev()));
      CHECK(parsed->cut_at(1000).records_over <= parsed->count());
    }
  }
  CHECK(accepted > 0);
}

}  // namespace
}  // namespace trainsight::stats
