#include "trainsight/io/open_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_folder.h"

namespace trainsight::io {
namespace {

using tests::TempFolder;

std::unique_ptr<ByteSource> opened(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> source = open_source(path);
  REQUIRE(source.has_value());
  return std::move(source).value();
}

// All that read() gives, in pieces of `step` bytes.
std::string drained(ByteSource& source, std::size_t step) {
  std::string all;
  std::string piece(step, '\0');
  for (;;) {
    const Result<std::size_t> got = source.read({piece.data(), piece.size()});
    REQUIRE(got.has_value());
    if (*got == 0) return all;
    all.append(piece, 0, *got);
  }
}

TEST_CASE("a regular file is mapped and gives any part of itself") {
  const TempFolder folder;
  const auto source = opened(folder.write("a.jsonl", "0123456789"));
  REQUIRE(source->is_mapped());
  CHECK(source->size() == 10);
  CHECK(source->name() == folder / "a.jsonl");
  CHECK(source->view(0, 4) == "0123");
  CHECK(source->view(8, 100) == "89");
  CHECK(source->view(10, 1).empty());
  CHECK(source->view(99, 1).empty());
  CHECK(drained(*source, 3) == "0123456789");
  CHECK(source->check().has_value());
}

TEST_CASE("64 zeros can be read after the end, also at the end of a page") {
  const TempFolder folder;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const std::size_t bytes : {std::size_t{1}, page - 1, page, 2 * page}) {
    const std::string text(bytes, 'x');
    const auto source = opened(folder.write("p", text));
    REQUIRE(source->is_mapped());
    const char* const end = source->view(0, bytes).data() + bytes;
    CHECK(std::string(end, 64) == std::string(64, '\0'));
  }
}

TEST_CASE("released pages are read again when they are viewed again") {
  const TempFolder folder;
  const std::string text(100'000, 'r');
  const auto source = opened(folder.write("r", text));
  source->release(0, 100'000);
  CHECK(source->view(0, 100'000) == text);
}

TEST_CASE("an empty file reads as nothing") {
  const TempFolder folder;
  const auto source = opened(folder.write("empty", ""));
  CHECK_FALSE(source->is_mapped());
  CHECK(drained(*source, 10).empty());
}

TEST_CASE("paths that cannot be opened say what, on which, why") {
  const TempFolder folder;
  const auto missing = open_source(folder / "no.jsonl");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().kind == ErrorKind::kNotFound);
  CHECK(missing.error().message ==
        "cannot read " + (folder / "no.jsonl") + ": no such file or directory");

  const auto below_file = open_source(folder.write("f", "x") + "/below");
  REQUIRE_FALSE(below_file.has_value());
  CHECK(below_file.error().kind == ErrorKind::kNotFound);

  const auto directory = open_source(folder.path());
  REQUIRE_FALSE(directory.has_value());
  CHECK(directory.error().kind == ErrorKind::kUnreadable);
  CHECK(directory.error().message ==
        "cannot read " + folder.path() + ": is a directory");
  CHECK_FALSE(directory.error().hint.empty());
}

TEST_CASE("a file without permission is unreadable") {
  const TempFolder folder;
  const std::string path = folder.write("secret", "x");
  REQUIRE(::chmod(path.c_str(), 0) == 0);
  if (::access(path.c_str(), R_OK) == 0) {
    std::cout << "SKIPPED: no permission (this user may read everything)\n";
    return;
  }
  const auto source = open_source(path);
  REQUIRE_FALSE(source.has_value());
  CHECK(source.error().kind == ErrorKind::kUnreadable);
  CHECK(source.error().message ==
        "cannot read " + path + ": permission denied");
}

TEST_CASE("a FIFO is streamed to its end") {
  const TempFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&path] {
    const int out = ::open(path.c_str(), O_WRONLY);
    for (int i = 0; i < 100; ++i) {
      if (::write(out, "0123456789", 10) != 10) break;
    }
    ::close(out);
  });
  const auto source = opened(path);
  CHECK_FALSE(source->is_mapped());
  CHECK(drained(*source, 64).size() == 1000);
  writer.join();
}

TEST_CASE("a file of /proc, which reports no size, is streamed") {
  if (::access("/proc/self/status", R_OK) != 0) {
    std::cout << "SKIPPED: /proc files (there is no /proc)\n";
    return;
  }
  const auto source = opened("/proc/self/status");
  CHECK_FALSE(source->is_mapped());
  CHECK(drained(*source, 100).substr(0, 5) == "Name:");
}

// Runs `with_stdin` while descriptor 0 is `replacement`.
template <typename Body>
void with_stdin(int replacement, Body&& body) {
  const int saved = ::dup(STDIN_FILENO);
  REQUIRE(::dup2(replacement, STDIN_FILENO) == STDIN_FILENO);
  body();
  if (saved >= 0) {
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
  }
}

TEST_CASE("standard input is mapped from a file and streamed from a pipe") {
  const TempFolder folder;
  const int file = ::open(folder.write("in", "from a file").c_str(), O_RDONLY);
  with_stdin(file, [] {
    const auto source = opened("-");
    CHECK(source->name() == "<stdin>");
    CHECK(source->is_mapped());
    CHECK(source->view(0, 100) == "from a file");
    CHECK(source->check().has_value());
  });
  // Consumed in part: what was read before is not given again.
  REQUIRE(::lseek(file, 5, SEEK_SET) == 5);
  with_stdin(file, [] { CHECK(drained(*opened("-"), 4) == "a file"); });
  ::close(file);

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "piped", 5) == 5);
  ::close(ends[1]);
  with_stdin(ends[0], [] {
    const auto source = opened("-");
    CHECK_FALSE(source->is_mapped());
    CHECK(drained(*source, 2) == "piped");
  });
  ::close(ends[0]);
}

