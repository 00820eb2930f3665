#include "trainsight/scan/format_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scan/arrow_reader.h"
#include "scan/compressed_reader.h"
#include "scan/csv_reader.h"
#include "scan/head_source.h"
#include "scan/json_document_reader.h"
#include "scan/jsonl_reader.h"
#include "scan/megatron_reader.h"
#include "scan/parquet_reader.h"
#include "scan/text_lines_reader.h"
#include "scan/wrong_kind.h"

namespace trainsight::scan {
namespace {

constexpr std::array<std::string_view, 2> kJsonlNames = {".jsonl", ".ndjson"};
constexpr std::array<std::string_view, 1> kJsonNames = {".json"};
constexpr std::array<std::string_view, 1> kCsvNames = {".csv"};
constexpr std::array<std::string_view, 2> kTsvNames = {".tsv", ".tab"};
constexpr std::array<std::string_view, 2> kTextNames = {".txt", ".text"};
constexpr std::array<std::string_view, 1> kParquetNames = {".parquet"};
constexpr std::array<std::string_view, 3> kArrowNames = {".arrow", ".arrows",
                                                         ".feather"};
constexpr std::array<std::string_view, 1> kMegatronNames = {".idx"};
constexpr std::array<std::string_view, 6> kGzipNames = {
    ".jsonl.gz", ".ndjson.gz", ".json.gz", ".csv.gz", ".tsv.gz", ".txt.gz"};
constexpr std::array<std::string_view, 7> kZstdNames = {
    ".jsonl.zst", ".jsonl.zstd", ".ndjson.zst", ".json.zst",
    ".csv.zst",   ".tsv.zst",    ".txt.zst"};

constexpr std::array<Format, 11> kFormats = {{
    {"jsonl", kJsonlNames, sniff_jsonl, open_jsonl},
    {"json", kJsonNames, sniff_json_document, open_json_document},
    {"csv", kCsvNames, sniff_csv, open_csv},
    {"tsv", kTsvNames, sniff_tsv, open_tsv},
    {"text", kTextNames, sniff_text_lines, open_text_lines},
    {"parquet", kParquetNames, sniff_parquet, open_parquet},
    {"arrow", kArrowNames, sniff_arrow, open_arrow},
    {"megatron", kMegatronNames, sniff_megatron, open_megatron},
    {"gzip", kGzipNames, sniff_gzip, open_gzip},
    {"zstd", kZstdNames, sniff_zstd, open_zstd},
    {"unsupported", {}, sniff_wrong_kind, open_wrong_kind},
}};

// What compression appends to a name.
constexpr std::array<std::string_view, 3> kCompressed = {".gz", ".zst",
                                                         ".zstd"};

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool ends_with(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  name.remove_prefix(name.size() - ending.size());
  return std::equal(name.begin(), name.end(), ending.begin(),
                    [](char a, char b) { return to_lower(a) == to_lower(b); });
}

}  // namespace

std::span<const Format> format_table() { return kFormats; }

bool has_extension(std::string_view name, std::string_view extension) {
  for (const std::string_view compressed : kCompressed) {
    if (ends_with(name, compressed) && !ends_with(extension, compressed)) {
      name.remove_suffix(compressed.size());
    }
  }
  return ends_with(name, extension);
}

const Format* sniff_format(const FileHead& head) {
  const Format* best = nullptr;
  Likeness best_likeness = Likeness::kNo;
  for (const Format& format : kFormats) {
    const Likeness likeness = format.sniff(head);
    if (likeness > best_likeness) {
      best = &format;
      best_likeness = likeness;
    }
  }
  return best;
}

Result<std::unique_ptr<Reader>> open_reader(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  Result<HeadAndSource> read = read_head(std::move(source));
  if (!read) return read.error();
  const std::string name = read->source->name();
  const bool is_blank =
      read->is_whole &&
      read->head.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
  if (is_blank) return open_jsonl(std::move(read->source), options);
  const Format* const format = sniff_format({read->head, name, read->is_whole});
  if (format == nullptr) {
    return Error{
        ErrorKind::kUnsupported,
        fmt::format("cannot read {}: its content is of no known format", name),
        ""};
  }
  return format->open(std::move(read->source), options);
}

std::vector<std::string_view> data_extensions() {
  std::vector<std::string_view> all;
  for (const Format& format : kFormats) {
    all.insert(all.end(), format.extensions.begin(), format.extensions.end());
  }
  return all;
}

}  // namespace trainsight::scan
