#include "scan/wrong_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>

#include "scan/head_source.h"

namespace trainsight::scan {
namespace {

using namespace std::string_view_literals;

/// A signature at a fixed offset.
struct Signature {
  std::size_t offset;
  std::string_view bytes;
  WrongKind kind;
};

constexpr std::string_view kConvert =
    "convert it to JSON Lines or Parquet first";
constexpr std::string_view kDecompress =
    "decompress it first; gzip and zstd are read as they are";
constexpr std::string_view kUnpack = "unpack it and give the files inside";

constexpr Signature kSignatures[] = {
    {0,
     "version https://git-lfs.github.com/spec/"sv,
     {"a Git LFS pointer, not the data",
      "run git lfs pull in the repository that it is from"}},
    {0,
     "/annex/objects/"sv,
     {"a git-annex pointer, not the data", "run git annex get"}},
    {0, "\x93NUMPY"sv, {"a NumPy array", kConvert}},
    {0, "\x89PNG\r\n\x1a\n"sv, {"a PNG image", ""}},
    {0, "\xFF\xD8\xFF"sv, {"a JPEG image", ""}},
    {0, "GIF87a"sv, {"a GIF image", ""}},
    {0, "GIF89a"sv, {"a GIF image", ""}},
    {8, "WEBP"sv, {"a WebP image", ""}},
    {8, "WAVE"sv, {"a WAV audio file", ""}},
    {4, "ftyp"sv, {"an MP4 or HEIF file", ""}},
    {0, "ID3"sv, {"an MP3 audio file", ""}},
    {0, "fLaC"sv, {"a FLAC audio file", ""}},
    {0, "%PDF-"sv, {"a PDF document", "extract its text first"}},
    {0, "{\\rtf"sv, {"an RTF document", "extract its text first"}},
    {0,
     "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv,
     {"an old Microsoft Office document", "save it as CSV"}},
    {0, "SQLite format 3\0"sv, {"an SQLite database", kConvert}},
    {0, "\x89HDF\r\n\x1a\n"sv, {"an HDF5 file", kConvert}},
    {0, "ORC"sv, {"an ORC file", kConvert}},
    {0, "Obj\x01"sv, {"an Avro file", kConvert}},
    {0, "FEA1"sv, {"a Feather file of version 1", kConvert}},
    {8, "DUCK"sv, {"a DuckDB database", kConvert}},
    {0, "GGUF"sv, {"model weights (GGUF), not data", ""}},
    {0, "BZh"sv, {"a bzip2 file", kDecompress}},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     {"an xz file", kDecompress}},
    {0, "\x04\x22\x4D\x18"sv, {"an LZ4 file", kDecompress}},
    {0, "7z\xBC\xAF\x27\x1C"sv, {"a 7-Zip archive", kUnpack}},
    {0, "Rar!\x1A\x07"sv, {"a RAR archive", kUnpack}},
    {257, "ustar"sv, {"a tar archive", kUnpack}},
    {0,
     "\x7F"
     "ELF"sv,
     {"a program", ""}},
};

constexpr WrongKind kHtml = {
    "a web page (HTML), not the data",
    "open its address in a browser: it may ask for a login or a token"};
constexpr WrongKind kXml = {"an XML document", kConvert};
constexpr WrongKind kUtf16 = {"UTF-16 text",
                              "convert it: iconv -f UTF-16 -t UTF-8"};
constexpr WrongKind kUtf32 = {"UTF-32 text",
                              "convert it: iconv -f UTF-32 -t UTF-8"};
constexpr WrongKind kZip = {"a ZIP archive", kUnpack};
constexpr WrongKind kExcel = {"an Excel workbook", "save it as CSV"};
constexpr WrongKind kNpz = {"a NumPy archive (.npz)", kConvert};
constexpr WrongKind kTorch = {"a PyTorch checkpoint, not data", ""};
constexpr WrongKind kPickle = {
    "a Python pickle",
    "load it with the code that wrote it and save it as "
    "JSON Lines or Parquet"};
constexpr WrongKind kSafetensors = {"model weights (safetensors), not data",
                                    ""};
constexpr WrongKind kMegatronBin = {
    "the .bin of an indexed data set",
    "give its .idx instead: lengths are read from there"};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string lower_start(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  std::string start(first == std::string_view::npos ? std::string_view()
                                                    : bytes.substr(first, 64));
  for (char& c : start) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return start;
}

const WrongKind* markup_of(std::string_view bytes) {
  const std::string start = lower_start(bytes);
  for (const std::string_view tag :
       {"<!doctype html"sv, "<html"sv, "<head"sv, "<body"sv, "<script"sv}) {
    if (start.compare(0, tag.size(), tag) == 0) return &kHtml;
  }
  if (start.compare(0, 5, "<?xml") != 0) return nullptr;
  return contains(bytes.substr(0, 512), "<html") ? &kHtml : &kXml;
}

// By its mark, or by every other byte of its beginning being NUL.
const WrongKind* wide_text_of(std::string_view bytes) {
  if (bytes.substr(0, 4) == "\xFF\xFE\0\0"sv ||
      bytes.substr(0, 4) == "\0\0\xFE\xFF"sv) {
    return &kUtf32;
  }
  if (bytes.substr(0, 2) == "\xFF\xFE"sv ||
      bytes.substr(0, 2) == "\xFE\xFF"sv) {
    return &kUtf16;
  }
  constexpr std::size_t kLook = 64;
  if (bytes.size() < 8) return nullptr;
  const std::string_view look = bytes.substr(0, kLook & ~std::size_t{1});
  for (const std::size_t parity : {std::size_t{0}, std::size_t{1}}) {
    bool alternates = true;
    for (std::size_t i = 0; i + 1 < look.size() && alternates; i += 2) {
      const char nul = look[i + parity];
      const char other = look[i + 1 - parity];
      alternates = nul == '\0' && (other >= ' ' || other == '\n' ||
                                   other == '\r' || other == '\t');
    }
    if (alternates) return &kUtf16;
  }
  return nullptr;
}

// A ZIP archive by the name of its first entry.
const WrongKind* zip_of(const FileHead& head) {
  if (head.bytes.substr(0, 4) != "PK\x03\x04"sv &&
      head.bytes.substr(0, 4) != "PK\x05\x06"sv) {
    return nullptr;
  }
  if (contains(head.bytes, "xl/workbook") ||
      has_extension(head.name, ".xlsx")) {
    return &kExcel;
  }
  if (contains(head.bytes.substr(0, 512), ".npy")) return &kNpz;
  if (contains(head.bytes.substr(0, 512), "data.pkl")) return &kTorch;
  return &kZip;
}

// PROTO with a version, then a frame, or an opcode that often comes first.
bool is_pickle(const FileHead& head) {
  if (head.bytes.size() < 3 || head.bytes[0] != '\x80') return false;
  if (head.bytes[1] < 2 || head.bytes[1] > 5) return false;
  return head.bytes[2] == '\x95' ||
         contains("]}(c\x8a", head.bytes.substr(2, 1));
}

// The size of a JSON header, then the header.
bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 10 && bytes[6] == '\0' && bytes[7] == '\0' &&
         bytes.substr(8, 2) == "{\"";
}

}  // namespace

