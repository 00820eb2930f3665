#include <fmt/format.h>

#include <cmath>

#include "sections.h"

namespace trainsight::report {
namespace {

using manifest::MixtureProfile;

constexpr std::size_t kNameColumns = 17;

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, value)));
}

// "0.43", "12.3", "1,234": passes over a source.
std::string passes(double value) {
  if (value >= 999.95) return short_count(whole(value));
  return fmt::format("{:.{}f}", value, value < 99.995 ? 2 : 1);
}

std::string epoch(const char* strategy, double rows, double mean,
                  const std::string& ends, const char* what) {
  return "  " +
         wrapped(fmt::format("{}: about {} ({} tokens), until {} {}", strategy,
                             counted(whole(rows), "row"),
                             short_count(whole(rows * mean)),
                             shortened(ends, 40), what),
                 4) +
         "\n";
}

}  // namespace

std::string mixture_section(const manifest::Manifest& manifest,
                            const Style& style) {
  if (!manifest.profile->mixture.has_value()) return "";
  const MixtureProfile& mixture = *manifest.profile->mixture;
  std::string out = "\n" + style.bold("Mixture by weights") + "\n";
  const bool has_budget = mixture.token_budget.has_value();
  const std::string titles =
      fmt::format("  {}{}{}{}{}{}{}{}", padded_right("", kNameColumns),
                  column("drawn", 9), column("rows", 9), column("tokens", 9),
                  column("mean", 9), column("first", 8), column("all", 8),
                  has_budget ? column("budget", 9) : "");
  out += style.dim(titles) + "\n";
  for (std::size_t i = 0; i < mixture.sources.size(); ++i) {
    const MixtureProfile::Source& source = mixture.sources[i];
    const double mean = source.records == 0
                            ? 0.0
                            : static_cast<double>(source.tokens) /
                                  static_cast<double>(source.records);
    out +=
        "  " + padded_right(shortened(source.path, kNameColumns), kNameColumns);
    if (!mixture.figures.has_value()) {
      out +=
          fmt::format("{}{}\n", column(fmt::format("w {:g}", source.weight), 9),
                      column(short_count(source.records), 9));
      continue;
    }
    const stats::Mixture::Source& s = mixture.figures->sources[i];
    out += fmt::format(
        "{}{}{}{}{}{}", column(percent(s.probability), 9),
        column(short_count(source.records), 9),
        column(percent(s.tokens_ratio), 9), column(rounded(mean), 9),
        column(passes(s.passes_first), 8), column(passes(s.passes_all), 8));
    if (has_budget && mixture.figures->mean > 0) {
      out += column(
          passes(static_cast<double>(*mixture.token_budget) * s.probability /
                 (mixture.figures->mean * static_cast<double>(source.records))),
          9);
    }
    out += "\n";
  }
  if (!mixture.figures.has_value()) {
    return out +
           style.yellow(
               "  no figures: a source without a row cannot be drawn "
               "from") +
           "\n";
  }
  const stats::Mixture& m = *mixture.figures;
  out += style.dim(fmt::format(
             "  first, all{}: passes over each input, at the mean rates",
             has_budget ? ", budget" : "")) +
         "\n";
  out +=
      "  " +
      wrapped(fmt::format("a drawn row: mean {}, σ/μ {:.3f}, P50 {}, P90 "
                          "{}, P95 {}, P99 {}, max {} tokens",
                          rounded(m.mean), m.cv, grouped(m.p50), grouped(m.p90),
                          grouped(m.p95), grouped(m.p99), grouped(m.max)),
              4) +
      "\n";
  out += epoch("first_exhausted", m.rows_first, m.mean,
               mixture.sources[m.ends_first].path, "is read once");
  out += epoch("all_exhausted", m.rows_all, m.mean,
               mixture.sources[m.ends_all].path,
               "is read too; the others begin again");
  if (has_budget && m.mean > 0) {
    out +=
        "  " +
        wrapped(fmt::format(
                    "budget: {} tokens are about {}",
                    grouped(*mixture.token_budget),
                    counted(whole(static_cast<double>(*mixture.token_budget) /
                                  m.mean),
                            "row")),
                4) +
        "\n";
  }
  return out;
}

}  // namespace trainsight::report
