#include "fix_command.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>

#include "fixer.h"
#include "output.h"
#include "progress.h"
#include "trainsight/io/atomic_file.h"
#include "trainsight/io/open_source.h"
#include "trainsight/io/spool.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/scan/read_whole.h"
#include "trainsight/text/json_text.h"

namespace trainsight::cli {
namespace {

// The same bytes for a reader, which wants a source of its own.
class Borrowed final : public io::ByteSource {
 public:
  explicit Borrowed(io::ByteSource& source) : source_(source) {}
  [[nodiscard]] const std::string& name() const override {
    return source_.name();
  }
  [[nodiscard]] bool is_mapped() const override { return source_.is_mapped(); }
  [[nodiscard]] std::uint64_t size() const override { return source_.size(); }
  [[nodiscard]] std::string_view view(std::uint64_t offset,
                                      std::uint64_t length) const override {
    return source_.view(offset, length);
  }
  Result<std::size_t> read(std::span<char> buffer) override {
    return source_.read(buffer);
  }
  void release(std::uint64_t begin, std::uint64_t end) const override {
    source_.release(begin, end);
  }
  [[nodiscard]] Status check() const override { return source_.check(); }

 private:
  io::ByteSource& source_;
};

// Where the copy goes: a file that is complete or as it was before, or
// standard output, in large pieces.
class Output {
 public:
  static Result<Output> open(const std::string& path) {
    Output output;
    if (path == "-") return output;
    auto file = io::AtomicFile::open(path);
    if (!file) return file.error();
    output.file_ = std::make_unique<io::AtomicFile>(*std::move(file));
    return output;
  }
  Status write(std::string_view bytes) {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    if (file_ != nullptr) return file_->write(bytes);
    gathered_.append(bytes);
    return gathered_.size() < kPieceBytes ? Status() : flush();
  }
  Status commit() { return file_ != nullptr ? file_->commit() : flush(); }

 private:
  Status flush() {
    Status status = write_stdout(gathered_);
    gathered_.clear();
    return status;
  }

  std::unique_ptr<io::AtomicFile> file_;
  std::string gathered_;
};

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first = {};
  struct stat second = {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// The file as bytes that can be looked at twice: what comes through a pipe or
// is compressed is put into a temporary file first, where the output goes.
Result<std::unique_ptr<io::ByteSource>> open_input(const FixArgs& args) {
  auto opened = io::open_source(args.in);
  if (!opened) return opened.error();
  auto source = scan::decompressed(*std::move(opened));
  if (!source || (*source)->is_mapped()) return source;
  std::error_code ignored;
  const std::string folder =
      args.out == "-" ? std::filesystem::temp_directory_path(ignored).string()
                      : folder_of(args.out);
  return io::spool(**source, folder);
}

std::string report_of(const FixArgs& args, const Fixer& fixer) {
  if (args.format == "json") {
    std::string json = "{\"in\":\"";
    text::append_json_escaped(args.in, json);
    json += "\",\"out\":\"";
    text::append_json_escaped(args.out, json);
    json += fmt::format("\",\"records\":{},\"changes\":{}}}\n", fixer.written(),
                        fixer.changes().json());
    return json;
  }
  std::string report = fmt::format(
      "{} → {}: {} record{}\n{}", args.in, args.out, fixer.written(),
      fixer.written() == 1 ? "" : "s", fixer.changes().text());
  if (fixer.changes().count(Change::kLeft) > 0 && args.out != "-") {
    report +=
        "  trainsight validate --dataset tells what is wrong with those left\n";
  }
  return report;
}

// Reads, repairs and writes; the report, once the copy is in place.
Result<std::string> fix(const FixArgs& args) {
  if (is_same_file(args.in == "-" ? "/dev/stdin" : args.in,
                   args.out == "-" ? "/dev/stdout" : args.out)) {
    return Error{ErrorKind::kUsage, "the output is the input",
                 "nothing is edited in place: give another -o"};
  }
  auto source = open_input(args);
  if (!source) return source.error();
  auto reader = scan::open_reader(std::make_unique<Borrowed>(**source), {});
  if (!reader) return reader.error();
  const std::string_view format = (*reader)->format();
  if (format != "jsonl" && format != "json") {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("{} is {}: only JSON and JSON Lines files are "
                             "repaired",
                             args.in, format),
                 "convert it first"};
  }
  auto out = Output::open(args.out);
  if (!out) return out.error();
  auto scratch = scan::make_scratch();
  const io::ByteSource& bytes = **source;
  Fixer fixer(
      [&bytes](std::uint64_t offset, std::uint64_t length) {
        return bytes.view(offset, length);
      },
      [&out](std::string_view piece) { return out->write(piece); },
      {args.drop_duplicates, format == "json"});
  while (true) {
    if (interrupted()) return Error{ErrorKind::kInterrupted, "interrupted", ""};
    auto batch = (*reader)->next();
    if (!batch) return batch.error();
    if (*batch == nullptr) break;
    auto facts = (*batch)->decode(*scratch, fixer);
    if (!facts) return facts.error();
    fixer.end_of_batch(*facts);
    if (!fixer.status()) {
      const Error& error = fixer.status().error();
      return error.kind == ErrorKind::kCorrupt ? error.with_context(args.in)
                                               : error;
    }
  }
  fixer.end_of_file((*reader)->notes());
  if (Status status = bytes.check(); !status) return status.error();
  if (Status status = out->commit(); !status) return status.error();
  return report_of(args, fixer);
}

}  // namespace

CLI::App* add_fix(CLI::App& app, FixArgs& args) {
  CLI::App* command = app.add_subcommand(
      "fix", "Write a copy with the mechanical faults repaired");
  command
      ->add_option(
          "in", args.in,
          "A JSON or JSON Lines file, perhaps compressed; - is standard "
          "input")
      ->type_name("IN")
      ->required();
  command
      ->add_option(
          "-o,--out", args.out,
          "Where the copy goes, as JSON Lines; - is standard output, and "
          "the report goes to stderr")
      ->type_name("OUT")
      ->required();
  command->add_flag("--drop-duplicates", args.drop_duplicates,
                    "Leave out records that repeat an earlier one exactly");
  command->add_option("--format", args.format, "text or json [text]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  command->footer(
      "Repairs byte order marks, blank lines, CR LF, several objects or an\n"
      "array on a line, commas after records, arrays and pretty-printed\n"
      "objects, message lists held as strings. Values stay as they are, byte\n"
      "for byte; records that cannot be repaired safely are copied. --format\n"
      "json lists the lines of every change.\n"
      "Examples:\n"
      "  trainsight fix train.json -o train.jsonl --drop-duplicates\n"
      "  zcat dump.gz | trainsight fix - -o - > train.jsonl");
  return command;
}

ExitCode run_fix(const FixArgs& given) {
  FixArgs args = given;
  if (args.out == "/dev/stdout") args.out = "-";
  auto report = fix(args);
  if (!report) return fail(report.error());
  if (args.out == "-") {
    write_stderr(*report);
    return ExitCode::kPass;
  }
  Status status = write_stdout(*report);
  return status ? ExitCode::kPass : fail(status.error());
}

}  // namespace trainsight::cli
