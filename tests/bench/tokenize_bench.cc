// Speed of exact token counts, on files of text.
//
//   tokenize_bench [--passes N] TOKENIZER [TEXT...]
//
// TOKENIZER is a tokenizer.json, a tekken.json, a SentencePiece .model or a
// .tiktoken file whose name says the encoding. Each TEXT is cut into
// documents of about 3 kB, and the documents are counted with a new counter
// (cold: no word is known) and then again N times, nine unless told (warm:
// quartiles are shown). Seconds are of processor time. In the same run every
// document is encoded by the slow path, and the program fails unless the counts
// agree. Without TEXT: generated worst cases.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/tokenize/load_files.h"

namespace trainsight::tokenize {
namespace {

using Documents = std::vector<std::string_view>;

// Of this thread's own time, so that other work on the machine counts less.
double seconds_of(const auto& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Cut at the first line end after 3,000 bytes.
Documents documents_of(std::string_view text) {
  Documents documents;
  while (!text.empty()) {
    const std::size_t end = text.find('\n', 3000);
    documents.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return documents;
}

std::uint64_t count_all(TokenCounter& counter, const Documents& documents) {
  std::uint64_t total = 0;
  for (const std::string_view document : documents) {
    total += counter.count(document);
  }
  return total;
}

// Encodes each document and compares; false where a count differs.
bool check(const Tokenizer& tokenizer, const Documents& documents) {
  const auto fast = tokenizer.make_counter();
  const auto slow = tokenizer.make_counter();
  std::vector<std::uint32_t> ids;
  for (const std::string_view document : documents) {
    ids.clear();
    slow->encode(document, ids);
    const std::uint64_t count = fast->count(document);
    if (count != ids.size()) {
      fmt::print("WRONG: {} tokens instead of {} in {}\n", count, ids.size(),
                 std::string(document.substr(0, 60)));
      return false;
    }
  }
  return true;
}

bool bench(const Tokenizer& tokenizer, std::string_view name,
           const Documents& documents, int passes) {
  std::size_t bytes = 0;
  std::size_t wide = 0;
  for (const std::string_view document : documents) {
    bytes += document.size();
    wide += static_cast<std::size_t>(
        std::count_if(document.begin(), document.end(),
                      [](char c) { return (c & 0x80) != 0; }));
  }
  const auto counter = tokenizer.make_counter();
  std::uint64_t tokens = 0;
  const double cold =
      seconds_of([&] { tokens = count_all(*counter, documents); });
  std::vector<double> warm;
  bool same = true;
  for (int pass = 0; pass < passes; ++pass) {
    warm.push_back(seconds_of(
        [&] { same = same && count_all(*counter, documents) == tokens; }));
  }
  std::sort(warm.begin(), warm.end());
  const auto rate = [bytes](double seconds) {
    return static_cast<double>(bytes) / 1e6 / seconds;
  };
  fmt::print(
      "{:24} {:7.2f} MB, {:5} documents, {:3.0f} % non-ASCII, {:.2f} "
      "bytes/token: cold {:5.0f} MB/s, warm {:5.0f} {:5.0f} {:5.0f} MB/s\n",
      name, static_cast<double>(bytes) / 1e6, documents.size(),
      100.0 * static_cast<double>(wide) / static_cast<double>(bytes),
      static_cast<double>(bytes) / static_cast<double>(tokens), rate(cold),
      rate(warm[warm.size() * 3 / 4]), rate(warm[warm.size() / 2]),
      rate(warm[warm.size() / 4]));
  return same && check(tokenizer, documents);
}

int run(int argc, char** argv) {
  int passes = 9;
  if (argc > 2 && std::string_view(argv[1]) == "--passes") {
    passes = std::max(1, std::atoi(argv[2]));
    argc -= 2;
    argv += 2;
  }
  if (argc < 2) {
    std::fputs("usage: tokenize_bench [--passes N] TOKENIZER [TEXT...]\n",
               stderr);
    return 2;
  }
  const std::string file = read(argv[1]);
  const std::string_view path = argv[1];
  TokenizerFiles files;
  files.name = path;
  if (path.ends_with("tekken.json")) {
    files.tekken_json = file;
  } else if (path.ends_with(".json")) {
    files.tokenizer_json = file;
  } else if (path.ends_with(".model")) {
    files.sentencepiece_model = file;
  } else {
    files.tiktoken = file;
  }
  std::string error = "cannot be loaded";
  std::unique_ptr<Tokenizer> tokenizer;
  std::uint64_t first = 0;
  const double start = seconds_of([&] {
    Result<std::unique_ptr<Tokenizer>> made = load_tokenizer(files);
    if (!made) {
      error = made.error().message;
      return;
    }
    tokenizer = std::move(*made);
    first = tokenizer->make_counter()->count("Hello, world!");
  });
  if (tokenizer == nullptr) {
    fmt::print(stderr, "{}: {}\n", path, error);
    return 2;
  }
  fmt::print("{}: first count ({} tokens) after {:.1f} ms\n", argv[1], first,
             start * 1e3);
  bool right = true;
  for (int i = 2; i < argc; ++i) {
    const std::string text = read(argv[i]);
    std::string_view name = argv[i];
    name.remove_prefix(name.rfind('/') + 1);
    right = bench(*tokenizer, name, documents_of(text), passes) && right;
  }
  if (argc > 2) return right ? 0 : 1;
  constexpr std::size_t kMegabyte = 1'000'000;
  std::mt19937_64 random(1);
  std::string letters, bytes, cjk;
  while (letters.size() < kMegabyte) {
    letters += static_cast<char>('a' + random() % 26);
    bytes += static_cast<char>(random() % 256);
  }
  while (cjk.size() < kMegabyte) {
    const auto c = static_cast<unsigned>(0x4E00 + random() % 0x5000);
    cjk += static_cast<char>(0xE0 | c >> 12);
    cjk += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    cjk += static_cast<char>(0x80 | (c & 0x3F));
  }
  for (const auto& [name, text] :
       {std::pair{"one random word", letters},
        std::pair{"half of it", letters.substr(0, kMegabyte / 2)},
        std::pair{"random bytes", bytes}, std::pair{"random ideographs", cjk},
        std::pair{"one letter", std::string(kMegabyte, 'a')},
        std::pair{"spaces", std::string(kMegabyte, ' ')},
        std::pair{"newlines and spaces", [] {
                    std::string text;
                    while (text.size() < kMegabyte) text += "\n ";
                    return text;
                  }()}}) {
    right = bench(*tokenizer, name, {text}, passes) && right;
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace trainsight::tokenize

int main(int argc, char** argv) {
  return trainsight::tokenize::run(argc, argv);
}
