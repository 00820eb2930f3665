// Markdown for a comment on a pull request: verdict, figures, findings, places.
//
// Source: GitHub Flavored Markdown Spec 0.29, sections 4.10 (tables) and 6.9
// (autolinks). A comment of more than 65,536 characters is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "formats.h"
#include "listing.h"
#include "sections.h"

namespace trainsight::report {
namespace {

using Outcome = gate::Judgement::Outcome;

constexpr std::size_t kMostBytes = 65'000;
constexpr std::size_t kMostRules = 40;
constexpr std::size_t kMostPlaceBytes = 300;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool ends_with_www(std::string_view text) {
  if (text.size() < 3) return false;
  for (const char c : text.substr(text.size() - 3)) {
    if (c != 'w' && c != 'W') return false;
  }
  return true;
}

// Whether the ASCII character at `i` may stand as it is in text from outside.
bool is_plain(std::string_view text, std::size_t i) {
  constexpr std::string_view kPlain = " ,-/=()';\"{}?%+";
  const char c = text[i];
  const bool has_next = i + 1 < text.size();
  if (is_word(c) || kPlain.find(c) != std::string_view::npos) return true;
  // "www.a" and "http://a" would become links, "_a_" emphasis.
  if (c == '.') return !ends_with_www(text.substr(0, i));
  if (c == ':') return !has_next || text[i + 1] != '/';
  return c == '_' && i > 0 && has_next && is_word(text[i - 1]) &&
         is_word(text[i + 1]);
}

std::string entity(char c) {
  // Addresses are looked for after entities are resolved, but not across tags.
  const std::string_view before = c == '@' ? "<!-- -->" : "";
  return fmt::format("{}&#{};", before, static_cast<unsigned>(c));
}

// Text from outside, shown as it is: nothing in it is markup, a link, a mention
// or the end of a cell. Within <code> nobody is notified.
std::string code(std::string_view text) {
  const std::string clean = one_line(text);
  std::string out = "<code>";
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const bool is_ascii = static_cast<unsigned char>(clean[i]) < 0x80;
    out += !is_ascii || is_plain(clean, i) ? std::string(1, clean[i])
                                           : entity(clean[i]);
  }
  return out + "</code>";
}

// A sentence of our own, without markup.
std::string prose(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool special =
        std::string_view("\\`*<>|[]&~#").find(c) != std::string_view::npos;
    out += special ? entity(c) : std::string(1, c);
  }
  return out;
}

// "| name | value |" of one figure.
std::string row(std::string_view name, std::string_view value) {
  return fmt::format("| {} | {} |\n", name, value);
}

class Comment {
 public:
  explicit Comment(const RunReport& report) : r_(report) {}

  std::string write();

 private:
  void figures();
  void limits();
  void problems();
  void findings();
  void details();
  [[nodiscard]] std::string finding_line(const Entry& entry,
                                         const rules::Finding& finding) const;

  const RunReport& r_;
  std::vector<Entry> entries_;
  std::string out_;
};

void Comment::problems() {
  if (r_.problems.empty()) return;
  constexpr std::size_t kMost = 20;
  out_ += "\nCould not be read or done:\n\n";
  for (std::size_t i = 0; i < r_.problems.size(); ++i) {
    if (i == kMost) {
      out_ += fmt::format("* and {} more\n", grouped(r_.problems.size() - i));
      break;
    }
    const Error& error = r_.problems[i].error;
    out_ += "* " + code(shortened(error.message, kMostPlaceBytes));
    if (!error.hint.empty()) {
      out_ += ": " + code(shortened(error.hint, kMostPlaceBytes));
    }
    out_ += '\n';
  }
}

void Comment::limits() {
  if (r_.verdict == nullptr) return;
  out_ += "\n| Limit | Outcome | Measured | Allowed |\n|---|---|---|---|\n";
  std::string fixes;
  for (const gate::Judgement& j : r_.verdict->judgements) {
    const std::string_view outcome = j.outcome == Outcome::kHolds ? "holds"
                                     : j.outcome == Outcome::kViolated
                                         ? "**violated**"
                                         : "**unchecked**";
    const std::string& measured =
        j.outcome == Outcome::kUnchecked ? j.reason : j.measured;
    out_ += fmt::format("| `{}` | {} | {} | {} |\n", j.limit, outcome,
                        prose(measured), prose(j.allowed));
    if (!j.fix.empty()) {
      fixes += fmt::format("* `{}`: {}\n", j.limit, prose(j.fix));
    }
  }
  if (!fixes.empty()) out_ += "\nWhat would change it:\n\n" + fixes;
}

