#include "pack_rows.h"

#include <algorithm>

#include "trainsight/batching/pack.h"
#include "trainsight/io/open_source.h"

namespace trainsight::cli {

static_assert(batching::kNoLabel == facts::kAbsent);

void PackRows::add(const std::vector<facts::RowFacts>& rows) {
  for (const facts::RowFacts& row : rows) {
    if (row.is_pair() || !chosen.empty()) {
      chosen.resize(lengths.size());
      std::copy(lengths.begin() + static_cast<std::ptrdiff_t>(rejected.size()),
                lengths.end(),
                chosen.begin() + static_cast<std::ptrdiff_t>(rejected.size()));
      rejected.resize(lengths.size());
      chosen.push_back(row.is_pair() ? row.chosen_side_tokens : row.tokens);
      rejected.push_back(row.is_pair() ? row.rejected_side_tokens : 0);
    }
    lengths.push_back(row.tokens);
    first_labels.push_back(row.first_label);
    places.push_back(Place{row.offset, row.bytes, row.file});
  }
}

Result<RowBytes> RowBytes::open(const std::vector<std::string>& paths,
                                const PackRows& rows) {
  RowBytes bytes;
  for (const std::string& path : paths) {
    auto source = io::open_source(path);
    if (!source) return source.error();
    bytes.files_.push_back(*std::move(source));
  }
  for (const PackRows::Place& place : rows.places) {
    const io::ByteSource& file = *bytes.files_[place.file];
    const bool there = place.bytes > 0 && file.is_mapped() &&
                       place.offset + place.bytes <= file.size() &&
                       file.view(place.offset, 1) == "{";
    if (!there) {
      return Error{ErrorKind::kUnsupported,
                   file.name() + " has no rows that can be copied as JSON",
                   "write an index instead: --index PREFIX"};
    }
  }
  return bytes;
}

std::string_view RowBytes::line(const PackRows::Place& place) {
  const std::string_view raw =
      files_[place.file]->view(place.offset, place.bytes);
  // Inside strings JSON has no raw line ends: those found are between values.
  if (raw.find_first_of("\r\n") == std::string_view::npos) return raw;
  compact_.assign(raw);
  std::replace_if(
      compact_.begin(), compact_.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return compact_;
}

Status RowBytes::check() const {
  for (const auto& file : files_) {
    if (Status status = file->check(); !status) return status;
  }
  return {};
}

}  // namespace trainsight::cli
