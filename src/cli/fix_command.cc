#include "fix_command.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output.h"
#include "repair.h"
#include "trainsight/io/atomic_file.h"
#include "trainsight/io/open_source.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/text/json_text.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::cli {
namespace {

constexpr std::size_t kLinesShown = 5;

// What was done, or left, how often, and where first.
enum class Change : std::uint8_t {
  kByteOrderMark,
  kBlankLine,
  kCrLf,
  kLayout,
  kSplitLine,
  kDecodedMessages,
  kDuplicate,
  kLeft,
};
constexpr std::array<std::string_view, 8> kChangeNames = {
    "byte order marks removed",
    "blank lines removed",
    "CR LF line ends made LF",
    "records moved to a line of their own",
    "lines of several objects split",
    "message lists decoded from strings",
    "exact duplicates dropped",
    "records left as they are: no safe repair",
};

class Changes {
 public:
  void add(Change change, std::uint64_t line, std::uint64_t count = 1) {
    Entry& entry = entries_[static_cast<std::size_t>(change)];
    entry.count += count;
    if (line > 0 && entry.lines.size() < kLinesShown) {
      entry.lines.push_back(line);
    }
  }
  [[nodiscard]] std::uint64_t count(Change change) const {
    return entries_[static_cast<std::size_t>(change)].count;
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].count == 0) continue;
      out += fmt::format("  {:>9}  {}", entries_[i].count, kChangeNames[i]);
      if (!entries_[i].lines.empty()) {
        out += fmt::format(
            " (line {}{})", fmt::join(entries_[i].lines, ", "),
            entries_[i].count > entries_[i].lines.size() ? ", …" : "");
      }
      out += '\n';
    }
    return out.empty() ? "  nothing to repair\n" : out;
  }
  [[nodiscard]] std::string json() const {
    std::string out;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].count == 0) continue;
      if (!out.empty()) out += ',';
      out +=
          fmt::format("{{\"change\":\"{}\",\"count\":{},\"first_lines\":[{}]}}",
                      kChangeNames[i], entries_[i].count,
                      fmt::join(entries_[i].lines, ","));
    }
    return "[" + out + "]";
  }

 private:
  struct Entry {
    std::uint64_t count = 0;
    std::vector<std::uint64_t> lines;
  };
  std::array<Entry, kChangeNames.size()> entries_;
};

// Writes every record of the input, repaired where that is safe.
class Fixer final : public scan::RowVisitor {
 public:
  Fixer(const FixArgs& args, const io::ByteSource& source, io::AtomicFile& out)
      : args_(args), source_(source), out_(out) {}

  void row(const scan::RowView& row) override {
    const std::uint64_t line = line_base_ + row.line;
    if (args_.drop_duplicates && is_duplicate(row)) {
      changes_.add(Change::kDuplicate, line);
      return;
    }
    if (auto decoded = decode_messages(row)) {
      changes_.add(Change::kDecodedMessages, line);
      write(*decoded);
      return;
    }
    if (row.raw.find('\n') != std::string_view::npos) {
      changes_.add(Change::kLayout, line);
    }
    write(on_one_line(row.raw));
  }

  void bad_record(const scan::BadRecord& bad) override {
    const std::uint64_t line = line_base_ + bad.line;
    const std::string_view record = source_.view(bad.offset, bad.bytes);
    if (auto objects = split_objects(record)) {
      changes_.add(Change::kSplitLine, line);
      for (const std::string_view object : *objects) {
        write(on_one_line(object));
      }
      return;
    }
    // Not ours to judge: it stays, for people to look at.
    changes_.add(Change::kLeft, line);
    std::string_view kept = record;
    while (!kept.empty() && (kept.back() == '\n' || kept.back() == '\r')) {
      kept.remove_suffix(1);
    }
    write(kept);
  }

  void end_of_batch(const scan::BatchFacts& facts) {
    if (facts.blank_lines > 0) {
      changes_.add(Change::kBlankLine,
                   facts.first_blank_lines.empty()
                       ? 0
                       : line_base_ + facts.first_blank_lines.front(),
                   facts.blank_lines);
    }
    if (facts.crlf_lines > 0) {
      changes_.add(Change::kCrLf, 0, facts.crlf_lines);
    }
    line_base_ += facts.lines;
  }
  Changes& changes() { return changes_; }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void write(std::string_view line) {
    if (!status_) return;
    ++written_;
    status_ = out_.write(line);
    if (status_) status_ = out_.write("\n");
  }

