#include "show_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

#include "output.h"
#include "record_shower.h"
#include "trainsight/io/open_source.h"
#include "trainsight/records/extract.h"
#include "trainsight/report/record_report.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/scan/read_whole.h"

namespace trainsight::cli {
namespace {

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
    if (line_base_ + bad.line == line_ && !bad_.has_value()) bad_ = bad;
  }
  void add_lines(std::uint64_t lines) { line_base_ += lines; }
  [[nodiscard]] bool passed() const { return line_base_ >= line_; }
  [[nodiscard]] const std::optional<report::RecordView>& view() const {
    return view_;
  }
  [[nodiscard]] const std::optional<scan::BadRecord>& bad() const {
    return bad_;
  }
  [[nodiscard]] std::uint64_t lines() const { return line_base_; }

 private:
  std::uint64_t line_;
  std::uint64_t line_base_ = 0;
  records::Extractor extractor_;
  records::Sample sample_;
  RecordShower shower_;
  std::optional<report::RecordView> view_;
  std::optional<scan::BadRecord> bad_;
};

// The bytes around a fault, with a mark before it; empty where the file cannot
// be looked at again.
std::string excerpt_of(const std::string& path, const scan::BadRecord& bad) {
  constexpr std::uint64_t kAround = 32;
  auto opened = io::open_source(path);
  if (!opened) return "";
  auto source = scan::decompressed(*std::move(opened));
  if (!source || !(*source)->is_mapped() || bad.byte > bad.bytes) return "";
  const std::uint64_t before = std::min(bad.byte, kAround);
  const std::uint64_t after = std::min(bad.bytes - bad.byte, kAround);
  std::string text;
  if (before < bad.byte) text += "…";
  text += (*source)->view(bad.offset + bad.byte - before, before);
  text += "▸";
  text += (*source)->view(bad.offset + bad.byte, after);
  if (bad.byte + after < bad.bytes) text += "…";
  return text;
}

Result<report::RecordView> find_record(const std::string& path,
                                       std::uint64_t line,
                                       const ScanSettings& settings) {
  auto source = io::open_source(path);
  if (!source) return source.error();
  auto reader = scan::open_reader(*std::move(source), settings.scan.read);
  if (!reader) return reader.error();
  auto scratch = scan::make_scratch();
  RowAt visitor(line, settings);
  while (!visitor.view().has_value() && !visitor.bad().has_value() &&
         !visitor.passed()) {
    auto batch = (*reader)->next();
    if (!batch) return batch.error();
    if (*batch == nullptr) break;
    auto facts = (*batch)->decode(*scratch, visitor);
    if (!facts) return facts.error();
    visitor.add_lines(facts->lines);
  }
  if (visitor.view().has_value()) return *visitor.view();
  if (visitor.bad().has_value()) {
    const scan::BadRecord& bad = *visitor.bad();
    const std::string excerpt = excerpt_of(path, bad);
    return Error{
        ErrorKind::kCorrupt, fmt::format("{}:{}: {}", path, line, bad.message),
        excerpt.empty() ? fmt::format("byte {} of the record", bad.byte)
                        : fmt::format("byte {} of the record, at the mark: {}",
                                      bad.byte, report::safe_text(excerpt))};
  }
  if (!visitor.passed()) {
    return Error{ErrorKind::kNotFound,
                 fmt::format("{} has no line {}: it ends with line {}", path,
                             line, visitor.lines()),
                 ""};
  }
  return Error{ErrorKind::kNotFound,
               fmt::format("no record begins at {}:{}", path, line),
               "the line is blank, or inside a record, which is named by its "
               "first line"};
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
  command
      ->add_option("--overlong", args.scan.overlong,
                   "What happens to longer ones: truncate, drop, split, error "
                   "[truncate]")
      ->type_name("POLICY")
      ->group("Training");
  command
      ->add_option("--target", args.scan.rules.target,
                   "Trainer whose rules hold: what it learns, its limit, what "
                   "it does with longer rows")
      ->type_name("NAME")
      ->group("Training");
  add_output_options(*command, args.output, {"text", "json"});
  command->footer(
      "Examples:\n"
      "  trainsight show train.jsonl:12\n"
      "  trainsight show train.jsonl:12 --tokenizer ./model "
      "--max-seq-len 512\n"
      "  trainsight show train.jsonl:12 --target trl");
  return command;
}

ExitCode run_show(const ShowArgs& args, const Environment& environment) {
  auto place = parse_place(args.place);
  if (!place) return fail(place.error());
  ScanArgs scan = args.scan;
  scan.paths = {place->first};
  if (scan.rules.target == "all") {
    return fail(Error{ErrorKind::kUsage, "show takes one target", ""});
  }
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