void Comment::figures() {
  const manifest::Manifest& m = *r_.manifest;
  const manifest::Profile& p = *m.profile;
  const stats::LengthSketch& s = p.tokens.sketch;
  out_ += "\n| Figure | Value |\n|---|---|\n";
  out_ += row("data", code(data_name(m, kMostPlaceBytes)));
  out_ += row("records",
              fmt::format("{} ({} usable, {} malformed)", grouped(p.records),
                          grouped(p.usable), grouped(p.malformed)));
  if (m.dataset.tokenizer.has_value()) {
    out_ += row("lengths in", code(m.dataset.tokenizer->name + ", " +
                                   m.dataset.tokenizer->exactness));
  }
  if (s.count() > 0) {
    out_ += row("tokens", grouped(s.sum()));
    out_ +=
        row("mean, σ/μ", fmt::format("{}, {:.3f}", rounded(s.mean()), s.cv()));
    out_ += row("P50, P99, longest",
                fmt::format("{}, {}, {}", grouped(s.quantile(0.5)),
                            grouped(s.quantile(0.99)), grouped(s.max())));
  }
  if (!m.prediction.has_value()) return;
  if (m.prediction->padding.has_value()) {
    out_ += row("padding, random batches",
                fmt::format("{} (micro-batch {})",
                            percent(m.prediction->padding->waste_ratio),
                            m.prediction->padding->micro_batch));
  }
  if (!m.prediction->risk.empty()) {
    const std::string& regime = m.prediction->regime;
    out_ += row("risk if padded", code(m.prediction->risk +
                                       (regime.empty() ? "" : ": " + regime)));
  }
}

void Comment::findings() {
  if (entries_.empty()) {
    out_ += "\nNo findings.\n";
    return;
  }
  const std::string counts = text_of(counts_of(*r_.manifest->profile));
  out_ += fmt::format("\n| Findings: {} | Count | First |\n|---|---|---|\n",
                      counts);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i == kMostRules) {
      out_ +=
          fmt::format("| and {} more | | |\n", grouped(entries_.size() - i));
      break;
    }
    const Entry& entry = entries_[i];
    std::string count = grouped(entry.group->count);
    if (entry.group->known > 0) {
      count += fmt::format(" ({} known)", grouped(entry.group->known));
    }
    std::string first;
    if (!entry.group->first.empty()) {
      first = place_text(r_, entry.group->first.front());
    } else {
      first = shown_path(r_, entry.file);
    }
    out_ += fmt::format(
        "| {} `{} {}` | {} | {} |\n", rules::name_of(entry.severity),
        entry.code, entry.name(), count,
        first.empty() ? "the data set" : code(shortened(first, 120)));
  }
}

std::string Comment::finding_line(const Entry& entry,
                                  const rules::Finding& finding) const {
  std::string place = place_text(r_, finding);
  if (!finding.pointer.empty()) place += " " + finding.pointer;
  std::string line = fmt::format("* `{}` ", entry.code);
  if (!place.empty()) line += code(shortened(place, kMostPlaceBytes)) + " ";
  return line + code(shortened(finding.message, kMostPlaceBytes)) + "\n";
}

// As many places as a comment holds.
void Comment::details() {
  constexpr std::string_view kEnd = "\n</details>\n";
  constexpr std::size_t kRoomForRest = 100;
  const bool has_places = std::any_of(
      entries_.begin(), entries_.end(),
      [](const Entry& entry) { return !entry.group->first.empty(); });
  if (!has_places) return;
  out_ += "\n<details><summary>Places and what to do</summary>\n\n";
  std::uint64_t left = 0;
  for (const Entry& entry : entries_) {
    std::string hint;
    if (entry.rule != nullptr && !entry.group->first.empty()) {
      hint = fmt::format("* `{}` to do: {}\n", entry.code,
                         prose(entry.rule->hint));
    }
    for (std::size_t i = 0; i <= entry.group->first.size(); ++i) {
      const std::string line = i < entry.group->first.size()
                                   ? finding_line(entry, entry.group->first[i])
                                   : hint;
      if (left > 0 ||
          out_.size() + line.size() + kEnd.size() + kRoomForRest > kMostBytes) {
        left += i < entry.group->first.size() ? 1 : 0;
      } else {
        out_ += line;
      }
    }
  }
  if (left > 0) {
    out_ += fmt::format("\nand {} that a comment has no room for\n",
                        counted(left, "place"));
  }
  out_ += kEnd;
}

std::string Comment::write() {
  out_ = fmt::format("### trainsight {}: {}\n", r_.command, headline(r_));
  problems();
  if (r_.manifest == nullptr) return std::move(out_);
  entries_ = entries_of(*r_.manifest->profile);
  limits();
  figures();
  findings();
  details();
  return std::move(out_);
}

}  // namespace

std::string render_markdown(const RunReport& report) {
  return Comment(report).write();
}

}  // namespace trainsight::report
