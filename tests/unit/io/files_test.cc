#include "trainsight/io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "support/temp_folder.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::io {
namespace {

using tests::TempFolder;

std::size_t files_in(const TempFolder& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    count += entry.exists() ? 1 : 0;
  }
  return count;
}

TEST_CASE("size, time and hash of a file") {
  const TempFolder folder;
  const std::string text(3'000'000, 'h');
  const std::string path = folder.write("h", text);
  // 2026-03-01T09:30:00.25Z; `date -ud 2026-03-01T09:30:00 +%s` is 1772357400.
  const timespec times[2] = {{0, UTIME_OMIT}, {1772357400, 250'000'000}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  const Result<FileInfo> info = file_info(path);
  REQUIRE(info.has_value());
  CHECK(info->bytes == 3'000'000);
  CHECK(info->modified_ns == 1'772'357'400'250'000'000);
  CHECK(rfc3339_from_ns(info->modified_ns) == "2026-03-01T09:30:00.25Z");
  const Result<std::uint64_t> hash = hash_file(path);
  REQUIRE(hash.has_value());
  CHECK(*hash == text::xxh64(text));
  // XXH64 of nothing with seed 0, from the specification's test vectors.
  CHECK(hash_file(folder.write("none", "")).value() == 0xEF46DB3751D8E999);
}

TEST_CASE("what is no regular file has no info") {
  const TempFolder folder;
  CHECK(file_info(folder / "no").error().kind == ErrorKind::kNotFound);
  CHECK(file_info(folder.path()).error().message ==
        "cannot read " + folder.path() + ": no regular file");
  CHECK(hash_file(folder.path()).error().kind == ErrorKind::kUnreadable);
}

TEST_CASE("a whole file is read up to a limit") {
  const TempFolder folder;
  const std::string path = folder.write("c", "12345");
  CHECK(read_file(path, 5).value() == "12345");
  const Result<std::string> longer = read_file(path, 4);
  REQUIRE_FALSE(longer.has_value());
  CHECK(longer.error().kind == ErrorKind::kLimit);
  CHECK(longer.error().message ==
        "cannot read " + path + ": longer than 4 bytes");
}

TEST_CASE("an atomic write makes, replaces and keeps permissions") {
  const TempFolder folder;
  const std::string path = folder / "m.json";
  REQUIRE(write_file_atomically(path, "first").has_value());
  CHECK(TempFolder::read(path) == "first");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  REQUIRE(write_file_atomically(path, "second").has_value());
  CHECK(TempFolder::read(path) == "second");
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
  CHECK(files_in(folder) == 1);  // no temporary is left
}

TEST_CASE("an atomic write follows a link and leaves it a link") {
  const TempFolder folder;
  const std::string target = folder.write("target", "old");
  const std::string link = folder / "link";
  REQUIRE(::symlink(target.c_str(), link.c_str()) == 0);
  REQUIRE(write_file_atomically(link, "new").has_value());
  CHECK(TempFolder::read(target) == "new");
  CHECK(std::filesystem::is_symlink(link));
}

TEST_CASE("a write that cannot be done leaves nothing behind") {
  const TempFolder folder;
  const Status missing = write_file_atomically(folder / "no/m.json", "x");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().kind == ErrorKind::kNotFound);
  const Status directory = write_file_atomically(folder.path(), "x");
  REQUIRE_FALSE(directory.has_value());
  CHECK(directory.error().message ==
        "cannot write " + folder.path() + ": is a directory");
  CHECK(files_in(folder) == 0);
  CHECK(write_file_atomically("/dev/null", "x").has_value());
}

TEST_CASE("RFC 3339 times to and from nanoseconds") {
  CHECK(rfc3339_from_ns(0) == "1970-01-01T00:00:00Z");
  CHECK(rfc3339_from_ns(-1) == "1969-12-31T23:59:59.999999999Z");
  CHECK(rfc3339_from_ns(951'782'400'000'000'000) == "2000-02-29T00:00:00Z");
  for (const std::int64_t ns : {std::int64_t{0}, std::int64_t{-1},
                                std::int64_t{1'772'357'400'000'000'001},
                                std::int64_t{-9'000'000'000'000'000'000}}) {
    CHECK(ns_from_rfc3339(rfc3339_from_ns(ns)).value() == ns);
  }
  CHECK(ns_from_rfc3339("1970-01-01T02:00:00+02:00").value() == 0);
  CHECK(ns_from_rfc3339("1969-12-31T19:00:00.5-05:00").value() == 500'000'000);
  for (const char* const wrong :
       {"", "2026-03-01", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-03-01T24:00:00Z", "2026-03-01T00:00:00", "2026-03-01T00:00:00.Z",
        "2026-03-01T00:00:00Zx", "2026-03-01T00:00:00+2:00"}) {
    INFO(wrong);
    CHECK_FALSE(ns_from_rfc3339(wrong).has_value());
  }
}

}  // namespace
}  // namespace trainsight::io