  // The hash finds candidates; the bytes decide.
  bool is_duplicate(const scan::RowView& row) {
    auto& places = seen_[text::xxh64(row.raw)];
    for (const std::uint64_t offset : places) {
      if (source_.view(offset, row.raw.size()) == row.raw) return true;
    }
    places.push_back(row.offset);
    return false;
  }

  const FixArgs& args_;
  const io::ByteSource& source_;
  io::AtomicFile& out_;
  Status status_;
  Changes changes_;
  std::uint64_t line_base_ = 0;
  std::uint64_t written_ = 0;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> seen_;
};

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first = {};
  struct stat second = {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

Result<std::string> fix(const FixArgs& args) {
  if (args.in == "-" || is_same_file(args.in, args.out)) {
    return Error{ErrorKind::kUsage,
                 args.in == "-" ? "fix reads a file, not standard input"
                                : "the output is the input",
                 "nothing is edited in place: give another -o"};
  }
  // One view of the file for the reader, one to copy records from.
  auto source = io::open_source(args.in);
  if (!source) return source.error();
  auto copied = io::open_source(args.in);
  if (!copied) return copied.error();
  auto reader = scan::open_reader(*std::move(source), {});
  if (!reader) return reader.error();
  const std::string_view format = (*reader)->format();
  if (!(*copied)->is_mapped() || (format != "jsonl" && format != "json")) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("{} is {}: only plain JSON and JSON Lines files "
                             "are repaired",
                             args.in, format),
                 "decompress or convert it first"};
  }
  auto out = io::AtomicFile::open(args.out);
  if (!out) return out.error();
  auto scratch = scan::make_scratch();
  Fixer fixer(args, **copied, *out);
  while (true) {
    auto batch = (*reader)->next();
    if (!batch) return batch.error();
    if (*batch == nullptr) break;
    auto facts = (*batch)->decode(*scratch, fixer);
    if (!facts) return facts.error();
    fixer.end_of_batch(*facts);
    if (!fixer.status()) return fixer.status().error();
  }
  for (const scan::FileNote& note : (*reader)->notes()) {
    if (note.kind == scan::FileNote::Kind::kBom) {
      fixer.changes().add(Change::kByteOrderMark, note.line);
    }
  }
  if (Status status = (*copied)->check(); !status) return status.error();
  if (Status status = out->commit(); !status) return status.error();
  if (args.format == "json") {
    std::string json = "{\"in\":\"";
    text::append_json_escaped(args.in, json);
    json += "\",\"out\":\"";
    text::append_json_escaped(args.out, json);
    json += fmt::format("\",\"records\":{},\"changes\":{}}}\n", fixer.written(),
                        fixer.changes().json());
    return json;
  }
  return fmt::format("{} → {}: {} records\n{}", args.in, args.out,
                     fixer.written(), fixer.changes().text());
}

}  // namespace

CLI::App* add_fix(CLI::App& app, FixArgs& args) {
  CLI::App* command = app.add_subcommand(
      "fix", "Write a copy with the mechanical faults repaired");
  command->add_option("in", args.in, "A JSON or JSON Lines file")
      ->type_name("IN")
      ->required();
  command->add_option("-o,--out", args.out, "Where the copy goes (JSON Lines)")
      ->type_name("OUT")
      ->required();
  command->add_flag("--drop-duplicates", args.drop_duplicates,
                    "Leave out records that repeat an earlier one exactly");
  command->add_option("--format", args.format, "text or json [text]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  command->footer(
      "Repairs byte order marks, blank lines, CR LF, several objects on a\n"
      "line, arrays and pretty-printed objects, message lists held as "
      "strings.\n"
      "Records that cannot be repaired safely are copied as they are.\n"
      "Example:\n"
      "  trainsight fix train.json -o train.jsonl --drop-duplicates");
  return command;
}

ExitCode run_fix(const FixArgs& args) {
  auto text = fix(args);
  if (!text) return fail(text.error());
  Status status = write_stdout(*text);
  return status ? ExitCode::kPass : fail(status.error());
}

}  // namespace trainsight::cli
