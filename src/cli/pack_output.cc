#include "pack_output.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "trainsight/io/atomic_file.h"
#include "trainsight/io/files.h"
#include "trainsight/io/open_source.h"
#include "trainsight/scan/json_document.h"

namespace trainsight::cli {
namespace {

using batching::Assignment;
using batching::PackOptions;
using batching::Segment;

constexpr std::int64_t kIgnoredLabel = -100;
constexpr std::uint64_t kMostIndexBytes = std::uint64_t{64} << 30;

Error differs(const std::string& path, const std::string& what) {
  return Error{ErrorKind::kInternal,
               fmt::format("{} does not hold what was packed: {}", path, what),
               "please report it with the command line"};
}

// The ids of one row; nullopt when the row has none.
struct Ids {
  std::vector<std::int64_t> input_ids;
  std::vector<std::int64_t> labels;  // as many as ids
};

std::vector<std::int64_t> numbers_of(const scan::Value& value) {
  std::vector<std::int64_t> numbers;
  if (value.is(scan::ValueKind::kNumbers)) {
    numbers.reserve(value.count);
    scan::for_each_integer(
        value, [&numbers](std::int64_t n) { numbers.push_back(n); });
  }
  return numbers;
}

Result<std::optional<Ids>> ids_of(std::string_view row) {
  auto document = scan::JsonDocument::parse(row, "row");
  if (!document) return document.error();
  const scan::RowView& view = document->view();
  const scan::Value* ids = view.member(view.root(), "input_ids");
  if (ids == nullptr) return std::optional<Ids>();
  Ids result;
  result.input_ids = numbers_of(*ids);
  const scan::Value* labels = view.member(view.root(), "labels");
  result.labels = labels == nullptr ? result.input_ids : numbers_of(*labels);
  result.labels.resize(result.input_ids.size(), kIgnoredLabel);
  return std::optional<Ids>(std::move(result));
}

// Members of a pack of ids, as they are gathered.
struct JoinedIds {
  std::vector<std::int64_t> input_ids, labels;
  std::vector<std::uint32_t> position_ids, segment_ids;

  void add(const Ids& ids, const Segment& segment, std::uint32_t number) {
    for (std::uint32_t i = 0; i < segment.length; ++i) {
      const std::size_t at = segment.begin + i;
      if (at >= ids.input_ids.size()) break;
      input_ids.push_back(ids.input_ids[at]);
      labels.push_back(ids.labels[at]);
      position_ids.push_back(i);
      segment_ids.push_back(number);
    }
  }
  [[nodiscard]] std::string json() const {
    return fmt::format(
        "{{\"input_ids\":[{}],\"labels\":[{}],\"position_ids\":[{}],"
        "\"segment_ids\":[{}]}}",
        fmt::join(input_ids, ","), fmt::join(labels, ","),
        fmt::join(position_ids, ","), fmt::join(segment_ids, ","));
  }
};

// The line of pack `p`.
Result<std::string> pack_line(std::size_t p, const Assignment& assignment,
                              const PackOptions& options, const PackRows& rows,
                              RowBytes& bytes) {
  JoinedIds joined;
  std::string grouped;
  std::uint64_t tokens = 0;
  bool has_ids = false;
  std::uint32_t number = 0;
  for (std::uint64_t s = assignment.offsets[p]; s < assignment.offsets[p + 1];
       ++s) {
    const Segment segment =
        batching::segment_at(assignment, s, rows.lengths, options);
    const std::string_view line = bytes.line(rows.places[segment.row]);
    auto ids = ids_of(line);
    if (!ids) return ids.error();
    if (ids->has_value()) {
      has_ids = true;
      joined.add(**ids, segment, ++number);
      continue;
    }
    if (!assignment.begins.empty()) {
      return Error{ErrorKind::kUnsupported,
                   "this strategy cuts rows, and these rows are no token ids",
                   "write an index instead: --index PREFIX, or tokenise first"};
    }
    if (!grouped.empty()) grouped += ',';
    grouped += line;
    tokens += segment.length;
  }
  if (has_ids) return joined.json();
  return fmt::format("{{\"tokens\":{},\"rows\":[{}]}}", tokens, grouped);
}

// Compares a file with what is expected of it, piece by piece.
class FileComparer {
 public:
  static Result<FileComparer> open(const std::string& path) {
    auto source = io::open_source(path);
    if (!source) return source.error();
    return FileComparer(*std::move(source));
  }
  bool next_is(std::string_view expected) {
    const std::string_view found = source_->view(at_, expected.size());
    at_ += expected.size();
    return found == expected;
  }
  [[nodiscard]] bool at_end() const { return at_ == source_->size(); }

