#include "io/sigbus_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace trainsight::io {
namespace {

constexpr int kSlotCount = 1024;

// One guarded range. A signal handler takes no parameters of ours, so the table
// is global. `end` is set last and cleared first: a slot whose end is 0 covers
// nothing.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> damaged{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
};
std::array<Slot, kSlotCount> slots;
struct sigaction previous_action;
std::uintptr_t page_bytes = 0;

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

// mmap by the bare system call where there is one: the library's wrapper need
// not be safe in a handler, and ThreadSanitizer takes it for a write to the
// page, which other threads may read at that moment (they get the old page's
// fault or the new page's zeros).
void* map_zeros_at(void* page) {
  constexpr int kProtection = PROT_READ;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
#if defined(SYS_mmap)
  const long mapped =
      ::syscall(SYS_mmap, page, page_bytes, kProtection, kFlags, -1, 0L);
  return reinterpret_cast<void*>(mapped);  // NOLINT: the kernel's answer
#else
  return ::mmap(page, page_bytes, kProtection, kFlags, -1, 0);
#endif
}

// Puts zeros in place of the page at `address` when a slot covers it.
bool repair(std::uintptr_t address) {
  for (Slot& slot : slots) {
    const std::uintptr_t end = slot.end.load(std::memory_order_acquire);
    if (address >= end) continue;
    if (address < slot.begin.load(std::memory_order_relaxed)) continue;
    slot.damaged.store(true, std::memory_order_release);
    // The address as a pointer again: the page that the fault names.
    void* const page =
        reinterpret_cast<void*>(address & ~(page_bytes - 1));  // NOLINT
    return map_zeros_at(page) == page;
  }
  return false;
}

void on_sigbus(int signal_number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const bool repaired = repair(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = saved_errno;
  if (repaired) return;
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal_number, info, context);
  } else if (previous_action.sa_handler != SIG_DFL &&
             previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal_number);
  } else {
    // The access is repeated on return and then ends the process as it would
    // have without us.
    ::signal(SIGBUS, SIG_DFL);
  }
}

void install_handler() {
  page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action = {};
  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &previous_action);
}

}  // namespace

SigbusGuard::SigbusGuard(const void* begin, std::size_t bytes) {
  static std::once_flag installed;
  std::call_once(installed, install_handler);
  for (int i = 0; i < kSlotCount; ++i) {
    Slot& slot = slots[static_cast<std::size_t>(i)];
    bool expected = false;
    if (!slot.taken.compare_exchange_strong(expected, true)) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    slot.damaged.store(false, std::memory_order_relaxed);
    slot.begin.store(address, std::memory_order_relaxed);
    slot.end.store(address + bytes, std::memory_order_release);
    slot_ = i;
    return;
  }
}

SigbusGuard::~SigbusGuard() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.end.store(0, std::memory_order_release);
  slot.taken.store(false, std::memory_order_release);
}

bool SigbusGuard::damaged() const {
  return slot_ >= 0 && slots[static_cast<std::size_t>(slot_)].damaged.load(
                           std::memory_order_acquire);
}

}  // namespace trainsight::io
