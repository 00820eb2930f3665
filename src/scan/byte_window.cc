#include "scan/byte_window.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace trainsight::scan {
namespace {

constexpr std::size_t kPadding = 64;

}  // namespace

std::shared_ptr<char[]> make_buffer(std::size_t bytes) {
  char* memory = new (std::nothrow) char[bytes + kPadding];
  if (memory == nullptr) return nullptr;
  std::memset(memory + bytes, 0, kPadding);
  return std::shared_ptr<char[]>(memory);
}

ByteWindow::ByteWindow(std::unique_ptr<io::ByteSource> source)
    : owned_(std::move(source)), source_(owned_.get()) {}

ByteWindow ByteWindow::look_ahead() const { return {source_, offset_}; }

Result<std::string_view> ByteWindow::peek(std::size_t wanted) {
  if (!source_->is_mapped()) return peek_stream(wanted);
  const std::string_view front = source_->view(offset_, wanted);
  if (front.size() < wanted) fault_ = source_->check();
  return front;
}

Result<std::string_view> ByteWindow::peek_stream(std::size_t wanted) {
  if (end_ - begin_ < wanted && !ended_) {
    const std::size_t left = end_ - begin_;
    // Once a piece looks into a buffer nothing more is written to it, not even
    // behind the piece, where its user may read ahead.
    if (begin_ > 0 || wanted > capacity_) {
      std::shared_ptr<char[]> next = make_buffer(wanted);
      if (next == nullptr) {
        return Error{ErrorKind::kLimit,
                     "cannot read " + source_->name() + ": not enough memory",
                     ""};
      }
      if (left > 0) std::memcpy(next.get(), buffer_.get() + begin_, left);
      buffer_ = std::move(next);
      capacity_ = wanted;
      begin_ = 0;
      end_ = left;
    }
    while (end_ - begin_ < wanted) {
      const Result<std::size_t> got = source_->read(
          std::span<char>(buffer_.get() + end_, begin_ + wanted - end_));
      if (!got) fault_ = got.error();
      if (!got || *got == 0) {
        ended_ = true;
        break;
      }
      end_ += *got;
    }
  }
  return std::string_view(buffer_.get() + begin_,
                          std::min(wanted, end_ - begin_));
}

ByteWindow::Piece ByteWindow::take(std::size_t bytes) {
  Piece piece;
  piece.offset = offset_;
  if (source_->is_mapped()) {
    piece.bytes = source_->view(offset_, bytes);
  } else {
    piece.bytes = std::string_view(buffer_.get() + begin_, bytes);
    piece.owner = buffer_;
    begin_ += bytes;
  }
  offset_ += bytes;
  return piece;
}

}  // namespace trainsight::scan
