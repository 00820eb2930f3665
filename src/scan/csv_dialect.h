// How a table of delimited text is written: delimiter, quoting, header; found
// from its beginning.
//
// CSV follows RFC 4180 and what its readers accept beyond it: a field is quoted
// when its first byte is a double quote; inside, two quotes stand for one, and
// delimiters and line ends are text. Bytes behind the closing quote belong to
// the field, as in Python's csv. A quote elsewhere is a plain byte.
//
// TSV as data sets use it knows no quoting: a tab always separates and a quote
// is text, unless the file shows that a spreadsheet wrote it.
//
// Source: RFC 4180, section 2. Pure functions.
#ifndef TRAINSIGHT_SCAN_CSV_DIALECT_H_
#define TRAINSIGHT_SCAN_CSV_DIALECT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainsight::scan {

struct CsvDialect {
  char delimiter = ',';
  char terminator = '\n';  ///< CR when the file has no LF
  bool quoting = true;
};

/// One field of a record.
struct CsvField {
  std::string_view bytes;   ///< as it stands, without the outer quotes
  bool has_quotes = false;  ///< `bytes` hold "" for " or a closing quote
};

/// Splits the record that begins at `at` into `fields` (overwritten) and moves
/// `at` past its end. False when a quote is not closed before the text ends;
/// the fields then reach to the end. REQUIRES: at < text.size().
///
/// `line_ends` counts the record's terminators, its own and those in quotes;
/// `cr` says that a CR stood before its own.
struct CsvRecordEnd {
  std::uint64_t line_ends = 0;
  bool cr = false;
  bool terminated = false;
};
bool split_csv_record(std::string_view text, std::size_t& at,
                      const CsvDialect& dialect, std::vector<CsvField>& fields,
                      CsvRecordEnd& end);

/// Appends the text of a field with has_quotes to `out`.
void append_unquoted(std::string_view field, std::string& out);

/// The dialect of a CSV file that begins with `head`: the comma, unless its
/// first record has none but another of ; tab |.
CsvDialect csv_dialect_of(std::string_view head);

/// The dialect of a TSV file. Quoting only when fields are quoted throughout:
/// every field that begins with a quote ends with one, no other field holds
/// any, and all records have the same number of fields.
CsvDialect tsv_dialect_of(std::string_view head);

/// Whether the first record of a TSV names columns: its fields are short,
/// distinct and made of words, and one of them is a usual column name or stands
/// over a column that looks different.
bool has_tsv_header(std::string_view head, const CsvDialect& dialect);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_CSV_DIALECT_H_
