// What is in a file that holds no rows we can read, by its signature: a web
// page, a Git LFS pointer, an image, a pickle. Named for what it is, so that
// nobody looks for a broken record in it.
//
// Adding a kind: one row in wrong_kind.cc.
#ifndef TRAINSIGHT_SCAN_WRONG_KIND_H_
#define TRAINSIGHT_SCAN_WRONG_KIND_H_

#include <memory>
#include <string_view>

#include "trainsight/scan/format_table.h"

namespace trainsight::scan {

struct WrongKind {
  std::string_view what;  ///< "a Git LFS pointer, not the data"
  std::string_view hint;  ///< what to do, a sentence
};

/// The kind that `head` is for certain; nullptr when it is none of them.
const WrongKind* wrong_kind_of(const FileHead& head);

/// kCertain when wrong_kind_of() knows it.
Likeness sniff_wrong_kind(const FileHead& head);

/// Always an error of kind kUnsupported that names the content.
Result<std::unique_ptr<Reader>> open_wrong_kind(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_WRONG_KIND_H_
