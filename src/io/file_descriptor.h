// FileDescriptor: an open file that closes itself.
#ifndef TRAINSIGHT_IO_FILE_DESCRIPTOR_H_
#define TRAINSIGHT_IO_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace trainsight::io {

class FileDescriptor {
 public:
  /// Takes ownership; a negative number is none.
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_FILE_DESCRIPTOR_H_
