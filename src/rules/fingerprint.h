// Fingerprints of rows, for duplicates and leakage: 16 bytes a record.
//
// `exact` is of the record's bytes, `folded` of its texts after folding case
// (ASCII letters) and white space (runs become one space, none at the ends).
// Rows with equal fingerprints are taken as equal: the chance that two of n
// different rows meet is about n²/2^65 for the folded ones, and 2^-32 of that
// again for the exact ones. Internal to rules.
#ifndef TRAINSIGHT_RULES_FINGERPRINT_H_
#define TRAINSIGHT_RULES_FINGERPRINT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "folded_text.h"
#include "trainsight/records/sample.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::rules {

struct Fingerprint {
  std::uint64_t folded = 0;
  std::uint32_t exact = 0;
  std::uint32_t line = 0;  ///< in the batch, or in all inputs one after another
};

/// Hash of a row's content: of its bytes, or where it has none of its own of
/// all its names and values. Never kNoFingerprint.
std::uint64_t content_hash(const scan::RowView& row);
/// The same of a record's bytes.
std::uint64_t content_hash(std::string_view record);

/// Makes fingerprints; one a worker.
class Fingerprinter {
 public:
  Fingerprint of(const scan::RowView& row, const records::Sample& sample);

 private:
  FoldedText folded_;
};

/// All fingerprints of a run, in 16 bytes each (which is why it is no vector:
/// growing in place needs no second copy). Stops taking more, and says so,
/// when memory or line numbers run out.
class FingerprintTable {
 public:
  FingerprintTable() = default;
  FingerprintTable(const FingerprintTable&) = delete;
  FingerprintTable& operator=(const FingerprintTable&) = delete;
  ~FingerprintTable();

  void add(const Fingerprint& fingerprint);
  /// Takes no more rows.
  void close() { complete_ = false; }
  [[nodiscard]] bool complete() const { return complete_; }

  /// A row that repeats another: their lines in all inputs.
  struct Repeat {
    std::uint32_t line = 0;
    std::uint32_t first_line = 0;  ///< of the row that it repeats
  };
  struct Repeats {
    std::uint64_t count = 0;     ///< rows that repeat an earlier one
    std::uint64_t all_rows = 0;  ///< with the rows that they repeat
    std::vector<Repeat> first;   ///< the first few, by line
  };
  struct Summary {
    Repeats exact;   ///< byte for byte, within the training data
    Repeats folded;  ///< others with the same folded texts
    Repeats leaked;  ///< evaluation rows that the training data holds, folded
  };
  /// Sorts the table, with so many threads, and walks its groups.
  /// `is_eval(line)` tells rows of the evaluation data. O(n log n), in place;
  /// call once.
  template <typename IsEval>
  Summary summarize(std::size_t kept, const IsEval& is_eval,
                    std::uint32_t threads = 1) {
    sort(threads);
    Summary summary;
    for (std::size_t begin = 0; begin < size_;) {
      std::size_t end = begin + 1;
      while (end < size_ && rows_[end].folded == rows_[begin].folded) ++end;
      if (end - begin > 1) add_group(begin, end, kept, is_eval, summary);
      begin = end;
    }
    return summary;
  }

 private:
  // By folded, exact, line.
  void sort(std::uint32_t threads);
  static void keep(Repeats& repeats, std::size_t kept, Repeat repeat);
  template <typename IsEval>
  void add_group(std::size_t begin, std::size_t end, std::size_t kept,
                 const IsEval& is_eval, Summary& summary);

  Fingerprint* rows_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool complete_ = true;
};

template <typename IsEval>
void FingerprintTable::add_group(std::size_t begin, std::size_t end,
                                 std::size_t kept, const IsEval& is_eval,
                                 Summary& summary) {
  // Within a group rows are sorted by (exact, line).
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t first_train = kNone;
  for (std::size_t i = begin; i < end; ++i) {
    if (!is_eval(rows_[i].line) && rows_[i].line < first_train) {
      first_train = rows_[i].line;
    }
  }
  if (first_train == kNone) return;
  std::uint64_t folded_rows = 0;
  for (std::size_t run = begin; run < end;) {
    std::uint32_t first_of_run = kNone;
    std::uint64_t rows_of_run = 0;
    std::size_t i = run;
    for (; i < end && rows_[i].exact == rows_[run].exact; ++i) {
      const std::uint32_t line = rows_[i].line;
      if (is_eval(line)) {
        ++summary.leaked.count;
        keep(summary.leaked, kept, {line, first_train});
        continue;
      }
      if (rows_of_run++ == 0) {
        first_of_run = line;
        continue;
      }
      ++summary.exact.count;
      keep(summary.exact, kept, {line, first_of_run});
    }
    if (rows_of_run > 1) summary.exact.all_rows += rows_of_run;
    if (rows_of_run > 0) {
      ++folded_rows;
      if (first_of_run != first_train) {
        ++summary.folded.count;
        keep(summary.folded, kept, {first_of_run, first_train});
      }
    }
    run = i;
  }
  if (folded_rows > 1) summary.folded.all_rows += folded_rows;
}

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_FINGERPRINT_H_
