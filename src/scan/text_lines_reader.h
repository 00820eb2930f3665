// Plain text: every line that is not blank is a row {"text": line}; or the
// whole file is one (ReadOptions::text_is_one_document).
//
// Lines end with LF or CR LF, and with CR alone in a file whose beginning has
// no LF. White space at the ends of a line belongs to it.
#ifndef TRAINSIGHT_SCAN_TEXT_LINES_READER_H_
#define TRAINSIGHT_SCAN_TEXT_LINES_READER_H_

#include <memory>
#include <string_view>

#include "scan/record_chunker.h"
#include "trainsight/scan/format_table.h"

namespace trainsight::scan {

/// kNamed for .txt and .text that hold no NUL byte.
Likeness sniff_text_lines(const FileHead& head);

Result<std::unique_ptr<Reader>> open_text_lines(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

/// Records that end with `terminator`.
std::unique_ptr<RecordSplitter> make_line_splitter(char terminator);

/// The byte that ends the lines of a text that begins with `head`: CR when
/// there is one and no LF, otherwise LF.
char line_terminator(std::string_view head);

/// Takes a UTF-8 byte order mark off the front of `window` and notes it.
Status take_byte_order_mark(ByteWindow& window, std::vector<FileNote>& notes);

/// The note kLoneCr.
FileNote lone_cr_note();

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_TEXT_LINES_READER_H_
