// Cost of the rules about rows when they find nothing.
//
//   rules_bench
//
// Prints ns a row of CPU time, the best and the median of eleven runs, over
// 2,000 generated rows held as tapes in cache: conversations of four turns of
// 60 to 600 bytes, and plain texts of 1,200 bytes. Twice each: all rules, and
// the rules without the fingerprints of duplicates. The answer is checked: no
// rule may find an error or a warning in any row.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "trainsight/records/extract.h"
#include "trainsight/rules/check.h"
#include "trainsight/scan/json_document.h"

namespace {

using namespace trainsight;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

std::string words(std::uint64_t& state, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::size_t letters = 1 + (state >> 40) % 9;
    for (std::size_t i = 0; i < letters; ++i) {
      out += static_cast<char>('a' + (state >> (i * 5)) % 26);
    }
    out += (state >> 50) % 12 == 0 ? "\\n" : " ";
  }
  return out + "end";
}

std::string chat_row(std::uint64_t& state) {
  std::string row = R"({"messages":[)";
  for (int turn = 0; turn < 4; ++turn) {
    row += turn == 0 ? "" : ",";
    row += turn % 2 == 0 ? R"({"role":"user","content":")"
                         : R"({"role":"assistant","content":")";
    row += words(state, turn % 2 == 0 ? 60 : 600) + "\"}";
  }
  return row + "]}";
}

std::string text_row(std::uint64_t& state) {
  return R"({"text":")" + words(state, 1200) + "\"}";
}

struct Row {
  std::string json;
  std::unique_ptr<scan::JsonDocument> document;
  scan::RowView view;
};

std::vector<Row> rows_of(std::string (*make)(std::uint64_t&)) {
  std::uint64_t state = 42;
  std::vector<Row> rows(2000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    row.json = make(state);
    auto document = scan::JsonDocument::parse(row.json, "row");
    if (!document) std::exit(1);
    row.document =
        std::make_unique<scan::JsonDocument>(std::move(document).value());
    row.view = row.document->view();
    row.view.raw = row.json;
    row.view.line = i + 1;
  }
  return rows;
}

bool bench(const char* name, const std::vector<Row>& rows, bool duplicates) {
  rules::RuleOptions options;
  options.find_duplicates = duplicates;
  options.max_seq_len = 1u << 20;
  rules::RowChecker checker(options);
  records::Extractor extractor;
  std::vector<records::Sample> samples(rows.size());
  std::vector<facts::RowFacts> facts(rows.size());
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    extractor.extract(rows[i].view, samples[i]);
    facts[i].tokens = 100;
    facts[i].type = samples[i].type;
    facts[i].schema = samples[i].schema;
    bytes += rows[i].json.size();
  }
  std::vector<double> nanoseconds;
  std::uint64_t spoilt = 0;
  for (int run = 0; run < 11; ++run) {
    const double start = cpu_seconds();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const rules::RowContext context{rows[i].view, samples[i],
                                      extractor.members(), facts[i], 0};
      spoilt += checker.row(context) & facts::kSpoilt;
    }
    const double end = cpu_seconds();
    rules::BatchFindings found = checker.take();
    nanoseconds.push_back(1e9 * (end - start) /
                          static_cast<double>(rows.size()));
  }
  std::sort(nanoseconds.begin(), nanoseconds.end());
  fmt::print(
      "{:<24} {:6.0f} ns a row best, {:6.0f} median, {} bytes a row, "
      "{:.2f} GB/s\n",
      name, nanoseconds.front(), nanoseconds[5], bytes / rows.size(),
      static_cast<double>(bytes) / static_cast<double>(rows.size()) /
          nanoseconds[5]);
  return spoilt == 0;
}

}  // namespace

int main() {
  const std::vector<Row> chats = rows_of(chat_row);
  const std::vector<Row> texts = rows_of(text_row);
  bool right = bench("chat, all", chats, true);
  right &= bench("chat, no duplicates", chats, false);
  right &= bench("text, all", texts, true);
  right &= bench("text, no duplicates", texts, false);
  if (!right) std::puts("a rule found fault with a sound row");
  return right ? 0 : 1;
}
