// Arena: memory for the values of one rendering, freed all at once.
//
// Allocation is a pointer bump; nothing is destroyed singly, so only trivially
// destructible types go in. The bound is on bytes asked for since the last
// reset. Not thread-safe.
#ifndef TRAINSIGHT_CHAT_JINJA_ARENA_H_
#define TRAINSIGHT_CHAT_JINJA_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace trainsight::chat::jinja {

class Arena {
 public:
  explicit Arena(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  /// `bytes` of memory aligned to 8, or nullptr when the limit is met.
  void* allocate(std::uint64_t bytes) {
    if (bytes > limit_bytes_) return nullptr;
    // At least one word, so that nothing asked for is no failure either.
    bytes = (std::max<std::uint64_t>(bytes, 1) + 7) & ~std::uint64_t{7};
    if (bytes > limit_bytes_ - used_bytes_) return nullptr;
    used_bytes_ += bytes;
    if (bytes > static_cast<std::uint64_t>(end_ - at_)) return grow(bytes);
    void* const memory = at_;
    at_ += bytes;
    return memory;
  }

  /// `count` value-initialised objects, or nullptr when the limit is met.
  template <typename T>
  T* make(std::uint64_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    if (count > limit_bytes_ / sizeof(T)) return nullptr;
    void* const memory = allocate(count * sizeof(T));
    if (memory == nullptr) return nullptr;
    T* const objects = static_cast<T*>(memory);
    for (std::uint64_t i = 0; i < count; ++i) new (objects + i) T();
    return objects;
  }

  /// Forgets everything. The first block is kept, so that small renderings
  /// one after the other ask the system for nothing.
  void reset() {
    if (blocks_.size() > 1) blocks_.resize(1);
    used_bytes_ = 0;
    at_ = blocks_.empty() ? nullptr : blocks_[0].get();
    end_ = blocks_.empty() ? nullptr : at_ + kFirstBlockBytes;
  }

 private:
  static constexpr std::uint64_t kFirstBlockBytes = 64 << 10;

  void* grow(std::uint64_t bytes) {
    const std::uint64_t size = blocks_.empty() && bytes <= kFirstBlockBytes
                                   ? kFirstBlockBytes
                                   : std::max(bytes, std::uint64_t{1} << 20);
    // The first block has a fixed size (see reset), whatever comes first.
    if (blocks_.empty() && size != kFirstBlockBytes) {
      blocks_.push_back(std::make_unique<char[]>(kFirstBlockBytes));
    }
    // Left uninitialised: every user writes what it asked for.
    blocks_.emplace_back(new char[size]);
    at_ = blocks_.back().get() + bytes;
    end_ = blocks_.back().get() + size;
    return blocks_.back().get();
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  char* end_ = nullptr;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t limit_bytes_;
};

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_ARENA_H_
