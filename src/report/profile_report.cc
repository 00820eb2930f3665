#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "layout.h"
#include "sections.h"
#include "trainsight/estimate/reference_calibration.h"
#include "trainsight/report/text_report.h"
#include "trainsight/risk/thresholds.h"
#include "trainsight/stats/length_histogram.h"

namespace trainsight::report {
namespace {

using manifest::Lengths;
using manifest::Manifest;
using manifest::Profile;

// The pairs of a mapping whose two names differ: of "prompt ← question, text ←
// text" the first. The others say nothing.
std::string other_names(std::string_view mapping) {
  constexpr std::string_view kComma = ", ";
  constexpr std::string_view kArrow = " ← ";
  std::string names;
  while (!mapping.empty()) {
    const std::string_view pair = mapping.substr(0, mapping.find(kComma));
    mapping.remove_prefix(
        std::min(pair.size() + kComma.size(), mapping.size()));
    const std::size_t arrow = pair.find(kArrow);
    if (arrow != std::string_view::npos &&
        pair.substr(0, arrow) == pair.substr(arrow + kArrow.size())) {
      continue;
    }
    if (!names.empty()) names += kComma;
    names += pair;
  }
  return names;
}

// Rows of a report; a report is appended to from top to bottom.
class Screen {
 public:
  Screen(const Manifest& manifest, Style style)
      : m_(manifest), p_(*manifest.profile), style_(style) {}

  std::string run(const std::vector<Advice>& advice);

 private:
  // A row without the spaces at its end, which columns leave there.
  void line(std::string_view text = "") {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    out_.append(text).append("\n");
  }
  void heading(const std::string& text) {
    line();
    line(style_.bold(text));
  }
  void head();
  void mixture();
  [[nodiscard]] std::string place(const manifest::SchemaCount& schema) const;
  // What lengths count: "tokens".
  [[nodiscard]] std::string_view unit() const;
  void lengths();
  [[nodiscard]] std::string hashes() const;
  void length_row(std::string_view name, const Lengths& lengths);
  void histogram();
  void padding();
  void survival();
  void survival_table();
  void longest();
  void memory();
  void verdict();
  void advice(const std::vector<Advice>& advice);

