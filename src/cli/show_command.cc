#include "show_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <utility>

#include "output.h"
#include "trainsight/chat/chat_template.h"
#include "trainsight/facts/measure_rendered.h"
#include "trainsight/io/open_source.h"
#include "trainsight/records/extract.h"
#include "trainsight/records/schema_table.h"
#include "trainsight/report/record_report.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/text/json_text.h"

namespace trainsight::cli {
namespace {

using records::Message;
using records::Sample;
using records::SampleType;
using records::Side;

// Makes the view of one record.
class Shower {
 public:
  explicit Shower(const ScanSettings& settings)
      : settings_(settings),
        counter_(settings.tokenizer->make_counter()),
        prefixes_(*settings.tokenizer, *counter_) {}

  report::RecordView show(const scan::RowView& row, const Sample& sample);

 private:
  report::RecordSequence of_pieces(const Sample& sample, Side side);
  report::RecordSequence of_rendered(const Sample& sample,
                                     const std::vector<Message>& messages);
  bool rendered_sequences(const scan::RowView& row, const Sample& sample,
                          report::RecordView& view);

  const ScanSettings& settings_;
  std::unique_ptr<tokenize::TokenCounter> counter_;
  facts::PrefixCounter prefixes_;
  chat::Rendered rendered_;
};

report::RecordSequence Shower::of_pieces(const Sample& sample, Side side) {
  report::RecordSequence sequence;
  std::string scratch;
  for (const records::Piece& piece : sample.pieces) {
    if (piece.side != Side::kBoth && piece.side != side) continue;
    report::RecordSpan span;
    span.text = text::as_utf8(piece.text, scratch);
    span.label = records::name_of(piece.field);
    span.trained = piece.trained;
    span.tokens = counter_->count(span.text);
    sequence.tokens += span.tokens;
    if (span.trained) sequence.trained_tokens += span.tokens;
    sequence.spans.push_back(std::move(span));
  }
  return sequence;
}

report::RecordSequence Shower::of_rendered(
    const Sample& sample, const std::vector<Message>& messages) {
  report::RecordSequence sequence;
  std::vector<std::uint64_t> ends;
  for (const chat::Span& span : rendered_.spans) ends.push_back(span.end);
  if (ends.empty()) return sequence;
  std::vector<std::uint64_t> tokens;
  prefixes_.count(rendered_.text, ends, tokens);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < rendered_.spans.size(); ++i) {
    const chat::Span& from = rendered_.spans[i];
    report::RecordSpan span;
    span.text = rendered_.text.substr(from.begin, from.end - from.begin);
    const auto message = static_cast<std::size_t>(from.message);
    span.label = from.kind == chat::SpanKind::kContent && from.message >= 0 &&
                         message < messages.size()
                     ? std::string(messages[message].role_name)
                     : "template";
    span.trained = from.trained && sample.type != SampleType::kGrpo;
    const std::uint64_t here = std::max(before, tokens[i]);
    span.tokens = here - before;
    if (span.trained) sequence.trained_tokens += span.tokens;
    before = here;
    sequence.spans.push_back(std::move(span));
  }
  sequence.tokens = before;
  return sequence;
}

bool Shower::rendered_sequences(const scan::RowView& row, const Sample& sample,
                                report::RecordView& view) {
  if (settings_.chat_template == nullptr || sample.messages.empty()) {
    return false;
  }
  const auto renderer = settings_.chat_template->chat_template->make_renderer();
  const bool pairs = sample.type == SampleType::kDpo;
  const std::vector<Side> sides =
      pairs ? std::vector<Side>{Side::kChosen, Side::kRejected}
            : std::vector<Side>{Side::kBoth};
  for (const Side side : sides) {
    std::vector<Message> messages;
    for (const Message& message : sample.messages) {
      if (!pairs || message.side == Side::kBoth || message.side == side) {
        messages.push_back(message);
      }
    }
    chat::Conversation conversation = chat::Conversation::of(row, sample);
    conversation.messages = messages;
    chat::RenderOptions options;
    options.add_generation_prompt =
        sample.type == SampleType::kGrpo || sample.ends_with_user;
    options.mask = true;
    if (Status status = renderer->render(conversation, options, rendered_);
        !status) {
      view.refusal = status.error().message;
      view.sequences.clear();
      return false;
    }
    view.sequences.push_back(of_rendered(sample, messages));
    view.sequences.back().name = side == Side::kChosen     ? "chosen"
                                 : side == Side::kRejected ? "rejected"
                                                           : "sequence";
  }
  return true;
}

report::RecordView Shower::show(const scan::RowView& row,
                                const Sample& sample) {
  report::RecordView view;
  view.type = records::name_of(sample.type);
  view.schema =
      sample.schema < 0
          ? std::string("unknown shape")
          : std::string(
                records::schemas()[static_cast<std::size_t>(sample.schema)]
                    .name);
  view.tokenizer = settings_.tokenizer->info().name;
  view.chat_template = settings_.dataset.chat_template->name;
  view.max_seq_len = settings_.training.max_seq_len;
  if (rendered_sequences(row, sample, view)) return view;
  if (sample.type == SampleType::kDpo) {
    view.sequences.push_back(of_pieces(sample, Side::kChosen));
    view.sequences.back().name = "chosen";
    view.sequences.push_back(of_pieces(sample, Side::kRejected));
    view.sequences.back().name = "rejected";
  } else {
    view.sequences.push_back(of_pieces(sample, Side::kBoth));
    view.sequences.back().name = "sequence";
  }
  return view;
}

// Finds the row that begins at a line, or holds it.
class RowAt final : public scan::RowVisitor {
 public:
  RowAt(std::uint64_t line, const ScanSettings& settings)
      : line_(line),
        extractor_(settings.scan.columns, settings.scan.stated_type),
        shower_(settings) {}

