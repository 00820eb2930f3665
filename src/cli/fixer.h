// Fixer: the rows of a JSON file as repaired lines, and what was changed.
//
// A visitor of one file's batches. Every record of the input becomes one line
// at least, a duplicate that is asked to go excepted: nothing is dropped
// silently, and what is not listed among the changes stays as it was. Bytes of
// the input are looked at again through a view of the file. Memory: with
// duplicates 64 bytes a record, otherwise none that grows but the places of
// changes, of which kPlacesKept a kind are kept. Not thread-safe.
#ifndef TRAINSIGHT_CLI_FIXER_H_
#define TRAINSIGHT_CLI_FIXER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/scan/reader.h"

namespace trainsight::cli {

/// What was done, or left.
enum class Change : std::uint8_t {
  kByteOrderMark,
  kBlankLine,
  kCrLf,
  kLoneCr,
  kArray,
  kObjectMap,
  kLayout,
  kSplitLine,
  kSplitList,
  kComma,
  kUnclosed,
  kDecodedMessages,
  kLastNewline,
  kDuplicate,
  kLeft,
};
inline constexpr std::size_t kChangeCount =
    static_cast<std::size_t>(Change::kLeft) + 1;

/// How often each change was made, and where.
class Changes {
 public:
  static constexpr std::size_t kPlacesKept = 100'000;

  /// `line` 0: it holds for no line alone.
  void add(Change change, std::uint64_t line, std::uint64_t count = 1);
  [[nodiscard]] std::uint64_t count(Change change) const {
    return entries_[static_cast<std::size_t>(change)].count;
  }
  /// A line a change, with the first places; "nothing to repair" for none.
  [[nodiscard]] std::string text() const;
  /// A JSON array, with all places that were kept.
  [[nodiscard]] std::string json() const;

 private:
  struct Entry {
    std::uint64_t count = 0;
    std::vector<std::uint64_t> lines;
  };
  std::array<Entry, kChangeCount> entries_;
};

class Fixer final : public scan::RowVisitor {
 public:
  /// Bytes [offset, offset + length) of the file that the rows are of.
  using View = std::function<std::string_view(std::uint64_t, std::uint64_t)>;
  using Sink = std::function<Status(std::string_view)>;

  struct Options {
    bool drop_duplicates = false;
    /// The rows are parts of one JSON document: its own faults are no rows.
    bool is_document = false;
  };

  Fixer(View view, Sink sink, Options options)
      : view_(std::move(view)), sink_(std::move(sink)), options_(options) {}

  void row(const scan::RowView& row) override;
  void bad_record(const scan::BadRecord& bad) override;
  /// After the rows of each batch.
  void end_of_batch(const scan::BatchFacts& facts);
  /// After the last batch: what the reader noted about the file.
  void end_of_file(const std::vector<scan::FileNote>& notes);

  [[nodiscard]] const Changes& changes() const { return changes_; }
  /// Lines written.
  [[nodiscard]] std::uint64_t written() const { return written_; }
  /// The first error: of the sink, or of a document after whose end something
  /// follows, which cannot be told to be rows or none.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  // A record of the input that was written: enough to make its line again.
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  void write_record(std::string_view text, bool decoded, const Place& place,
                    std::uint64_t line);
  void write(std::string_view line);
  bool fault_of_document(const scan::BadRecord& bad, std::uint64_t line);
  bool is_duplicate(std::string_view line, const Place& place);
  [[nodiscard]] std::string line_at(const Place& place) const;

  View view_;
  Sink sink_;
  Options options_;
  Status status_;
  Changes changes_;
  std::uint64_t line_base_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t written_ = 0;
  bool ends_with_newline_ = true;
  std::unordered_multimap<std::uint64_t, Place> seen_;
};

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_FIXER_H_
