// ByteWindow: a source as one long text that is looked at and cut from the
// front, whether it is mapped or streamed.
//
// peek() shows the bytes at the front, take() cuts some of them off as a Piece
// that stays valid on its own. A mapped source is never copied; a streamed one
// is read into buffers that the pieces share, and only the bytes behind a cut
// are copied to the next buffer.
//
// Thread-safety: the window belongs to one thread; pieces may go to any.
#ifndef TRAINSIGHT_SCAN_BYTE_WINDOW_H_
#define TRAINSIGHT_SCAN_BYTE_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"

namespace trainsight::scan {

/// Memory that is not filled before it is written, with 64 readable bytes
/// behind its end. Null when there is not enough memory: nothing throws.
std::shared_ptr<char[]> make_buffer(std::size_t bytes);

class ByteWindow {
 public:
  struct Piece {
    std::string_view bytes;         ///< 64 readable bytes follow
    std::uint64_t offset = 0;       ///< of bytes[0] in the source
    std::shared_ptr<char[]> owner;  ///< null when mapped
  };

  explicit ByteWindow(std::unique_ptr<io::ByteSource> source);

  /// Another window over the rest of a mapped source, which must outlive it.
  /// REQUIRES: source().is_mapped().
  [[nodiscard]] ByteWindow look_ahead() const;

  /// The bytes at the front: `wanted` of them, fewer only at the end of the
  /// source. Valid until the next call. When a read fails, the bytes before
  /// the fault are shown first, as if the source ended there; fault() tells.
  Result<std::string_view> peek(std::size_t wanted);
  /// Cuts `bytes` off the front. REQUIRES: peek() has shown as many.
  Piece take(std::size_t bytes);
  /// The error that ended the source early, or success.
  [[nodiscard]] const Status& fault() const { return fault_; }
  /// Offset of the front in the source.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] const io::ByteSource& source() const { return *source_; }

 private:
  ByteWindow(io::ByteSource* source, std::uint64_t offset)
      : source_(source), offset_(offset) {}
  Result<std::string_view> peek_stream(std::size_t wanted);

  std::unique_ptr<io::ByteSource> owned_;
  io::ByteSource* source_;
  std::shared_ptr<char[]> buffer_;  // of a streamed source
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // in buffer_
  std::size_t end_ = 0;
  bool ended_ = false;
  std::uint64_t offset_ = 0;
  Status fault_;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_BYTE_WINDOW_H_