  const Manifest& m_;
  const Profile& p_;
  Style style_;
  std::string out_;
};

void Screen::head() {
  line(style_.bold("trainsight") + "  " + data_name(m_, kColumns - 12));
  std::string counts = counted(p_.records, "record");
  if (p_.malformed > 0) {
    counts += ", " + style_.red(grouped(p_.malformed) + " malformed");
  }
  if (p_.blank_lines > 0) {
    counts += ", " + counted(p_.blank_lines, "blank line");
  }
  line(fmt::format("  {}  {}  {}", style_.bold(counts), size_of(p_.bytes),
                   m_.dataset.files[0].format));
}

void Screen::mixture() {
  constexpr std::size_t kMost = 4;
  if (!m_.dataset.columns.empty()) {
    std::string columns = "columns as told:";
    for (const auto& [field, column] : m_.dataset.columns) {
      columns +=
          fmt::format("{} {} ← {}", columns.back() == ':' ? "" : ",", field,
                      column.empty() ? "none" : shortened(column, 40));
    }
    line("  " + wrapped(columns, 4));
  }
  std::size_t shown = 0;
  for (const manifest::SchemaCount& schema : p_.schemas) {
    if (shown++ == kMost) {
      line(fmt::format("  … and {} more shapes", p_.schemas.size() - kMost));
      break;
    }
    const bool only = p_.schemas.size() == 1;
    std::string text = only ? "" : grouped(schema.records) + " × ";
    text += schema.type == records::SampleType::kUnknown
                ? "no known shape"
                : fmt::format("{}: {}", records::name_of(schema.type),
                              schema.schema);
    if (const std::string names = other_names(schema.mapping); !names.empty()) {
      text += fmt::format(" ({})", names);
    }
    if (!only) text += ", first at " + place(schema);
    if (only && schema.type == records::SampleType::kUnknown) {
      text += ": name the columns, --columns prompt=NAME,completion=NAME";
    }
    line("  " + wrapped(text, 4));
  }
}

std::string Screen::place(const manifest::SchemaCount& schema) const {
  const auto& files = m_.dataset.files;
  if (files.size() == 1) return fmt::format("line {}", schema.first_line);
  return fmt::format("{}:{}", shortened(files[schema.first_file].path, 40),
                     schema.first_line);
}

void Screen::length_row(std::string_view name, const Lengths& lengths) {
  const stats::LengthSketch& s = lengths.sketch;
  if (s.count() == 0) return;
  line(fmt::format("  {}{}{}{}{}{}{}{}", padded_right(name, 18),
                   padded_left(rounded(s.mean()), 9),
                   padded_left(fmt::format("{:.3f}", s.cv()), 8),
                   padded_left(grouped(s.quantile(0.50)), 8),
                   padded_left(grouped(s.quantile(0.90)), 8),
                   padded_left(grouped(s.quantile(0.95)), 8),
                   padded_left(grouped(s.quantile(0.99)), 8),
                   padded_left(grouped(s.max()), 10)));
}

std::string_view Screen::unit() const {
  if (!m_.dataset.tokenizer.has_value()) return "tokens";
  const std::string& name = m_.dataset.tokenizer->name;
  return name == "bytes" ? "bytes" : name == "chars" ? "code points" : "tokens";
}

// Which files tokenizer and template are of: XXH64 of them. What is in the
// binary goes by the binary's version.
std::string Screen::hashes() const {
  std::string out;
  const auto& tokenizer = m_.dataset.tokenizer;
  if (tokenizer.has_value() && tokenizer->name != "o200k_base" &&
      !tokenizer->xxh64.empty()) {
    out = "tokenizer file " + tokenizer->xxh64;
  }
  const auto& chat = m_.dataset.chat_template;
  if (chat.has_value() && !chat->xxh64.empty()) {
    out += (out.empty() ? "" : ", ") + ("chat template " + chat->xxh64);
  }
  return out;
}

void Screen::lengths() {
  const std::string tokenizer = m_.dataset.tokenizer.has_value()
                                    ? m_.dataset.tokenizer->name
                                    : std::string("unknown tokenizer");
  const std::string exactness = m_.dataset.tokenizer.has_value()
                                    ? m_.dataset.tokenizer->exactness
                                    : std::string();
  const std::string chat = m_.dataset.chat_template.has_value()
                               ? m_.dataset.chat_template->name
                               : std::string("none");
  heading(wrapped(fmt::format("Lengths in {} ({}{}; chat template {})", unit(),
                              shortened(tokenizer, 40),
                              exactness.empty() ? "" : ", " + exactness, chat),
                  2));
  if (const std::string hashes = this->hashes(); !hashes.empty()) {
    line(style_.dim("  " + hashes));
  }
  line(style_.dim(fmt::format(
      "  {}{}{}{}{}{}{}{}", padded_right("", 18), padded_left("mean", 9),
      padded_left("σ/μ", 8), padded_left("p50", 8), padded_left("p90", 8),
      padded_left("p95", 8), padded_left("p99", 8), padded_left("max", 10))));
  const bool pairs = p_.type == records::SampleType::kDpo;
  length_row(pairs ? "pair (longer side)" : "sequence", p_.tokens);
  if (pairs) {
    length_row("prompt + chosen", p_.chosen_side);
    length_row("prompt + rejected", p_.rejected_side);
  }
  for (std::size_t i = 0; i < p_.fields.size(); ++i) {
    const auto field = static_cast<records::Field>(i);
    const bool whole = field == records::Field::kText &&
                       p_.fields[i].sketch.same_counts(p_.tokens.sketch);
    // A field that is empty in every record (an input that nobody fills).
    const bool empty = p_.fields[i].sketch.max() == 0;
    if (!whole && !empty) length_row(records::name_of(field), p_.fields[i]);
  }
  const bool all_learnt = p_.label_tokens.sketch.same_counts(p_.tokens.sketch);
  if (!all_learnt) length_row("learnt", p_.label_tokens);
}

void Screen::histogram() {
  constexpr std::size_t kRows = 10;
  constexpr std::size_t kBar = 34;
  const stats::LengthHistogram histogram =
      stats::make_histogram(p_.tokens.sketch, kRows);
  if (histogram.rows.size() < 2) return;
  std::uint64_t most = 1;
  for (const auto& row : histogram.rows) most = std::max(most, row.count);
  line();
  for (const auto& row : histogram.rows) {
    const std::string range =
        row.first == row.last ? grouped(row.first)
                              : grouped(row.first) + "–" + grouped(row.last);
    const double share = static_cast<double>(row.count) /
                         static_cast<double>(p_.tokens.sketch.count());
    line(fmt::format("  {} {} {}{}", padded_left(range, 17),
                     padded_right(bar(static_cast<double>(row.count) /
                                          static_cast<double>(most),
                                      kBar),
                                  kBar),
                     padded_left(grouped(row.count), 11),
                     padded_left(row.count == 0 ? "" : percent(share), 10)));
  }
}

void Screen::padding() {
  const auto& padding = m_.prediction->padding;
  if (!padding.has_value()) return;
  heading("Padding");
  const std::string what = p_.type == records::SampleType::kDpo    ? "pairs"
                           : p_.type == records::SampleType::kGrpo ? "prompts"
                                                                   : "rows";
  line(fmt::format("  {} of all slots in random batches of {} {} ({})",
                   style_.bold(percent(padding->waste_ratio)),
                   padding->micro_batch, what, padding->method));
  const std::string width = grouped(
      static_cast<std::uint64_t>(std::llround(padding->expected_longest)));
  const std::string in_file_order =
      padding->file_order_waste_ratio.has_value()
          ? percent(*padding->file_order_waste_ratio) + " in file order; "
          : "";
  line(style_.dim(fmt::format("  {}a random batch is {} {} wide on average",
                              in_file_order, width, unit())));
  if (!padding->whole_step) {
    line(style_.dim("  of prompts only: completions are generated"));
  }
}

// One line a target, when there are several to compare.
void Screen::survival_table() {
  heading("What survives, by target");
  line(style_.dim(fmt::format(
      "  {}{}{}{}{}{}", padded_right("", 14), padded_left("limit", 9),
      padded_left("kept", 12), padded_left("cut", 11),
      padded_left("dropped", 11), padded_left("unlearnt", 11))));
  for (const manifest::Survival& s : p_.survival) {
    line(fmt::format("  {}{}{}{}{}{}  {}", padded_right(s.target, 14),
                     padded_left(grouped(s.max_seq_len), 9),
                     padded_left(grouped(s.kept.records), 12),
                     padded_left(grouped(s.truncated.records), 11),
                     padded_left(grouped(s.dropped.records), 11),
                     padded_left(grouped(s.unlabelled.records), 11),
                     style_.dim(s.overlong.substr(0, 8))));
  }
  line(style_.dim("  records; tokens are in --format json"));
}

void Screen::survival() {
  if (p_.survival.size() > 1) {
    survival_table();
    return;
  }
  for (const manifest::Survival& s : p_.survival) {
    heading(fmt::format("At max_seq_len {} ({})", grouped(s.max_seq_len),
                        s.overlong));
    std::string text =
        fmt::format("  {} kept ({} tokens)", counted(s.kept.records, "record"),
                    grouped(s.kept.tokens));
    if (s.truncated.records > 0) {
      text += fmt::format(", {} of them ", grouped(s.truncated.records));
      text += s.overlong == "split" ? "split"
                                    : fmt::format("cut ({} tokens lost)",
                                                  grouped(s.truncated.tokens));
    }
    if (s.dropped.records > 0) {
      text +=
          fmt::format(", {} dropped ({} tokens)", grouped(s.dropped.records),
                      grouped(s.dropped.tokens));
    }
    if (s.unlabelled.records > 0) {
      text += fmt::format(", {} left with nothing to learn",
                          grouped(s.unlabelled.records));
    }
    line("  " + wrapped(text.substr(2), 2));
  }
}

void Screen::longest() {
  if (p_.longest.empty() || p_.longest.front().tokens == 0) return;
  heading("Longest records");
  constexpr std::size_t kMost = 3;
  for (std::size_t i = 0; i < std::min(kMost, p_.longest.size()); ++i) {
    const manifest::LongestRecord& record = p_.longest[i];
    line(fmt::format("  {}  {}:{}", padded_left(grouped(record.tokens), 11),
                     shortened(m_.dataset.files[record.file].path, 54),
                     record.line));
  }
}

void Screen::memory() {
  if (!m_.prediction->memory.has_value()) return;
  const manifest::MemoryFigure& f = *m_.prediction->memory;
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const auto gib = [](std::uint64_t bytes) {
    return fmt::format("{:.1f}", static_cast<double>(bytes) / kGiB);
  };
  heading("Memory");
  const std::string head =
      fmt::format("{}: {} GiB ({} to {}) of the {} that {} {} has",
                  f.verdict == "tight" ? "unsafe" : f.verdict,
                  gib(f.peak_bytes), gib(f.low_bytes), gib(f.high_bytes),
                  gib(f.usable_bytes), f.gpus == 1 ? "the" : "each", f.gpu);
  line("  " + (f.verdict == "fits"    ? style_.green(head)
               : f.verdict == "tight" ? style_.yellow(head)
                                      : style_.red(head)));
  line("  " + wrapped(fmt::format("{}, {}, {}; the largest batch: {} x {} {}",
                                  shortened(f.model, 40), f.method,
                                  counted(f.gpus, "GPU"), f.micro_batch,
                                  grouped(f.length), unit()),
                      2));
  line(f.safe_micro_batch == 0
           ? "  no micro-batch of this length is safe"
           : fmt::format("  the largest safe micro-batch at this length: {}",
                         grouped(f.safe_micro_batch)));
  std::string assumed;
  for (const std::string& each : f.defaults) {
    assumed += (assumed.empty() ? "assumed: " : ", ") + each;
  }
  if (!assumed.empty()) line(style_.dim("  " + wrapped(assumed, 4)));
  for (const std::string& note : f.notes) {
    line(style_.dim("  " + wrapped(note, 4)));
  }
}

void Screen::verdict() {
  heading("Verdict");
  const manifest::Prediction& prediction = *m_.prediction;
  if (prediction.risk.empty()) {
    line("  none: no record has a length");
    return;
  }
  const std::string risk = prediction.risk + " risk";
  const bool bad = prediction.risk == "critical" || prediction.risk == "high";
  const std::string regime =
      prediction.regime.empty() ? "" : ": " + prediction.regime;
  line(fmt::format("  {} if padded{}{}",
                   bad ? style_.red(risk) : style_.green(risk), regime,
                   prediction.in_transition ? " (in transition)" : ""));
  if (prediction.throughput_index.value.has_value() &&
      prediction.entropy.value.has_value()) {
    line(style_.dim(fmt::format(
        "  throughput index {:.2f}, attention entropy {:.2f}",
        *prediction.throughput_index.value, *prediction.entropy.value)));
    line(style_.dim(
        fmt::format("  ({})", estimate::kReferenceCalibrationOrigin)));
  } else {
    line(style_.dim(
        "  " + wrapped(fmt::format("no {}throughput or entropy figure: {}",
                                   prediction.regime.empty() ? "regime, " : "",
                                   prediction.throughput.reason),
                       2)));
  }
}

void Screen::advice(const std::vector<Advice>& advice) {
  if (advice.empty()) return;
  heading("What would help most");
  for (const Advice& a : advice) {
    line("  " + wrapped(fmt::format("• {}: {}", a.change, a.gain), 4));
  }
}

std::string Screen::run(const std::vector<Advice>& list) {
  head();
  mixture();
  if (p_.tokens.sketch.count() > 0) {
    lengths();
    histogram();
    padding();
    survival();
    longest();
    memory();
  }
  out_ += mixture_section(m_, style_);
  out_ += breakdown_section(m_, style_);
  out_ += findings_section(m_, style_);
  verdict();
  advice(list);
  return std::move(out_);
}

}  // namespace

std::string profile_report(const Manifest& manifest,
                           const std::vector<Advice>& advice,
                           const TextOptions& options) {
  return Screen(manifest, Style(options.color)).run(advice);
}

}  // namespace trainsight::report
