// SigbusGuard: memory-mapped files that survive being cut short.
//
// Touching a page of a mapping that lies beyond the file's present end (someone
// truncated it) or that the disk cannot give raises SIGBUS. While a range is
// guarded, the process-wide handler instead puts a page of zeros there, notes
// that the range is damaged and lets the access go on; the reader finds zeros,
// and asks damaged() before it believes them.
//
// The handler uses only atomics and mmap(2), a plain system call on Linux. A
// SIGBUS outside all guarded ranges goes to the handler that was there before.
#ifndef TRAINSIGHT_IO_SIGBUS_GUARD_H_
#define TRAINSIGHT_IO_SIGBUS_GUARD_H_

#include <cstddef>

namespace trainsight::io {

/// A guarded range of memory. Thread-safety: as a plain value; damaged() from
/// any thread.
class SigbusGuard {
 public:
  /// Guards [begin, begin + bytes), which must be page-aligned and mapped,
  /// until destroyed (before the memory is unmapped). At most 1,024 ranges at a
  /// time: is_active() is false beyond, and the range must then not be read.
  SigbusGuard(const void* begin, std::size_t bytes);
  SigbusGuard(const SigbusGuard&) = delete;
  SigbusGuard& operator=(const SigbusGuard&) = delete;
  ~SigbusGuard();

  [[nodiscard]] bool is_active() const { return slot_ >= 0; }
  /// Whether a page of the range could not be had and reads as zeros.
  [[nodiscard]] bool damaged() const;

 private:
  int slot_ = -1;
};

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_SIGBUS_GUARD_H_
