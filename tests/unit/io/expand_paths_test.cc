#include "trainsight/io/expand_paths.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "support/temp_folder.h"

namespace trainsight::io {
namespace {

using tests::TempFolder;
using Paths = std::vector<std::string>;

constexpr std::array<std::string_view, 3> kExtensions = {".jsonl", ".json",
                                                         ".jsonl.gz"};

Result<Paths> expanded(const Paths& paths) {
  return expand_paths(paths, kExtensions);
}

// The same below `folder`, with and without its path.
Paths below(const TempFolder& folder, const Paths& names) {
  Paths paths;
  for (const std::string& name : names) paths.push_back(folder / name);
  const Result<Paths> found = expanded(paths);
  REQUIRE(found.has_value());
  Paths out;
  for (const std::string& path : *found) {
    out.push_back(path.substr(folder.path().size() + 1));
  }
  return out;
}

TEST_CASE("a path that exists is literal, whatever it holds") {
  const TempFolder folder;
  for (const char* const name :
       {"a:b.jsonl", "with space.jsonl", "-dash.jsonl", "star*.jsonl",
        "[x].jsonl", "E:/data.jsonl", "no-extension"}) {
    folder.write(name, "x");
    CHECK(below(folder, {name}) == Paths{name});
  }
  CHECK(expanded({"-"}).value() == Paths{"-"});
}

TEST_CASE("a directory stands for the data files below it, sorted") {
  const TempFolder folder;
  for (const char* const name :
       {"d/b.jsonl", "d/a.JSONL", "d/sub/c.json", "d/z.jsonl.gz", "d/README.md",
        "d/.hidden.jsonl", "d/.git/x.jsonl", "d/dataset_info.json",
        "d/state.json"}) {
    folder.write(name, "x");
  }
  std::filesystem::create_directory_symlink(folder.path(), folder / "d/loop");
  std::filesystem::create_symlink(folder / "d/b.jsonl", folder / "d/l.jsonl");
  CHECK(below(folder, {"d"}) == Paths{"d/a.JSONL", "d/b.jsonl", "d/l.jsonl",
                                      "d/sub/c.json", "d/z.jsonl.gz"});
}

TEST_CASE("globs match components, and ** any number of folders") {
  const TempFolder folder;
  for (const char* const name :
       {"t-00.jsonl", "t-01.jsonl", "t-10.jsonl", "u.jsonl", "notes.txt",
        "x/t-02.jsonl", "x/y/t-03.jsonl", ".h/t-04.jsonl"}) {
    folder.write(name, "x");
  }
  CHECK(below(folder, {"t-0?.jsonl"}) == Paths{"t-00.jsonl", "t-01.jsonl"});
  CHECK(below(folder, {"t-[1-9]*.jsonl"}) == Paths{"t-10.jsonl"});
  CHECK(below(folder, {"*/t*.jsonl"}) == Paths{"x/t-02.jsonl"});
  CHECK(below(folder, {"**/t-0*.jsonl"}) ==
        Paths{"t-00.jsonl", "t-01.jsonl", "x/t-02.jsonl", "x/y/t-03.jsonl"});
  // A match that is a directory stands for what is below it.
  CHECK(below(folder, {"x*"}) == Paths{"x/t-02.jsonl", "x/y/t-03.jsonl"});
  // What a glob matches must look like data.
  CHECK(below(folder, {"*"}) == Paths{"t-00.jsonl", "t-01.jsonl", "t-10.jsonl",
                                      "u.jsonl", "x/t-02.jsonl",
                                      "x/y/t-03.jsonl"});
}

TEST_CASE("arguments keep their order") {
  const TempFolder folder;
  folder.write("b.jsonl", "x");
  folder.write("a.jsonl", "x");
  CHECK(below(folder, {"b.jsonl", "a.jsonl", "b.jsonl"}) ==
        Paths{"b.jsonl", "a.jsonl", "b.jsonl"});
}

TEST_CASE("nothing found is an error, not an empty data set") {
  const TempFolder folder;
  folder.write("d/README.md", "x");
  const Result<Paths> missing = expanded({folder / "missing:2.jsonl"});
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().kind == ErrorKind::kNotFound);
  CHECK(missing.error().message == "cannot read " +
                                       (folder / "missing:2.jsonl") +
                                       ": no such file or directory");
  const Result<Paths> empty = expanded({folder / "d"});
  REQUIRE_FALSE(empty.has_value());
  CHECK(empty.error().kind == ErrorKind::kNotFound);
  CHECK(empty.error().message == "no data file in " + (folder / "d"));
  CHECK(empty.error().hint == "known names end in .jsonl .json .jsonl.gz");
  const Result<Paths> glob = expanded({folder / "no-such-*.jsonl"});
  REQUIRE_FALSE(glob.has_value());
  CHECK(glob.error().message ==
        "no data file matches " + (folder / "no-such-*.jsonl"));
}

TEST_CASE("a glob is relative to the working directory") {
  const TempFolder folder;
  folder.write("r/one.jsonl", "x");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Result<Paths> found = expanded({"r/*.jsonl", "r"});
  std::filesystem::current_path(before);
  REQUIRE(found.has_value());
  CHECK(*found == Paths{"r/one.jsonl", "r/one.jsonl"});
}

}  // namespace
}  // namespace trainsight::io
