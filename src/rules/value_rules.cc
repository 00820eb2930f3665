#include <fmt/format.h>

#include <algorithm>

#include "pointer.h"
#include "row_rules.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

using scan::Value;
using scan::ValueKind;

// The first escaped surrogate of `text` that lacks its other half, "U+D83D".
std::string lone_surrogate_in(std::string_view text) {
  const auto unit_at = [&text](std::size_t at) -> unsigned {
    unsigned unit = 0;
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') {
      return 0;
    }
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const char c = text[i];
      const unsigned digit =
          c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
          : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
          : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                 : 0;
      unit = unit * 16 + digit;
    }
    return unit;
  };
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] != '\\') continue;
    const unsigned unit = unit_at(at);
    if (unit >= 0xD800 && unit < 0xDC00) {
      const unsigned low = unit_at(at + 6);
      if (low < 0xDC00 || low > 0xDFFF) return fmt::format("U+{:04X}", unit);
      at += 11;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      return fmt::format("U+{:04X}", unit);
    } else {
      ++at;  // an escaped backslash is no begin of an escape
    }
  }
  return "";
}

// Bytes of the longest run without white space, escapes of it included.
std::uint64_t longest_run(text::TextView text) {
  std::uint64_t longest = 0;
  std::size_t begin = 0;
  const std::string_view bytes = text.bytes;
  const bool escaped = text.encoding == text::Encoding::kJsonEscaped;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    const bool is_escape = escaped && c == '\\' && i + 1 < bytes.size();
    if (!is_space && !is_escape) continue;
    const bool ends = is_space || bytes[i + 1] == 'n' || bytes[i + 1] == 't' ||
                      bytes[i + 1] == 'r';
    if (ends) longest = std::max<std::uint64_t>(longest, i - begin);
    if (is_escape) ++i;
    if (ends) begin = i + 1;
  }
  return std::max<std::uint64_t>(longest, bytes.size() - begin);
}

std::uint64_t longest_run_of(const RowContext& c) {
  std::uint64_t longest = 0;
  for (const records::Piece& piece : c.sample.pieces) {
    longest = std::max(longest, longest_run(piece.text));
  }
  return longest;
}

void check_size(const RowContext& c, RowFindings& findings) {
  const RuleOptions& options = findings.options();
  std::uint64_t bytes = c.row.raw.size();
  if (bytes < std::min(options.huge_record_bytes, options.long_run_bytes)) {
    return;
  }
  const bool is_huge = bytes > options.huge_record_bytes;
  const std::uint64_t run = longest_run_of(c);
  const auto describe = [&](Finding& finding) {
    finding.figures = {count_figure("record_bytes", bytes),
                       count_figure("row_tokens", c.facts.tokens),
                       count_figure("longest_run_without_space_bytes", run)};
  };
  if (is_huge) {
    if (Finding* finding = findings.found(RuleId::kHugeRecord)) {
      finding->message = fmt::format(
          "a record of {} bytes, {} tokens; common loaders parse in blocks of "
          "{} bytes",
          bytes, c.facts.tokens, options.huge_record_bytes);
      describe(*finding);
    }
  }
  if (run > options.long_run_bytes) {
    if (Finding* finding = findings.found(RuleId::kLongRun)) {
      finding->message = fmt::format(
          "{} bytes without white space in a record of {} bytes", run, bytes);
      describe(*finding);
    }
  }
}

}  // namespace

void check_values(const RowContext& c, RowFindings& findings) {
  const Value* surrogate = nullptr;
  const Value* duplicate = nullptr;
  for (const Value& value : c.row.values) {
    if (value.lone_surrogate && surrogate == nullptr) surrogate = &value;
    if (value.duplicate_keys && duplicate == nullptr) duplicate = &value;
  }
  if (surrogate != nullptr) {
    if (Finding* finding = findings.found(RuleId::kLoneSurrogate)) {
      const std::string unit = surrogate->is(ValueKind::kText)
                                   ? lone_surrogate_in(surrogate->text().bytes)
                                   : std::string();
      finding->pointer = pointer_of(c.row, *surrogate);
      finding->message = fmt::format(
          "escaped surrogate {} without its other half; Python's json takes "
          "it, and fails when the text is encoded",
          unit);
      finding->figures = {{"code_unit", unit}};
    }
  }
  if (duplicate != nullptr) {
    if (Finding* finding = findings.found(RuleId::kDuplicateKey)) {
      finding->pointer = pointer_of(c.row, *duplicate);
      finding->message = "a member name stands twice; the last one counts";
    }
  }
  check_size(c, findings);
}

}  // namespace trainsight::rules
