// Where the records of a CSV end, found without splitting them into fields.
#ifndef TRAINSIGHT_SCAN_CSV_SPLITTER_H_
#define TRAINSIGHT_SCAN_CSV_SPLITTER_H_

#include <memory>

#include "scan/csv_dialect.h"
#include "scan/record_chunker.h"

namespace trainsight::scan {

/// A splitter that agrees with split_csv_record() whatever pieces the text
/// comes in. Looks at quotes and line ends only, which memchr finds.
/// REQUIRES: dialect.quoting; without it a line splitter does.
std::unique_ptr<RecordSplitter> make_csv_splitter(const CsvDialect& dialect);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_CSV_SPLITTER_H_
