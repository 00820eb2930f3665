#include "trainsight/report/plan_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "layout.h"

namespace trainsight::report {
namespace {

using memory::Peak;
using memory::Phase;
using memory::Term;
using memory::Verdict;
using plan::Alternative;
using plan::Outlook;

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string gib(double bytes) {
  const double value = bytes / kGiB;
  return fmt::format("{:.{}f}", value, std::abs(value) < 9.95 ? 2 : 1);
}

std::string colored(Verdict verdict, std::string_view text,
                    const Style& style) {
  switch (verdict) {
    case Verdict::kFits:
      return style.green(text);
    case Verdict::kTight:
      return style.yellow(text);
    case Verdict::kOutOfMemory:
      return style.red(text);
  }
  return std::string(text);
}

// Hours with a unit that people read: "35 s", "12 min", "7.4 h".
std::string duration(double hours) {
  const double seconds = hours * 3600;
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 600) return fmt::format("{:.1f} min", seconds / 60);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  if (hours < 100) return fmt::format("{:.1f} h", hours);
  return fmt::format("{:.0f} h", hours);
}

std::string dollars(double amount) {
  return amount < 10 ? fmt::format("{:.2f}", amount)
                     : fmt::format("{:.0f}", amount);
}

std::string headline(const PlanDocument& d, const Style& style) {
  const Outlook& o = d.outlook;
  const std::string_view word =
      o.verdict == Verdict::kTight ? "unsafe" : memory::name_of(o.verdict);
  const std::string head = fmt::format(
      "{}: needs {} GiB ({} to {}), {} {} has {:.1f} GiB", word,
      gib(o.device.point), gib(o.device.low), gib(o.device.high),
      d.job.gpus == 1 ? "the" : "each", d.job.gpu.name, d.job.gpu.usable_gib);
  return colored(o.verdict, style.bold(head), style);
}

std::string batch_text(const PlanDocument& d) {
  const memory::Batch& b = d.outlook.largest_batch;
  if (b.flat_tokens != 0) {
    return fmt::format("{} sequences, {} tokens at most, padding-free",
                       b.sequences, grouped(b.flat_tokens));
  }
  std::string text =
      fmt::format("{}{} x {} tokens {}", b.sequences,
                  memory::is_pairwise(d.job.settings.objective)
                      ? (b.sequences == 1 ? " pair x 2" : " pairs x 2")
                      : "",
                  grouped(b.length), plan::name_of(d.job.batching.packing));
  if (b.scored_length > 0) {
    text += fmt::format(" ({} of prompt, {} generated)",
                        grouped(b.length - b.scored_length),
                        grouped(b.scored_length));
  }
  return text;
}

std::string job_lines(const PlanDocument& d) {
  const plan::Job& job = d.job;
  std::string text =
      fmt::format("{}, {} parameters; {}; {} x {}; {} a GPU", job.shape.name,
                  grouped(job.counts.total), plan::words_of(job), job.gpus,
                  job.gpu.name, batch_text(d));
  std::string out = "  " + wrapped(text, 2) + "\n";
  if (!d.data.empty()) {
    const std::string_view what =
        job.batching.packing == plan::Packing::kPacked ? "packs of"
        : job.batching.completion_budget > 0           ? "longest kept prompt"
                                                       : "longest kept row";
    const std::uint64_t length =
        d.outlook.largest_batch.length - d.outlook.largest_batch.scored_length;
    out += "  " +
           wrapped(
               fmt::format("{}, {}, {} {} tokens", d.data,
                           counted(d.records, "record"), what, grouped(length)),
               2) +
           "\n";
  }
  return out;
}

// What Peak::rest() is in a phase, for a person.
std::string_view rest_name(Phase phase) {
  switch (phase) {
    case Phase::kLoad:
      return "model before its split";
    case Phase::kBackwardEnd:
      return "not there at once";
    case Phase::kStep:
      return "shard buffers";
    default:
      return "other";
  }
}

std::string term_line(std::string_view name, double bytes, double share) {
  return fmt::format("  {} {:>8} GiB  {}\n", padded_right(name, 24), gib(bytes),
                     bar(share, 30));
}

std::string breakdown(const PlanDocument& d, const Style& style) {
  const Peak& peak = d.outlook.peak;
  std::string out = fmt::format(
      "\n{}\n",
      style.bold(fmt::format("Peak, in the phase: {}", name_of(peak.winner))));
  std::vector<std::pair<double, std::string_view>> terms;
  for (std::size_t i = 0; i < memory::kTermCount; ++i) {
    const Term term = static_cast<Term>(i);
    if (peak.holds(term, peak.winner) && peak.term(term) > 0.005 * kGiB) {
      terms.emplace_back(peak.term(term), name_of(term));
    }
  }
  std::stable_sort(
      terms.begin(), terms.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [bytes, name] : terms) {
    out += term_line(name, bytes, bytes / peak.device);
  }
  const double offset = d.job.coefficients.offset_bytes;
  const double rest = peak.rest(peak.winner) - offset;
  if (std::abs(rest) > 0.005 * kGiB) {
    const std::string_view name = rest_name(peak.winner);
    out += rest > 0 ? term_line(name, rest, rest / peak.device)
                    : fmt::format("  {} {:>8} GiB\n", padded_right(name, 24),
                                  gib(rest));
  }
  if (std::abs(offset) > 0.005 * kGiB) {
    out += fmt::format("  {} {:>8} GiB  (what no term explains)\n",
                       padded_right("measured offset", 24), gib(offset));
  }
  out += term_line("context, fragmentation", peak.device - peak.allocated,
                   (peak.device - peak.allocated) / peak.device);
  out += fmt::format("  {} {:>8} GiB  (allocated {} GiB)\n",
                     padded_right("device", 24), gib(peak.device),
                     gib(peak.allocated));
  return out;
}

std::string limits_section(const PlanDocument& d, const Style& style) {
  const std::uint64_t budget = d.job.batching.completion_budget;
  std::string text =
      d.limits.micro_batch == 0
          ? fmt::format("no batch of {} tokens fits for certain",
                        grouped(d.outlook.largest_batch.length))
          : fmt::format("up to {} of {} tokens a GPU",
                        counted(d.limits.micro_batch,
                                memory::is_pairwise(d.job.settings.objective)
                                    ? "pair"
                                    : "sequence"),
                        grouped(d.outlook.largest_batch.length));
  if (d.limits.length <= budget) {
    text += fmt::format("; no {} fits at this micro-batch",
                        budget > 0 ? "prompt" : "length");
  } else {
    text += fmt::format("; {}up to {} tokens at micro-batch {}",
                        budget > 0 ? "prompts " : "",
                        grouped(d.limits.length - budget), d.job.micro_batch);
  }
  return fmt::format("\n{}\n  ", style.bold("Room")) + wrapped(text, 2) + "\n";
}

std::string exposure_section(const PlanDocument& d, const Style& style,
                             std::size_t most_rows) {
  const plan::Exposure& e = d.exposure;
  if (e.rows <= 0 || e.length == 0) return {};  // no length fits: all are
  std::string out = fmt::format(
      "\n{}\n",
      style.bold(fmt::format("Rows above {} tokens: {}", grouped(e.length),
                             grouped(static_cast<std::uint64_t>(e.rows)))));
  out +=
      "  " +
      wrapped(fmt::format("the first is expected in step {}, after {}",
                          grouped(static_cast<std::uint64_t>(e.expected_step)),
                          duration(e.expected_hours)),
              2) +
      "\n";
  for (std::size_t i = 0; i < e.longest.size() && i < most_rows; ++i) {
    const plan::LongRow& row = e.longest[i];
    out += fmt::format(
        "  {:>11}  {}:{}\n", grouped(row.tokens),
        shortened(row.file, kColumns - 17 - std::to_string(row.line).size()),
        row.line);
  }
  out += "  " +
         wrapped(
             fmt::format("truncating at {} loses {} tokens; dropping them {}; "
                         "longest first fails at step 1 instead",
                         grouped(e.length),
                         grouped(static_cast<std::uint64_t>(e.tokens_cut)),
                         counted(static_cast<std::uint64_t>(e.rows), "record")),
             2) +
         "\n";
  return out;
}

std::string time_section(const PlanDocument& d, const Style& style) {
  const Outlook& o = d.outlook;
  std::string out = fmt::format("\n{}\n", style.bold("Time and cost"));
  out += fmt::format(
      "  {} useful tokens/s on {}, {} with padding; {} a step\n",
      grouped(static_cast<std::uint64_t>(o.useful_tokens_per_second)),
      counted(d.job.gpus, "GPU"),
      grouped(static_cast<std::uint64_t>(o.padded_tokens_per_second)),
      duration(o.step.seconds.value / 3600));
  if (o.step.generation.value > 0) {
    out += fmt::format("  of a step, generation {} ({} to {})\n",
                       duration(o.step.generation.value / 3600),
                       duration(o.step.generation.low / 3600),
                       duration(o.step.generation.high / 3600));
  }
  if (o.steps_per_epoch <= 0) return out;
  out += fmt::format(
      "  an epoch: {}, {} ({} to {})\n",
      counted(static_cast<std::uint64_t>(o.steps_per_epoch), "step"),
      duration(o.epoch_hours.value), duration(o.epoch_hours.low),
      duration(o.epoch_hours.high));
  out += fmt::format("  {:g} {}: {:.3g} GPU-hours ({:.3g} to {:.3g})",
                     d.job.batching.epochs,
                     d.job.batching.epochs == 1 ? "epoch" : "epochs",
                     o.gpu_hours.value, o.gpu_hours.low, o.gpu_hours.high);
  if (o.dollars.value > 0) {
    out += fmt::format(", ${} ({} to {})", dollars(o.dollars.value),
                       dollars(o.dollars.low), dollars(o.dollars.high));
  }
  return out + "\n";
}

std::string alternative_line(const Alternative& a, const Style& style) {
  const Outlook& o = a.outlook;
  const std::string time =
      o.steps_per_epoch > 0
          ? duration(o.epoch_hours.value)
          : short_count(static_cast<std::uint64_t>(o.useful_tokens_per_second));
  const std::string mark =
      colored(o.verdict,
              padded_right(o.verdict == Verdict::kFits    ? "fits"
                           : o.verdict == Verdict::kTight ? "unsafe"
                                                          : "no",
                           7),
              style);
  std::string line =
      fmt::format("  {}{}{:>6} {:>4.0f}%", mark, padded_right(a.name, 46),
                  gib(o.device.point), 100 * o.headroom_ratio());
  if (o.verdict == Verdict::kFits) {
    line += fmt::format(" {:>7}", time);
    return line + "\n";
  }
  return line + "\n" + std::string(9, ' ') +
         style.dim("→ " + shortened(a.reason, kColumns - 12)) + "\n";
}

// The best of each method, then of each way to share the work, then the nearest
// that do not fit.
std::vector<const Alternative*> selection(const PlanDocument& d,
                                          std::size_t rows) {
  std::vector<const Alternative*> shown;
  std::vector<std::string> seen;
  const auto take = [&](Verdict verdict, bool by_ranks, std::size_t most) {
    for (const Alternative& a : d.alternatives) {
      if (shown.size() >= most) return;
      if (a.outlook.verdict != verdict) continue;
      const memory::Settings& s = a.job.settings;
      std::string kind{plan::method_name(s)};
      if (by_ranks) {
        kind +=
            fmt::format(" {} {}", static_cast<int>(s.sharding), s.ranks.tensor);
      }
      const bool known =
          std::find(seen.begin(), seen.end(), kind) != seen.end() ||
          std::find(shown.begin(), shown.end(), &a) != shown.end();
      if (known) continue;
      seen.push_back(std::move(kind));
      shown.push_back(&a);
    }
  };
  take(Verdict::kFits, false, rows);
  take(Verdict::kFits, true, rows - 2);
  take(Verdict::kTight, false, rows - 1);
  take(Verdict::kOutOfMemory, false, rows);
  return shown;
}

std::string alternatives_section(const PlanDocument& d, const Style& style,
                                 std::size_t rows) {
  if (d.alternatives.empty()) return {};
  const bool hours = d.outlook.steps_per_epoch > 0;
  std::string out = fmt::format(
      "\n{}\n", style.bold(fmt::format("Ways to run it ({} compared)",
                                       d.alternatives.size())));
  out += fmt::format("         {}{:>6} {:>5} {:>7}\n",
                     padded_right("method B x acc  recomp  loss  ranks", 46),
                     "GiB", "room", hours ? "epoch" : "tokens/s");
  for (const Alternative* a : selection(d, rows)) {
    out += alternative_line(*a, style);
  }
  return out;
}

std::string why_section(const PlanDocument& d, const Style& style) {
  const Peak& peak = d.outlook.peak;
  std::string out = fmt::format("\n{}\n", style.bold("Why: every term"));
  for (std::size_t i = 0; i < memory::kTermCount; ++i) {
    const Term term = static_cast<Term>(i);
    out += fmt::format("  {} {:>9.3f} GiB  {}\n",
                       padded_right(name_of(term), 20), peak.term(term) / kGiB,
                       shortened(memory::formula_of(term), 42));
  }
  out += fmt::format("\n{}\n", style.bold("Why: every phase"));
  for (std::size_t i = 0; i < memory::kPhaseCount; ++i) {
    const Phase phase = static_cast<Phase>(i);
    if (peak.phase(phase) <= 0) continue;
    std::string sum;
    for (std::size_t t = 0; t < memory::kTermCount; ++t) {
      const Term term = static_cast<Term>(t);
      if (!peak.holds(term, phase) || peak.term(term) <= 0) continue;
      if (!sum.empty()) sum += " + ";
      sum += name_of(term);
    }
    const double rest = peak.rest(phase) - d.job.coefficients.offset_bytes;
    if (std::abs(rest) > 0.0005 * kGiB) {
      sum += fmt::format("{}{} {:.3f}",
                         sum.empty() ? ""
                         : rest < 0  ? " - "
                                     : " + ",
                         rest_name(phase), std::abs(rest) / kGiB);
    }
    out += fmt::format("  {} {:>9.3f} GiB  ", padded_right(name_of(phase), 20),
                       peak.phase(phase) / kGiB) +
           wrapped(sum, 38) + "\n";
  }
  out += fmt::format("\n{}\n  ", style.bold("Why: what the framework does")) +
         wrapped(d.framework_source, 2) + "\n";
  const throughput::StepTime& t = d.outlook.step;
  out += fmt::format("\n{}\n", style.bold("Why: a step"));
  out += fmt::format(
      "  compute {:.4g} s at {} of {:.0f} TFLOPS; hidden communication {:.3g} "
      "s;\n  exposed {:.3g} s; optimizer {:.3g} s; bubble {}\n",
      t.compute_seconds, percent(t.efficiency), d.job.gpu.tflops_16bit,
      t.communication_seconds, t.exposed_seconds, t.optimizer_seconds,
      percent(t.bubble_ratio));
  return out;
}

std::string remarks_section(const PlanDocument& d, const Style& style) {
  if (d.remarks.empty()) return {};
  std::string out = fmt::format("\n{}\n", style.bold("Findings"));
  for (const plan::Remark& remark : d.remarks) {
    const rules::Rule& rule = rules::rule_of(remark.rule);
    out += fmt::format("  {} {} {}\n          ",
                       padded_right(rules::name_of(rule.severity), 7),
                       rule.code, rule.name) +
           wrapped(remark.message, 10) + "\n";
    if (remark.rule != rules::RuleId::kDoesNotFit) {
      out += "          " + style.dim("→ " + wrapped(rule.hint, 12)) + "\n";
    }
  }
  return out;
}

std::string config_section(const PlanDocument& d, const Style& style,
                           bool every_key) {
  if (d.config_read.empty() && d.config_ignored.empty()) return {};
  std::string out = fmt::format("\n{}\n", style.bold("From the config"));
  if (every_key) {
    for (const PlanDocument::ConfigKey& key : d.config_read) {
      out += "  " + padded_right(shortened(key.key, 38), 39) +
             shortened(key.meaning, kColumns - 41) + "\n";
    }
  } else {
    std::string read;
    for (const PlanDocument::ConfigKey& key : d.config_read) {
      if (!read.empty()) read += ", ";
      read += shortened(key.meaning, 60);
    }
    out += "  read: " + wrapped(read, 8) + "\n";
  }
  const auto list = [&](const char* label, const auto& entries) {
    std::string text;
    for (const std::string& entry : entries) {
      if (!text.empty()) text += ", ";
      text += shortened(entry, 60);
    }
    if (!text.empty()) out += label + wrapped(text, 12) + "\n";
  };
  list("  by default: ", d.config_defaulted);
  list("  not used: ", d.config_ignored);
  return out;
}

// The job as the manifest has it.
std::string stored_section(const PlanDocument& d, const Style& style) {
  if (d.stored.empty()) return {};
  std::string read;
  for (const PlanDocument::ConfigKey& key : d.stored) {
    if (!read.empty()) read += ", ";
    read += shortened(key.key + " " + key.value, 60);
  }
  return fmt::format("\n{}\n  ", style.bold("From the manifest's job")) +
         wrapped(read, 2) + "\n";
}

}  // namespace

std::string plan_report(const PlanDocument& document,
                        const PlanTextOptions& options) {
  const Style style(options.color);
  std::string out = headline(document, style) + "\n";
  out += job_lines(document);
  out += breakdown(document, style);
  out += limits_section(document, style);
  out += exposure_section(document, style, options.long_rows);
  out += time_section(document, style);
  out += alternatives_section(document, style, options.rows);
  out += remarks_section(document, style);
  if (options.why) out += why_section(document, style);
  out += stored_section(document, style);
  out += config_section(document, style, options.why);
  out += fmt::format("\n{}\n", style.bold("Assumed"));
  out += "  • " + wrapped(document.framework, 4) + "\n";
  for (const std::string& note : document.notes) {
    out += "  • " + wrapped(note, 4) + "\n";
  }
  return out;
}

}  // namespace trainsight::report
