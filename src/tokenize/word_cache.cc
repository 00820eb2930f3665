#include "tokenize/word_cache.h"

#include <sys/mman.h>

#include "trainsight/text/xxhash64.h"

namespace trainsight::tokenize {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

}  // namespace

ZeroedPages::ZeroedPages(std::size_t bytes)
    : mapped_bytes_(bytes + kHugePageBytes) {
  mapping_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  const std::size_t skip =
      (kHugePageBytes - address % kHugePageBytes) % kHugePageBytes;
  data_ = static_cast<unsigned char*>(mapping_) + skip;
#ifdef MADV_HUGEPAGE
  // A table in small pages works too, so that a refusal does not matter.
  static_cast<void>(::madvise(data_, bytes, MADV_HUGEPAGE));
#endif
}

ZeroedPages::~ZeroedPages() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
}

std::uint64_t LongWordTable::hash_of(std::string_view word) {
  return text::xxh64(word);
}

std::uint32_t LongWordTable::find(std::string_view word,
                                  std::uint64_t hash) const {
  if (slots_.empty()) return 0;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t i = hash % kSlots; slots_[i].count != 0;
       i = (i + 1) % kSlots) {
    const Slot& slot = slots_[i];
    if (slot.tag == tag && slot.size == word.size() &&
        std::memcmp(arena_.data() + slot.begin, word.data(), word.size()) ==
            0) {
      return slot.count;
    }
  }
  return 0;
}

void LongWordTable::insert(std::string_view word, std::uint64_t hash,
                           std::uint32_t count) {
  if (slots_.empty() || used_slots_ * 2 >= kSlots ||
      arena_.size() + word.size() > kArenaBytes) {
    slots_.assign(kSlots, Slot{});
    used_slots_ = 0;
    arena_.clear();
    arena_.reserve(kArenaBytes);
  }
  std::size_t i = hash % kSlots;
  while (slots_[i].count != 0) i = (i + 1) % kSlots;
  slots_[i] = Slot{static_cast<std::uint32_t>(hash >> 32),
                   static_cast<std::uint32_t>(arena_.size()),
                   static_cast<std::uint32_t>(word.size()), count};
  arena_.append(word);
  ++used_slots_;
}

std::unique_ptr<WordCache> WordCache::make() {
  auto pages =
      std::make_unique<ZeroedPages>(ShortTable::kBytes + MediumTable::kBytes);
  if (pages->data() == nullptr) return nullptr;
  return std::unique_ptr<WordCache>(new WordCache(std::move(pages)));
}

}  // namespace trainsight::tokenize
