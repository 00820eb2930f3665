#include "trainsight/report/record_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "layout.h"
#include "trainsight/text/utf8.h"

namespace trainsight::report {
namespace {

// Text with control characters as escapes, so that nothing moves the cursor;
// line ends stay line ends after their escape.
std::string visible(std::string_view utf8) {
  std::string clean;
  text::append_repaired_utf8(utf8, clean);
  std::string out;
  for (const char c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

// The text in lines behind a margin that says whether it is learnt.
std::string margined(const std::string& text, bool trained,
                     const Style& style) {
  const std::string margin = trained ? "  ┃ " : "  │ ";
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    out += (trained ? style.green(margin) + style.bold(line) : margin + line) +
           "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string record_report(const RecordView& record,
                          const TextOptions& options) {
  const Style style(options.color);
  std::string out = style.bold(record.place) +
                    fmt::format("  {}: {}\n", record.type, record.schema);
  out += style.dim(fmt::format("  tokenizer {}, chat template {}",
                               shortened(record.tokenizer, 36),
                               record.chat_template)) +
         "\n";
  if (!record.refusal.empty()) {
    out += style.red("  the chat template rejects it: ") +
           wrapped(record.refusal, 32) + "\n";
  }
  for (const RecordSequence& sequence : record.sequences) {
    out += fmt::format(
        "\n{}  {}, {} of them learnt\n", style.bold(sequence.name),
        counted(sequence.tokens, "token"), grouped(sequence.trained_tokens));
    std::uint64_t before = 0;
    bool cut = false;
    for (const RecordSpan& span : sequence.spans) {
      const std::uint64_t after = before + span.tokens;
      if (record.max_seq_len.has_value() && !cut &&
          after > *record.max_seq_len) {
        cut = true;
        out += style.yellow(fmt::format(
                   "  ✂ max_seq_len {} cuts in the next part, after {} of its "
                   "tokens",
                   *record.max_seq_len, *record.max_seq_len - before)) +
               "\n";
      }
      out += style.dim(fmt::format("  {} {}", padded_right(span.label, 12),
                                   counted(span.tokens, "token"))) +
             (span.trained ? style.green("  learnt") : "") + "\n";
      out += margined(visible(span.text), span.trained, style);
      before = after;
    }
  }
  return out;
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
  if (record.max_seq_len.has_value()) j["max_seq_len"] = *record.max_seq_len;
  j["sequences"] = Json::array();
  for (const RecordSequence& sequence : record.sequences) {
    Json s = Json::object();
    s["name"] = sequence.name;
    s["tokens"] = sequence.tokens;
    s["trained_tokens"] = sequence.trained_tokens;
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
