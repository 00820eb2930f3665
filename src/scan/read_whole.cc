#include "trainsight/scan/read_whole.h"

#include <fmt/format.h>

#include <algorithm>

#include "scan/decompressing_source.h"
#include "scan/head_source.h"

namespace trainsight::scan {

Result<std::unique_ptr<io::ByteSource>> decompressed(
    std::unique_ptr<io::ByteSource> source) {
  auto opened = read_head(std::move(source));
  if (!opened) return opened.error();
  const Compression compression = compression_of(opened->head);
  if (compression == Compression::kNone) return std::move(opened->source);
  return std::unique_ptr<io::ByteSource>(
      make_decompressing_source(std::move(opened->source), compression, {}));
}

Result<std::string> read_whole(std::unique_ptr<io::ByteSource> source,
                               std::uint64_t max_bytes) {
  constexpr std::size_t kStep = 1 << 20;
  const std::string name = source->name();
  auto opened = decompressed(std::move(source));
  if (!opened) return opened.error();
  const std::unique_ptr<io::ByteSource> bytes = *std::move(opened);
  std::string whole;
  if (bytes->is_mapped()) {
    if (bytes->size() <= max_bytes) {
      whole = std::string(bytes->view(0, bytes->size()));
      if (Status status = bytes->check(); !status) return status.error();
      return whole;
    }
  } else {
    while (whole.size() <= max_bytes) {
      const std::size_t begin = whole.size();
      whole.resize(begin + kStep);
      auto read = bytes->read(std::span(whole.data() + begin, kStep));
      if (!read) return read.error();
      whole.resize(begin + *read);
      if (*read == 0) return whole;
    }
  }
  return Error{ErrorKind::kLimit,
               fmt::format("{} is longer than {} bytes", name, max_bytes), ""};
}

}  // namespace trainsight::scan
