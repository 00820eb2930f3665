#include "scan/wrong_kind.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/memory_source.h"
#include "support/read_rows.h"
#include "trainsight/scan/saved_dataset.h"

namespace trainsight::scan {
namespace {

using namespace std::string_literals;
using tests::MemorySource;

Error open_error(const std::string& bytes, const std::string& name) {
  const Result<std::unique_ptr<Reader>> reader =
      open_reader(std::make_unique<MemorySource>(bytes, 0, name), {});
  REQUIRE_FALSE(reader.has_value());
  return reader.error();
}

TEST_CASE("what is behind a wrong name is named for what it is") {
  const struct {
    std::string bytes;
    std::string name;
    std::string what;
  } cases[] = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
       "a.jsonl.gz", "a Git LFS pointer, not the data"},
      {"\n<!DOCTYPE HTML><html>", "a.jsonl", "a web page (HTML), not the data"},
      {"<html lang=\"en\">", "a.parquet", "a web page (HTML), not the data"},
      {"<?xml version=\"1.0\"?><Error/>", "a.json", "an XML document"},
      {"\x93NUMPY\x01\x00", "a.npy", "a NumPy array"},
      {"\x89PNG\r\n\x1a\n....", "a.jsonl", "a PNG image"},
      {"\xFF\xD8\xFF\xE0....", "a.jsonl", "a JPEG image"},
      {"%PDF-1.7\n", "a.txt", "a PDF document"},
      {"PK\x03\x04............xl/workbook.xml", "a.csv", "an Excel workbook"},
      {"PK\x03\x04............arr_0.npy", "a.npz", "a NumPy archive (.npz)"},
      {"PK\x03\x04............x/data.pkl", "a.pt",
       "a PyTorch checkpoint, not data"},
      {"PK\x03\x04............train.jsonl", "a.zip", "a ZIP archive"},
      {"\x80\x04\x95\x10", "a.pkl", "a Python pickle"},
      {"\x40\x00\x00\x00\x00\x00\x00\x00{\"w\":{}}"s, "a.safetensors",
       "model weights (safetensors), not data"},
      {"SQLite format 3\0...."s, "a.db", "an SQLite database"},
      {"\xFF\xFE{\0}\0"s, "a.jsonl", "UTF-16 text"},
      {"{\0\"\0a\0\"\0:\0001\0}\0"s, "a.jsonl", "UTF-16 text"},
      {"\0{\0\"\0a\0\"\0:\0001\0}"s, "a.jsonl", "UTF-16 text"},
      {"BZh91AY&SY", "a.jsonl.bz2", "a bzip2 file"},
      {"\xFD\x37zXZ\0...."s, "a.jsonl.xz", "an xz file"},
      {"Obj\x01....", "a.avro", "an Avro file"},
      {"\x01\0\x02\0\x03\0\xff\xff"s, "a.bin",
       "the .bin of an indexed data set"},
  };
  for (const auto& c : cases) {
    INFO(c.what);
    const Error error = open_error(c.bytes, c.name);
    CHECK(error.kind == ErrorKind::kUnsupported);
    CHECK(error.message == "cannot read " + c.name + ": it is " + c.what);
  }
}

TEST_CASE("a hint says what to do about a pointer") {
  CHECK(open_error("version https://git-lfs.github.com/spec/v1\n", "a").hint ==
        "run git lfs pull in the repository that it is from");
}

TEST_CASE("text and JSON are no wrong kind") {
  for (const std::string text :
       {"{\"a\": 1}\n", "plain <html> text", "x,y\n1,2\n", "Obj", ""}) {
    CHECK(wrong_kind_of({text, "a.jsonl", true}) == nullptr);
  }
}

TEST_CASE("a saved data set lists its files") {
  const Result<std::vector<std::string>> files = arrow_files_of_saved_dataset(
      R"({"_data_files": [{"filename": "data-00000-of-00002.arrow"},
                          {"filename": "data-00001-of-00002.arrow"}],
          "_split": null})");
  REQUIRE(files.has_value());
  CHECK(*files == std::vector<std::string>{"data-00000-of-00002.arrow",
                                           "data-00001-of-00002.arrow"});
  for (const char* text :
       {"{}", "[]", "not json", R"({"_data_files": [{"filename": "../x"}]})",
        R"({"_data_files": [{}]})",
        R"({"_data_files": [{"filename": ".."}]})"}) {
    CHECK_FALSE(arrow_files_of_saved_dataset(text).has_value());
  }
}

}  // namespace
}  // namespace trainsight::scan
