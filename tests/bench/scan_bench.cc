// Speed of building tapes from JSON Lines, one core.
//
//   scan_bench FILE...    or without arguments, a generated chat set
//
// Prints bytes/s and records/s of CPU time of the whole reader on memory in
// cache, the best and the median of eleven runs, for the file as it is. The
// answer is checked: every run must give the same records and text bytes.
// The generated set: 20,000 conversations of one to three exchanges, English-
// like words of 1 to 10 letters, answers of 100 to 1,200 bytes, an escaped line
// feed about every 60 bytes; lines of 0.3 to 4 kB.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "support/memory_source.h"
#include "trainsight/io/files.h"
#include "trainsight/scan/format_table.h"

namespace {

using namespace trainsight;

struct Totals final : scan::RowVisitor {
  std::uint64_t rows = 0;
  std::uint64_t bad = 0;
  std::uint64_t values = 0;
  std::uint64_t text_bytes = 0;
  void row(const scan::RowView& row) override {
    ++rows;
    values += row.values.size();
    for (const scan::Value& value : row.values) {
      if (value.is(scan::ValueKind::kText)) text_bytes += value.utf8_bytes();
    }
  }
  void bad_record(const scan::BadRecord&) override { ++bad; }
};

class Words {
 public:
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  void append(std::string& out, std::size_t bytes) {
    std::size_t line = 0;
    for (const std::size_t end = out.size() + bytes; out.size() < end;) {
      const std::size_t letters = 1 + next() % 10;
      for (std::size_t i = 0; i < letters; ++i) {
        out += static_cast<char>('a' + next() % 26);
      }
      line += letters + 1;
      if (line > 60) {
        out += "\\n";
        line = 0;
      } else {
        out += ' ';
      }
    }
  }

 private:
  std::uint64_t state_ = 42;
};

std::string generated() {
  Words words;
  std::string out;
  for (int i = 0; i < 20'000; ++i) {
    out += R"({"messages": [)";
    const std::uint64_t exchanges = 1 + words.next() % 3;
    for (std::uint64_t k = 0; k < exchanges; ++k) {
      out += k == 0 ? R"({"role": "user", "content": ")"
                    : R"(, {"role": "user", "content": ")";
      words.append(out, 40 + words.next() % 260);
      out += R"("}, {"role": "assistant", "content": ")";
      words.append(out, 100 + words.next() % 1100);
      out += R"("})";
    }
    out += "]}\n";
  }
  return out;
}

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

int measure(const std::string& name, const std::string& bytes) {
  const scan::ScratchPointer scratch = scan::make_scratch();
  std::vector<double> seconds;
  Totals first;
  for (int run = 0; run < 12; ++run) {
    Result<std::unique_ptr<scan::Reader>> reader = scan::open_reader(
        std::make_unique<tests::MemorySource>(bytes, 0, name), {});
    if (!reader) {
      fmt::print(stderr, "{}\n", reader.error().message);
      return 1;
    }
    Totals totals;
    const double begin = cpu_seconds();
    for (;;) {
      Result<std::unique_ptr<scan::RowBatch>> batch = (*reader)->next();
      if (!batch || *batch == nullptr) break;
      if (!(*batch)->decode(*scratch, totals)) return 1;
    }
    if (run > 0) seconds.push_back(cpu_seconds() - begin);
    if (run == 0) first = totals;
    if (totals.rows != first.rows || totals.text_bytes != first.text_bytes) {
      fmt::print(stderr, "{}: runs differ\n", name);
      return 1;
    }
  }
  std::sort(seconds.begin(), seconds.end());
  const auto size = static_cast<double>(bytes.size());
  const auto rows = static_cast<double>(first.rows);
  fmt::print(
      "{}: {:.1f} MB, {} rows, {} bad, {:.1f} values and {:.0f} text bytes a "
      "row; best {:.2f} GB/s, median {:.2f} GB/s, {:.2f} M rows/s\n",
      name, size / 1e6, first.rows, first.bad,
      static_cast<double>(first.values) / rows,
      static_cast<double>(first.text_bytes) / rows, size / seconds[0] / 1e9,
      size / seconds[seconds.size() / 2] / 1e9, rows / seconds[0] / 1e6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return measure("generated.jsonl", generated());
  for (int i = 1; i < argc; ++i) {
    const trainsight::Result<std::string> bytes =
        trainsight::io::read_file(argv[i], std::uint64_t{4} << 30);
    if (!bytes) {
      fmt::print(stderr, "{}\n", bytes.error().message);
      return 1;
    }
    if (measure(argv[i], *bytes) != 0) return 1;
  }
  return 0;
}
