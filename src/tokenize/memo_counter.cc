#include "trainsight/tokenize/memo_counter.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace trainsight::tokenize {
namespace {

constexpr std::size_t kLeastBytes = 64;
constexpr std::size_t kMostBytes = std::size_t{16} << 10;
constexpr std::size_t kArenaBytes = std::size_t{4} << 20;
constexpr int kSlotBits = 12;

// Of a text's size and three samples of it: whether two texts are the same is
// asked of all their bytes later. REQUIRES: at least 16 bytes.
std::uint64_t key_of(std::string_view text) {
  const auto word_at = [text](std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    return word;
  };
  std::uint64_t key = text.size();
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{8}, text.size() / 2 - 4, text.size() - 16,
        text.size() - 8}) {
    key = (key ^ word_at(at)) * 0x9E3779B97F4A7C15U;
    key ^= key >> 29;
  }
  return key | 1;  // 0 is that of a free slot
}

class MemoCounter final : public TokenCounter {
 public:
  explicit MemoCounter(std::unique_ptr<TokenCounter> counter)
      : counter_(std::move(counter)), slots_(std::size_t{1} << kSlotBits) {}

  std::uint64_t count(std::string_view utf8) override {
    if (utf8.size() < kLeastBytes || utf8.size() > kMostBytes) {
      return counter_->count(utf8);
    }
    const std::uint64_t key = key_of(utf8);
    Slot& slot = slots_[key >> (64 - kSlotBits)];
    if (slot.key != key) {
      // Most texts come once: the first time only the key is kept.
      slot = Slot{key, 0, 0, 0};
      return counter_->count(utf8);
    }
    if (slot.size == utf8.size() &&
        std::memcmp(arena_.data() + slot.begin, utf8.data(), utf8.size()) ==
            0) {
      return slot.tokens;
    }
    const std::uint64_t tokens = counter_->count(utf8);
    remember(slot, utf8, tokens);
    return tokens;
  }

  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    counter_->encode(utf8, ids);
  }

  bool parts_at(std::string_view utf8, std::size_t at) override {
    return counter_->parts_at(utf8, at);
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t tokens = 0;
    std::uint32_t begin = 0;
    std::uint32_t size = 0;  // 0: the text is not kept
  };

  void remember(Slot& slot, std::string_view text, std::uint64_t tokens) {
    if (arena_.size() + text.size() > kArenaBytes) {
      arena_.clear();
      for (Slot& other : slots_) other.size = 0;
    }
    if (arena_.capacity() == 0) arena_.reserve(kArenaBytes);
    slot.begin = static_cast<std::uint32_t>(arena_.size());
    slot.size = static_cast<std::uint32_t>(text.size());
    slot.tokens = tokens;
    arena_.append(text);
  }

  std::unique_ptr<TokenCounter> counter_;
  std::vector<Slot> slots_;
  std::string arena_;
};

}  // namespace

std::unique_ptr<TokenCounter> make_memo_counter(
    std::unique_ptr<TokenCounter> counter) {
  return std::make_unique<MemoCounter>(std::move(counter));
}

}  // namespace trainsight::tokenize
