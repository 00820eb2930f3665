// Whole files: identity, small reads, atomic writes.
#ifndef TRAINSIGHT_IO_FILES_H_
#define TRAINSIGHT_IO_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"

namespace trainsight::io {

/// Size and time of a regular file: what a manifest keeps of it besides the
/// hash, and the cheap half of the question whether it is still the same.
struct FileInfo {
  std::uint64_t bytes = 0;
  /// Last modification in nanoseconds since 1970-01-01T00:00:00Z.
  std::int64_t modified_ns = 0;
};

/// Errors: kNotFound, kUnreadable (also for what is no regular file).
Result<FileInfo> file_info(const std::string& path);

/// XXH64 of a file's bytes, read in order in bounded memory; "-" is not taken.
Result<std::uint64_t> hash_file(const std::string& path);

/// A whole file of at most `max_bytes` (a configuration, a vocabulary).
/// Errors: as open_source(); kLimit when the file is longer.
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);

/// Writes `bytes` to `path` so that a reader, or a crash, sees the old file or
/// the complete new one: a temporary file in the same folder, fsync, rename.
/// A symbolic link is followed, an existing file's permissions are kept, and
/// what is no regular file (/dev/stdout, a FIFO) is written to directly.
Status write_file_atomically(const std::string& path, std::string_view bytes);

/// "2026-03-01T09:30:00.123456789Z" (RFC 3339, UTC); the fraction is left out
/// when it is zero. REQUIRES: years 0000 to 9999, which an int64 cannot leave.
std::string rfc3339_from_ns(std::int64_t ns_since_epoch);

/// The inverse of rfc3339_from_ns(); also takes offsets ("+02:00") and fewer
/// digits. kCorrupt for anything else.
Result<std::int64_t> ns_from_rfc3339(std::string_view text);

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_FILES_H_