 private:
  explicit FileComparer(std::unique_ptr<io::ByteSource> source)
      : source_(std::move(source)) {}
  std::unique_ptr<io::ByteSource> source_;
  std::uint64_t at_ = 0;
};

template <typename T>
std::string npy_of(const std::vector<T>& values) {
  std::string bytes = batching::npy_header(values.size());
  batching::append_int64(std::span<const T>(values), bytes);
  return bytes;
}

Result<std::vector<std::uint64_t>> read_numbers(const std::string& path) {
  auto bytes = io::read_file(path, kMostIndexBytes);
  if (!bytes) return bytes.error();
  auto numbers = batching::parse_npy(*bytes);
  if (!numbers) return numbers.error().with_context(path);
  return numbers;
}

Result<std::vector<std::uint32_t>> read_small_numbers(const std::string& path) {
  auto numbers = read_numbers(path);
  if (!numbers) return numbers.error();
  std::vector<std::uint32_t> small;
  small.reserve(numbers->size());
  for (const std::uint64_t n : *numbers) {
    if (n > 0xFFFFFFFFu) return differs(path, "a number over 32 bits");
    small.push_back(static_cast<std::uint32_t>(n));
  }
  return small;
}

}  // namespace

Status write_reordered(const std::string& path,
                       std::span<const std::uint32_t> order,
                       const PackRows& rows, RowBytes& bytes) {
  auto file = io::AtomicFile::open(path);
  if (!file) return file.error();
  for (const std::uint32_t row : order) {
    if (Status s = file->write(bytes.line(rows.places[row])); !s) return s;
    if (Status s = file->write("\n"); !s) return s;
  }
  if (Status status = bytes.check(); !status) return status;
  return file->commit();
}

Status check_reordered(const std::string& path,
                       std::span<const std::uint32_t> order,
                       const PackRows& rows, RowBytes& bytes) {
  if (Status s = batching::verify_order(order, rows.lengths.size()); !s) {
    return s;
  }
  auto file = FileComparer::open(path);
  if (!file) return file.error();
  for (const std::uint32_t row : order) {
    if (!file->next_is(bytes.line(rows.places[row])) || !file->next_is("\n")) {
      return differs(path, fmt::format("row {} is not there", row));
    }
  }
  return file->at_end() ? Status() : differs(path, "there is more in it");
}

Status write_packed(const std::string& path, const Assignment& assignment,
                    const PackOptions& options, const PackRows& rows,
                    RowBytes& bytes) {
  auto file = io::AtomicFile::open(path);
  if (!file) return file.error();
  for (std::size_t p = 0; p < assignment.pack_count(); ++p) {
    auto line = pack_line(p, assignment, options, rows, bytes);
    if (!line) return line.error();
    if (Status s = file->write(*line + "\n"); !s) return s;
  }
  if (Status status = bytes.check(); !status) return status;
  return file->commit();
}

Status check_packed(const std::string& path, const Assignment& assignment,
                    const PackOptions& options, const PackRows& rows,
                    RowBytes& bytes) {
  if (Status s = batching::verify(assignment, rows.lengths, options); !s) {
    return s;
  }
  auto file = FileComparer::open(path);
  if (!file) return file.error();
  for (std::size_t p = 0; p < assignment.pack_count(); ++p) {
    auto line = pack_line(p, assignment, options, rows, bytes);
    if (!line) return line.error();
    if (!file->next_is(*line) || !file->next_is("\n")) {
      return differs(path, fmt::format("pack {} is not there", p));
    }
  }
  return file->at_end() ? Status() : differs(path, "there is more in it");
}

Status write_index(const std::string& prefix, const Assignment& assignment,
                   const batching::PackIndexInfo& info) {
  if (Status s = io::write_file_atomically(prefix + ".offsets.npy",
                                           npy_of(assignment.offsets));
      !s) {
    return s;
  }
  if (Status s = io::write_file_atomically(prefix + ".rows.npy",
                                           npy_of(assignment.rows));
      !s) {
    return s;
  }
  if (info.rows_are_cut) {
    if (Status s = io::write_file_atomically(prefix + ".begins.npy",
                                             npy_of(assignment.begins));
        !s) {
      return s;
    }
    if (Status s = io::write_file_atomically(prefix + ".lengths.npy",
                                             npy_of(assignment.lengths));
        !s) {
      return s;
    }
  }
  const std::string json = fmt::format(
      "{{\n  \"strategy\": \"{}\",\n  \"pack_length\": {},\n"
      "  \"overlong\": \"{}\",\n  \"window_rows\": {},\n  \"seed\": {},\n"
      "  \"rows_in\": {},\n  \"packs\": {},\n  \"segments\": {},\n"
      "  \"tokens\": {},\n  \"tokens_lost\": {},\n"
      "  \"efficiency_ratio\": {:.6f},\n  \"rows_are_cut\": {}\n}}\n",
      info.strategy, info.pack_length, info.overlong, info.window_rows,
      info.seed, info.rows_in, info.packs, info.segments, info.tokens,
      info.tokens_lost, info.efficiency_ratio, info.rows_are_cut);
  return io::write_file_atomically(prefix + ".json", json);
}

Status check_index(const std::string& prefix, const PackRows& rows,
                   const PackOptions& options) {
  Assignment assignment;
  auto offsets = read_numbers(prefix + ".offsets.npy");
  if (!offsets) return offsets.error();
  assignment.offsets = *std::move(offsets);
  auto row_ids = read_small_numbers(prefix + ".rows.npy");
  if (!row_ids) return row_ids.error();
  assignment.rows = *std::move(row_ids);
  const std::string begins_path = prefix + ".begins.npy";
  const bool cut = options.overlong == batching::Overlong::kSplit ||
                   batching::cuts_rows(options.strategy);
  if (cut && io::file_info(begins_path)) {
    auto begins = read_small_numbers(begins_path);
    if (!begins) return begins.error();
    assignment.begins = *std::move(begins);
    auto lengths = read_small_numbers(prefix + ".lengths.npy");
    if (!lengths) return lengths.error();
    assignment.lengths = *std::move(lengths);
  }
  return batching::verify(assignment, rows.lengths, options);
}

}  // namespace trainsight::cli
