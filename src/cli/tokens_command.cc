#include "tokens_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "open_tokenizer.h"
#include "output.h"
#include "trainsight/io/open_source.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/scan/read_whole.h"
#include "trainsight/text/json_text.h"

namespace trainsight::cli {
namespace {

// A text is counted whole; one that does not fit is for `profile`.
constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 30;
// Output is written in pieces of about this size.
constexpr std::size_t kFlushBytes = 1 << 20;

std::string ids_json(const std::vector<std::uint32_t>& ids) {
  return fmt::format("[{}]", fmt::join(ids, ","));
}

// Counts or encodes one text.
struct Counted {
  std::uint64_t tokens = 0;
  std::vector<std::uint32_t> ids;
};

Counted count_text(tokenize::TokenCounter& counter, std::string_view text,
                   bool with_ids) {
  Counted counted;
  if (with_ids) {
    counter.encode(text, counted.ids);
    counted.tokens = counted.ids.size();
  } else {
    counted.tokens = counter.count(text);
  }
  return counted;
}

// A line of output for each row: the field's text, counted.
class FieldCounter final : public scan::RowVisitor {
 public:
  FieldCounter(const std::string& path, const TokensArgs& args,
               tokenize::TokenCounter& counter)
      : args_(args), counter_(counter) {
    if (args.paths.size() == 1) return;
    start_ = "\"file\":\"";
    text::append_json_escaped(path, start_);
    start_ += "\",";
  }

  void row(const scan::RowView& row) override {
    const std::uint64_t line = line_base_ + row.line;
    const scan::Value* value = row.member(row.root(), args_.field);
    if (value == nullptr || !value->is(scan::ValueKind::kText)) {
      out_ += fmt::format("{{{}\"line\":{},\"tokens\":null}}\n", start_, line);
      ++missing_;
      return;
    }
    const Counted counted =
        count_text(counter_, text::as_utf8(value->text(), scratch_), args_.ids);
    out_ += fmt::format("{{{}\"line\":{},\"tokens\":{}", start_, line,
                        counted.tokens);
    if (args_.ids) out_ += ",\"ids\":" + ids_json(counted.ids);
    out_ += "}\n";
  }
  void bad_record(const scan::BadRecord& bad) override {
    ++bad_records_;
    out_ += fmt::format("{{{}\"line\":{},\"tokens\":null,\"error\":\"", start_,
                        line_base_ + bad.line);
    text::append_json_escaped(bad.message, out_);
    out_ += "\"}\n";
  }

  Status flush(std::size_t from) {
    if (out_.size() < from) return {};
    Status status = write_stdout(out_);
    out_.clear();
    return status;
  }
  void add_lines(std::uint64_t lines) { line_base_ += lines; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  [[nodiscard]] std::uint64_t bad_records() const { return bad_records_; }

 private:
  const TokensArgs& args_;
  tokenize::TokenCounter& counter_;
  std::string scratch_;
  std::string start_;  // of each object: the file's name, or nothing
  std::string out_;
  std::uint64_t line_base_ = 0;
  std::uint64_t missing_ = 0;
  std::uint64_t bad_records_ = 0;
};

Status count_rows(const std::string& path, const TokensArgs& args,
                  tokenize::TokenCounter& counter) {
  auto source = io::open_source(path);
  if (!source) return source.error();
  auto reader = scan::open_reader(*std::move(source), {});
  if (!reader) return reader.error();
  auto scratch = scan::make_scratch();
  FieldCounter visitor(path, args, counter);
  while (true) {
    auto batch = (*reader)->next();
    if (!batch) return batch.error();
    if (*batch == nullptr) break;
    auto facts = (*batch)->decode(*scratch, visitor);
    if (Status status = visitor.flush(kFlushBytes); !status) return status;
    if (!facts) return facts.error();
    visitor.add_lines(facts->lines);
  }
  if (Status status = visitor.flush(0); !status) return status;
  if (visitor.missing() > 0) {
    print_warning(fmt::format(
        "{}: {} no text \"{}\"", path,
        visitor.missing() == 1 ? std::string("1 row has")
                               : fmt::format("{} rows have", visitor.missing()),
        args.field));
  }
  if (visitor.bad_records() > 0) {
    return Error{ErrorKind::kCorrupt,
                 fmt::format("{}: {} record{} cannot be read", path,
                             visitor.bad_records(),
                             visitor.bad_records() == 1 ? "" : "s"),
                 "trainsight profile says what is wrong with them"};
  }
  return {};
}

Status count_file(const std::string& path, const TokensArgs& args,
                  tokenize::TokenCounter& counter) {
  auto source = io::open_source(path);
  if (!source) return source.error();
  auto text = scan::read_whole(*std::move(source), kMostTextBytes);
  if (!text) return text.error();
  const Counted counted = count_text(counter, *text, args.ids);
  std::string out;
  if (args.format == "json") {
    out = "{\"file\":\"";
    text::append_json_escaped(path, out);
    out += fmt::format("\",\"tokens\":{}", counted.tokens);
    if (args.ids) out += ",\"ids\":" + ids_json(counted.ids);
    out += "}\n";
  } else if (args.ids) {
    out = fmt::format("{}\n", fmt::join(counted.ids, " "));
  } else if (args.paths.size() > 1) {
    out = fmt::format("{:>12}  {}\n", counted.tokens, path);
  } else {
    out = fmt::format("{}\n", counted.tokens);
  }
  return write_stdout(out);
}

}  // namespace

CLI::App* add_tokens(CLI::App& app, TokensArgs& args) {
  CLI::App* command =
      app.add_subcommand("tokens", "Count the tokens of texts, exactly");
  command->add_option("paths", args.paths, "Files; - is standard input [-]")
      ->type_name("FILE");
  command
      ->add_option("--tokenizer", args.tokenizer,
                   "bytes, chars, o200k_base, a vocabulary file or folder, or "
                   "a model of the local Hugging Face cache [o200k_base]")
      ->type_name("NAME|PATH");
  command
      ->add_option("--field", args.field,
                   "Count this member of every row: a JSON line a row, with "
                   "the file's name when there are several")
      ->type_name("NAME");
  command->add_flag("--ids", args.ids, "Print the ids too");
  command->add_option("--format", args.format, "text or json [text]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  command->footer(
      "Examples:\n"
      "  echo 'Hello world' | trainsight tokens\n"
      "  trainsight tokens --tokenizer ./model/ --ids prompt.txt\n"
      "  trainsight tokens --field text --tokenizer Qwen/Qwen3-8B "
      "train.jsonl");
  return command;
}

ExitCode run_tokens(const TokensArgs& given, const Environment& environment) {
  TokensArgs args = given;
  if (args.paths.empty()) args.paths.push_back("-");
  auto tokenizer = open_tokenizer(args.tokenizer, environment);
  if (!tokenizer) return fail(tokenizer.error());
  if ((*tokenizer)->info().exactness == tokenize::Exactness::kEstimated) {
    print_warning("counts are estimates: this binary has no vocabulary");
  }
  const std::unique_ptr<tokenize::TokenCounter> counter =
      (*tokenizer)->make_counter();
  ExitCode code = ExitCode::kPass;
  for (const std::string& path : args.paths) {
    Status status = args.field.empty() ? count_file(path, args, *counter)
                                       : count_rows(path, args, *counter);
    if (!status) code = graver(code, fail(status.error()));
  }
  return code;
}

}  // namespace trainsight::cli
