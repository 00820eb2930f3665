// The file formats, and the choice among them.
//
// A file's content decides, its name only breaks ties: a .json that holds one
// object a line is read as JSON Lines, a .jsonl that holds one array as a JSON
// document. Adding a format: one file with a Reader, one row in
// format_table.cc.
#ifndef TRAINSIGHT_SCAN_FORMAT_TABLE_H_
#define TRAINSIGHT_SCAN_FORMAT_TABLE_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan {

/// The beginning of a file, for sniffing.
struct FileHead {
  std::string_view bytes;  ///< the first kHeadBytes, or all of a shorter file
  std::string_view name;   ///< as given, for its extension
  bool is_whole = false;   ///< `bytes` is the complete file
};
inline constexpr std::size_t kHeadBytes = std::size_t{1} << 20;

/// How sure a format is that a file is its own. The first of equals wins.
enum class Likeness : std::uint8_t {
  kNo,        ///< cannot be
  kPossible,  ///< nothing speaks against it (plain text)
  kNamed,     ///< the name says so and the content does not contradict
  kLikely,    ///< the content looks like it
  kCertain,   ///< a signature
};

/// One format. Plain data in a constant table.
struct Format {
  std::string_view name;  ///< "jsonl", as reports and --format options say it
  /// Endings of names, most usual first, with the dot: ".jsonl".
  std::span<const std::string_view> extensions;
  Likeness (*sniff)(const FileHead& head);
  Result<std::unique_ptr<Reader>> (*open)(
      std::unique_ptr<io::ByteSource> source, const ReadOptions& options);
};

/// All formats, in order of preference.
std::span<const Format> format_table();

/// The format of a file that begins with `head`; nullptr when it has none.
const Format* sniff_format(const FileHead& head);

/// Opens `source` by its content. An empty file is an empty JSON Lines file.
/// A compressed file is decompressed on the way and judged by what is inside.
/// Errors: kUnsupported for content of no known format; the source's own.
Result<std::unique_ptr<Reader>> open_reader(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

/// Endings of all formats' names (".jsonl", ".parquet", ".jsonl.gz", ...), for
/// io::expand_paths().
std::vector<std::string_view> data_extensions();

/// Whether `name` ends in `extension`, in any case of letters.
bool has_extension(std::string_view name, std::string_view extension);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_FORMAT_TABLE_H_
