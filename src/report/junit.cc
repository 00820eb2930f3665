// JUnit XML, as Jenkins and GitLab read it.
//
// Sources: the Jenkins xunit plugin's junit-10.xsd for elements and attributes;
// W3C, Extensible Markup Language 1.0 (fifth edition), production 2 for the
// characters that a document may hold.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "formats.h"
#include "listing.h"
#include "trainsight/text/utf8.h"

namespace trainsight::report {
namespace {

using Outcome = gate::Judgement::Outcome;
using rules::Severity;

bool is_xml(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
}

// Text of an element or attribute. What XML cannot hold, even escaped, is
// shown as in a string of JSON.
std::string escaped(std::string_view text, bool attribute) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = text::decode_utf8(text, at);
    if (!is_xml(c)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"' && attribute) {
      out += "&quot;";
    } else if (c == '\r' || (attribute && (c == '\n' || c == '\t'))) {
      // A parser would make another character of it.
      out += fmt::format("&#{};", static_cast<std::uint32_t>(c));
    } else {
      text::append_utf8(out, c);
    }
  }
  return out;
}

// "line 12 /messages/1: message" of the places that are listed.
std::string places_of(const RunReport& report, const Entry& entry) {
  std::string text;
  for (const rules::Finding& finding : entry.group->first) {
    std::string place = place_text(report, finding);
    if (!finding.pointer.empty()) place += " " + finding.pointer;
    text += (place.empty() ? "" : place + ": ") + finding.message + "\n";
  }
  const std::uint64_t listed = entry.group->first.size();
  if (entry.fresh() > listed) {
    const std::string path = shown_path(report, entry.file);
    text += fmt::format("… and {} more{}\n", grouped(entry.fresh() - listed),
                        path.empty() ? "" : " in " + path);
  }
  if (entry.group->known > 0) {
    text += fmt::format("{} known\n", grouped(entry.group->known));
  }
  return text;
}

class Suite {
 public:
  explicit Suite(const RunReport& report) : r_(report) {}

  std::string write();

 private:
  enum class Kind { kPass, kFailure, kError };
  // A test case; `text` is the body of a failure or what a passed one says.
  void add(Kind kind, std::string_view group, std::string_view name,
           std::string_view message, const std::string& text,
           std::string_view file = "");
  void add_problems();
  void add_limits();
  void add_rules();
  void add_rule(const std::string& name, std::string_view hint,
                const std::vector<Entry>& found);

  const RunReport& r_;
  std::string cases_;
  std::size_t tests_ = 0, failures_ = 0, errors_ = 0;
};

void Suite::add(Kind kind, std::string_view group, std::string_view name,
                std::string_view message, const std::string& text,
                std::string_view file) {
  ++tests_;
  cases_ += fmt::format("    <testcase classname=\"trainsight.{}\" name=\"{}\"",
                        group, escaped(name, true));
  if (!file.empty()) {
    cases_ += fmt::format(" file=\"{}\"", escaped(file, true));
  }
  if (kind == Kind::kPass && text.empty()) {
    cases_ += "/>\n";
    return;
  }
  cases_ += ">\n";
  if (kind == Kind::kPass) {
    cases_ += fmt::format("      <system-out>{}</system-out>\n",
                          escaped(text, false));
  } else {
    const std::string_view element =
        kind == Kind::kFailure ? "failure" : "error";
    ++(kind == Kind::kFailure ? failures_ : errors_);
    cases_ += fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n",
                          element, escaped(message, true), group,
                          escaped(text, false));
  }
  cases_ += "    </testcase>\n";
}

void Suite::add_problems() {
  std::set<std::string> unread;
  for (const Problem& problem : r_.problems) {
    const std::string path =
        problem.file.empty() ? "run" : shown_path(r_, problem.file);
    unread.insert(path);
    add(Kind::kError, problem.file.empty() ? "run" : "files", path,
        problem.error.message, problem.error.hint,
        problem.file.empty() ? "" : std::string_view(path));
  }
  if (r_.manifest == nullptr) return;
  for (const manifest::DatasetFile& file : r_.manifest->dataset.files) {
    const std::string path = shown_path(r_, file.path);
    if (unread.count(path) == 0) add(Kind::kPass, "files", path, "", "", path);
  }
}

void Suite::add_limits() {
  if (r_.verdict == nullptr) return;
  for (const gate::Judgement& j : r_.verdict->judgements) {
    const std::string judged =
        j.outcome == Outcome::kUnchecked
            ? fmt::format("{} ({})", j.reason, j.allowed)
            : fmt::format("{}, allowed {}", j.measured, j.allowed);
    const Kind kind = j.outcome == Outcome::kHolds      ? Kind::kPass
                      : j.outcome == Outcome::kViolated ? Kind::kFailure
                                                        : Kind::kError;
    add(kind, "limits", j.limit, judged, kind == Kind::kPass ? judged : j.fix);
  }
}

void Suite::add_rule(const std::string& name, std::string_view hint,
                     const std::vector<Entry>& found) {
  std::uint64_t errors = 0;
  std::uint64_t all = 0;
  std::string text;
  for (const Entry& entry : found) {
    if (entry.severity == Severity::kError) errors += entry.fresh();
    all += entry.fresh();
    text += places_of(r_, entry);
  }
  if (errors > 0) text += fmt::format("hint: {}\n", hint);
  add(errors > 0 ? Kind::kFailure : Kind::kPass, "rules", name,
      counted(all, "finding"), text);
}

// Rules that were on and those that found something; each once, over all
// files. Only errors fail: the others are told.
void Suite::add_rules() {
  if (r_.manifest == nullptr) return;
  const std::vector<Entry> entries = entries_of(*r_.manifest->profile);
  const auto found_by = [&entries](std::string_view code) {
    std::vector<Entry> found;
    for (const Entry& entry : entries) {
      if (entry.code == code) found.push_back(entry);
    }
    return found;
  };
  for (std::size_t i = 0; i < rules::kRuleCount; ++i) {
    const auto id = static_cast<rules::RuleId>(i);
    const rules::Rule& rule = rules::rule_of(id);
    const std::vector<Entry> found = found_by(rule.code);
    const bool on = r_.selection != nullptr &&
                    r_.selection->is_on(id, r_.selection->severity_of(id));
    if (found.empty() && !on) continue;
    add_rule(fmt::format("{} {}", rule.code, rule.name), rule.hint, found);
  }
  std::set<std::string_view> unknown;
  for (const Entry& entry : entries) {
    if (entry.rule != nullptr || !unknown.insert(entry.code).second) continue;
    add_rule(std::string(entry.code), "a rule of a newer trainsight",
             found_by(entry.code));
  }
}

std::string Suite::write() {
  add_problems();
  add_limits();
  add_rules();
  const std::string counts = fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests_, failures_, errors_);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"trainsight\" {}>\n", counts);
  out += fmt::format(
      "  <testsuite name=\"trainsight {}\" {} skipped=\"0\">\n"
      "    <properties>\n"
      "      <property name=\"exit_code\" value=\"{}\"/>\n"
      "      <property name=\"headline\" value=\"{}\"/>\n",
      r_.command, counts, static_cast<int>(r_.exit_code),
      escaped(headline(r_), true));
  if (r_.manifest != nullptr) {
    out += fmt::format("      <property name=\"records\" value=\"{}\"/>\n",
                       r_.manifest->profile->records);
  }
  out += "    </properties>\n";
  out += cases_;
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace

std::string render_junit(const RunReport& report) {
  return Suite(report).write();
}

}  // namespace trainsight::report