TEST_CASE("a file cut while it is mapped reads as zeros and is reported") {
  const TempFolder folder;
  const std::string path = folder.write("cut", std::string(1 << 20, 'x'));
  const auto source = opened(path);
  REQUIRE(source->is_mapped());
  REQUIRE(::truncate(path.c_str(), 1000) == 0);
  // Beyond the new end: this would be SIGBUS without the guard.
  const std::string_view bytes = source->view(0, 1 << 20);
  CHECK(bytes[500'000] == '\0');
  CHECK(bytes[(1 << 20) - 1] == '\0');
  CHECK(bytes[0] == 'x');
  const Status status = source->check();
  REQUIRE_FALSE(status.has_value());
  CHECK(status.error().kind == ErrorKind::kChanged);
  CHECK(status.error().message == path + " changed while it was read");
}

TEST_CASE("many threads may meet the cut end at once") {
  const TempFolder folder;
  const std::string path = folder.write("cut", std::string(4 << 20, 'x'));
  const auto source = opened(path);
  REQUIRE(::truncate(path.c_str(), 0) == 0);
  std::vector<std::thread> threads;
  std::vector<std::size_t> zeros(4);
  for (std::size_t t = 0; t < zeros.size(); ++t) {
    threads.emplace_back([&source, &zeros, t] {
      for (const char c : source->view(0, 4 << 20)) zeros[t] += c == '\0';
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(zeros == std::vector<std::size_t>(4, 4 << 20));
  CHECK_FALSE(source->check().has_value());
}

TEST_CASE("a file written to, or replaced, while it is open is reported") {
  const TempFolder folder;
  const std::string path = folder.write("w", "before");
  const auto written = opened(path);
  {
    std::FILE* const out = std::fopen(path.c_str(), "ab");
    REQUIRE(out != nullptr);
    std::fputs("more", out);
    std::fclose(out);
  }
  REQUIRE_FALSE(written->check().has_value());
  CHECK(written->check().error().kind == ErrorKind::kChanged);

  const auto replaced = opened(path);
  const std::string other = folder.write("other", "beforemore");
  REQUIRE(std::rename(other.c_str(), path.c_str()) == 0);
  REQUIRE_FALSE(replaced->check().has_value());
  CHECK(replaced->check().error().kind == ErrorKind::kChanged);
  CHECK(replaced->check().error().message ==
        path + " was replaced while it was read");
  CHECK(replaced->view(0, 6) == "before");
}

TEST_CASE("beyond the guard's ranges files are streamed, not mapped") {
  const TempFolder folder;
  const std::string path = folder.write("many", "0123456789");
  std::vector<std::unique_ptr<ByteSource>> sources;
  while (sources.size() < 2000) {
    Result<std::unique_ptr<ByteSource>> source = open_source(path);
    if (!source) break;  // out of descriptors
    sources.push_back(std::move(source).value());
    if (!sources.back()->is_mapped()) break;
  }
  if (sources.back()->is_mapped()) {
    std::cout << "SKIPPED: more mapped files than guards (descriptor limit)\n";
    return;
  }
  CHECK(sources.size() == 1025);
  CHECK(drained(*sources.back(), 4) == "0123456789");
  sources.clear();
  CHECK(opened(path)->is_mapped());
}

}  // namespace
}  // namespace trainsight::io
