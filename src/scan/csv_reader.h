// CSV and TSV: every record is a row whose members are texts.
//
// CSV: the first record is the header. TSV: a header when the first record
// looks like one, otherwise the columns are column_1, column_2, ... and the
// note kNoHeader says so. An empty field is an empty text. A record with more
// or fewer fields than the header is a bad record (kFieldCount), one whose
// quote is never closed is, too (kQuote). Lines without a byte are blank.
// See csv_dialect.h for how fields are written.
#ifndef TRAINSIGHT_SCAN_CSV_READER_H_
#define TRAINSIGHT_SCAN_CSV_READER_H_

#include <memory>

#include "trainsight/scan/format_table.h"

namespace trainsight::scan {

/// kNamed for .csv that holds no NUL byte and does not begin like JSON or XML.
Likeness sniff_csv(const FileHead& head);
/// The same for .tsv and .tab.
Likeness sniff_tsv(const FileHead& head);

Result<std::unique_ptr<Reader>> open_csv(std::unique_ptr<io::ByteSource> source,
                                         const ReadOptions& options);
Result<std::unique_ptr<Reader>> open_tsv(std::unique_ptr<io::ByteSource> source,
                                         const ReadOptions& options);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_CSV_READER_H_
