// ByteSource: the bytes of a file, mapped or streamed.
//
// A regular file is memory-mapped: view() gives any part of it without a copy.
// What cannot be mapped (pipes, stdin, FIFOs, /proc files) is read in order
// through read(). A file that is cut or replaced while it is mapped never ends
// in SIGBUS: the guard in mapped_file.cc puts zeros there and check() says
// what happened.
//
// Thread-safety: view(), release() and check() from any thread; read() from one
// thread at a time.
#ifndef TRAINSIGHT_IO_BYTE_SOURCE_H_
#define TRAINSIGHT_IO_BYTE_SOURCE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"

namespace trainsight::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The path as given by the user, for messages; "<stdin>" for "-".
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Whether view() works; otherwise only read() does.
  [[nodiscard]] virtual bool is_mapped() const = 0;
  /// Size of a mapped file in bytes. REQUIRES: is_mapped().
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Bytes [offset, offset + length) of a mapped file, cut at its end; at least
  /// 64 readable bytes follow any view (zeros after the end of the file).
  [[nodiscard]] virtual std::string_view view(std::uint64_t offset,
                                              std::uint64_t length) const = 0;
  /// Reads up to buffer.size() bytes in order; 0 at the end. Retries EINTR.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;
  /// The caller is done with the bytes [begin, end) for now: lets their pages
  /// go, so that a file of any size is read in bounded memory. A later view()
  /// of them works and reads them again.
  virtual void release(std::uint64_t begin, std::uint64_t end) const = 0;
  /// kChanged when the file is not what it was when it was opened.
  [[nodiscard]] virtual Status check() const = 0;
};

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_BYTE_SOURCE_H_