const WrongKind* wrong_kind_of(const FileHead& head) {
  for (const Signature& signature : kSignatures) {
    if (head.bytes.size() > signature.offset &&
        head.bytes.substr(signature.offset, signature.bytes.size()) ==
            signature.bytes) {
      return &signature.kind;
    }
  }
  if (const WrongKind* kind = zip_of(head)) return kind;
  if (const WrongKind* kind = markup_of(head.bytes)) return kind;
  if (is_safetensors(head.bytes)) return &kSafetensors;
  if (is_pickle(head)) return &kPickle;
  if (const WrongKind* kind = wide_text_of(head.bytes)) return kind;
  if (has_extension(head.name, ".bin") && contains(head.bytes, "\0"sv)) {
    return &kMegatronBin;
  }
  return nullptr;
}

Likeness sniff_wrong_kind(const FileHead& head) {
  return wrong_kind_of(head) != nullptr ? Likeness::kCertain : Likeness::kNo;
}

Result<std::unique_ptr<Reader>> open_wrong_kind(
    std::unique_ptr<io::ByteSource> source, const ReadOptions&) {
  const Result<HeadAndSource> read = read_head(std::move(source));
  if (!read) return read.error();
  const std::string& name = read->source->name();
  const WrongKind* const kind =
      wrong_kind_of({read->head, name, read->is_whole});
  return Error{ErrorKind::kUnsupported,
               fmt::format("cannot read {}: it is {}", name,
                           kind == nullptr ? "of no known format" : kind->what),
               std::string(kind == nullptr ? "" : kind->hint)};
}

}  // namespace trainsight::scan
