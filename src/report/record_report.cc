#include "trainsight/report/record_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "layout.h"
#include "trainsight/text/utf8.h"

namespace trainsight::report {
namespace {

// Characters that move the cursor or turn text around: as in layout.cc.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E ||
         c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

// Text with control characters as escapes, so that nothing moves the cursor;
// line ends stay line ends after their escape.
std::string visible(std::string_view utf8) {
  std::string clean;
  text::append_repaired_utf8(utf8, clean);
  std::string out;
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t begin = at;
    const char32_t c = text::decode_utf8(clean, at);
    if (c == '\n') {
      out += "\\n\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (is_control(c)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      out.append(clean, begin, at - begin);
    }
  }
  return out;
}

// The text in lines behind a margin that says whether it is learnt; a line that
// is too wide goes on in the next one.
std::string margined(const std::string& text, bool trained,
                     const Style& style) {
  constexpr std::size_t kMargin = 4;
  const std::string margin = trained ? "  ┃ " : "  │ ";
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    std::size_t end = begin;
    std::size_t space = 0;  // just past the last one that fits
    for (std::size_t columns = kMargin; columns < kColumns && end < line_end;
         ++columns) {
      if (text::decode_utf8(text, end) == U' ') space = end;
    }
    // At a word's end, if there is one in the second half of the line.
    if (end < line_end && space > begin + (kColumns - kMargin) / 2) end = space;
    std::string line = text.substr(begin, end - begin);
    if (end < text.size()) {
      while (!line.empty() && line.back() == ' ') line.pop_back();
    } else if (!line.empty() && line.back() == ' ') {
      // A space at the text's end is a part of it.
      line.replace(line.size() - 1, 1, "␠");
    }
    out += (trained ? style.green(margin) + style.bold(line) : margin + line) +
           "\n";
    begin = end == line_end ? end + 1 : end;
  }
  return out;
}

std::string cut_line(const RecordView& record, const Style& style) {
  return style.yellow(fmt::format(
             "  ✂ max_seq_len {}: what stands {} is {}",
             grouped(record.max_seq_len.value_or(0)),
             record.overlong == "truncate_keep_end" ? "above" : "below",
             record.overlong == "split" ? "the next row" : "cut off")) +
         "\n";
}

// What becomes of a sequence that is too long, where no place shows it.
std::string fate_of(const RecordView& record) {
  if (record.overlong == "drop") return "the row is left out";
  if (record.overlong == "error") return "the run stops";
  if (record.overlong == "keep") return "nothing cuts it: filter it yourself";
  if (record.overlong == "truncate_proportional") {
    return "prompt and answer are both shortened, by their share";
  }
  return "";
}

std::string sequence_report(const RecordView& record,
                            const RecordSequence& sequence,
                            const Style& style) {
  std::string out = fmt::format(
      "\n{}  {}, {} of them learnt\n", style.bold(sequence.name),
      counted(sequence.tokens, "token"), grouped(sequence.trained_tokens));
  const bool is_over =
      record.max_seq_len.has_value() && sequence.tokens > *record.max_seq_len;
  if (const std::string fate = fate_of(record); is_over && !fate.empty()) {
    out += style.yellow("  ✂ " +
                        wrapped(fmt::format("longer than max_seq_len {}: {}",
                                            grouped(*record.max_seq_len), fate),
                                4)) +
           "\n";
  }
  for (std::size_t i = 0; i < sequence.spans.size(); ++i) {
    const RecordSpan& span = sequence.spans[i];
    const bool is_cut = sequence.cut.has_value() && sequence.cut->span == i;
    if (is_cut && sequence.cut->byte == 0) out += cut_line(record, style);
    out += style.dim(fmt::format("  {} {}", padded_right(span.label, 12),
                                 counted(span.tokens, "token"))) +
           (span.trained ? style.green("  learnt") : "") + "\n";
    const std::size_t kept =
        is_cut ? std::min(sequence.cut->byte, span.text.size())
               : span.text.size();
    out += margined(visible(span.text.substr(0, kept)), span.trained, style);
    if (is_cut && sequence.cut->byte > 0) {
      out += cut_line(record, style);
      out += margined(visible(span.text.substr(kept)), span.trained, style);
    }
  }
  return out;
}

}  // namespace

std::string record_report(const RecordView& record,
                          const TextOptions& options) {
  const Style style(options.color);
  std::string out =
      style.bold(shortened(record.place, 50)) +
      (record.type == "unknown"
           ? std::string("  no known shape\n")
           : fmt::format("  {}: {}\n", record.type, record.schema));
  out +=
      style.dim(fmt::format(
          "  tokenizer {}, chat template {}{}", shortened(record.tokenizer, 30),
          shortened(record.chat_template, 20),
          record.target.empty() ? "" : ", target " + record.target)) +
      "\n";
  if (!record.refusal.empty()) {
    out += style.red("  " + wrapped("the chat template rejects it: " +
                                        shortened(record.refusal, 400),
                                    2)) +
           "\n";
  }
  for (const std::string& note : record.notes) {
    out += style.yellow("  " + wrapped(note, 2)) + "\n";
  }
  for (const RecordSequence& sequence : record.sequences) {
    out += sequence_report(record, sequence, style);
  }
  return out;
}

std::string safe_text(std::string_view text) {
  return shortened(text, text.size() + 1);
}

std::string record_json(const RecordView& record) {
  using Json = nlohmann::ordered_json;
  Json j = Json::object();
  j["place"] = record.place;
  j["type"] = record.type;
  j["schema"] = record.schema;
  j["tokenizer"] = record.tokenizer;
  j["chat_template"] = record.chat_template;
  if (!record.refusal.empty()) j["refusal"] = record.refusal;
  if (!record.target.empty()) j["target"] = record.target;
  if (record.max_seq_len.has_value()) {
    j["max_seq_len"] = *record.max_seq_len;
    j["overlong"] = record.overlong;
  }
  if (!record.notes.empty()) j["notes"] = record.notes;
  j["sequences"] = Json::array();
  for (const RecordSequence& sequence : record.sequences) {
    Json s = Json::object();
    s["name"] = sequence.name;
    s["tokens"] = sequence.tokens;
    s["trained_tokens"] = sequence.trained_tokens;
    if (sequence.cut.has_value()) {
      s["cut"] = {{"span", sequence.cut->span}, {"byte", sequence.cut->byte}};
    }
    s["spans"] = Json::array();
    for (const RecordSpan& span : sequence.spans) {
      s["spans"].push_back({{"label", span.label},
                            {"trained", span.trained},
                            {"tokens", span.tokens},
                            {"text", span.text}});
    }
    j["sequences"].push_back(std::move(s));
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trainsight::report