  void row(const scan::RowView& row) override {
    if (line_base_ + row.line != line_) return;
    extractor_.extract(row, sample_);
    view_ = shower_.show(row, sample_);
  }
  void bad_record(const scan::BadRecord& bad) override {
    if (line_base_ + bad.line == line_) bad_ = bad.message;
  }
  void add_lines(std::uint64_t lines) { line_base_ += lines; }
  [[nodiscard]] bool passed() const { return line_base_ >= line_; }
  [[nodiscard]] const std::optional<report::RecordView>& view() const {
    return view_;
  }
  [[nodiscard]] const std::string& bad() const { return bad_; }

 private:
  std::uint64_t line_;
  std::uint64_t line_base_ = 0;
  records::Extractor extractor_;
  Sample sample_;
  Shower shower_;
  std::optional<report::RecordView> view_;
  std::string bad_;
};

Result<report::RecordView> find_record(const std::string& path,
                                       std::uint64_t line,
                                       const ScanSettings& settings) {
  auto source = io::open_source(path);
  if (!source) return source.error();
  auto reader = scan::open_reader(*std::move(source), settings.scan.read);
  if (!reader) return reader.error();
  auto scratch = scan::make_scratch();
  RowAt visitor(line, settings);
  while (!visitor.view().has_value() && visitor.bad().empty() &&
         !visitor.passed()) {
    auto batch = (*reader)->next();
    if (!batch) return batch.error();
    if (*batch == nullptr) break;
    auto facts = (*batch)->decode(*scratch, visitor);
    if (!facts) return facts.error();
    visitor.add_lines(facts->lines);
  }
  if (visitor.view().has_value()) return *visitor.view();
  if (!visitor.bad().empty()) {
    return Error{ErrorKind::kCorrupt,
                 fmt::format("{}:{}: {}", path, line, visitor.bad()), ""};
  }
  return Error{ErrorKind::kNotFound,
               fmt::format("no record begins at {}:{}", path, line),
               "a record that spans lines is named by its first"};
}

}  // namespace

Result<std::pair<std::string, std::uint64_t>> parse_place(
    const std::string& place) {
  const std::size_t colon = place.rfind(':');
  std::uint64_t line = 0;
  const bool has_line = colon != std::string::npos && colon > 0 &&
                        std::from_chars(place.data() + colon + 1,
                                        place.data() + place.size(), line)
                                .ptr == place.data() + place.size();
  if (!has_line || line == 0) {
    return Error{ErrorKind::kUsage, "\"" + place + "\" names no line",
                 "write FILE:LINE, as in train.jsonl:12"};
  }
  return std::pair(place.substr(0, colon), line);
}

CLI::App* add_show(CLI::App& app, ShowArgs& args) {
  CLI::App* command = app.add_subcommand(
      "show",
      "One record as the trainer sees it: text, tokens, what is learnt");
  command->add_option("place", args.place, "FILE:LINE of the record")
      ->type_name("FILE:LINE")
      ->required();
  add_measure_options(*command, args.scan);
  add_output_options(*command, args.output, {"text", "json"});
  command->footer(
      "Examples:\n"
      "  trainsight show train.jsonl:12\n"
      "  trainsight show train.jsonl:12 --tokenizer ./model "
      "--max-seq-len 512");
  return command;
}

ExitCode run_show(const ShowArgs& args, const Environment& environment) {
  auto place = parse_place(args.place);
  if (!place) return fail(place.error());
  ScanArgs scan = args.scan;
  scan.paths = {place->first};
  auto settings = resolve(scan, environment);
  if (!settings) return fail(settings.error());
  auto view = find_record(place->first, place->second, *settings);
  if (!view) return fail(view.error());
  view->place = args.place;
  Status status = write_stdout(
      args.output.format == "json"
          ? report::record_json(*view)
          : report::record_report(*view, report::TextOptions{use_color(
                                             args.output.color, environment)}));
  return status ? ExitCode::kPass : fail(status.error());
}

}  // namespace trainsight::cli
