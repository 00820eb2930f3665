#include "tokenize/clause_counter.h"

#include <algorithm>
#include <bit>

#include "tokenize/text_cursor.h"

namespace trainsight::tokenize {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

bool bit_at(const auto& bits, std::size_t at) {
  return (bits[at / 64] >> (at % 64) & 1) != 0;
}
void set_bit(auto& bits, std::size_t at) {
  bits[at / 64] |= std::uint64_t{1} << (at % 64);
}

// The first set bit from `at` on. REQUIRES: there is one.
std::size_t next_bit(const auto& bits, std::size_t at) {
  std::size_t word = at / 64;
  std::uint64_t left = bits[word] >> (at % 64);
  if (left != 0) return at + static_cast<std::size_t>(std::countr_zero(left));
  while (bits[++word] == 0) {
  }
  return word * 64 + static_cast<std::size_t>(std::countr_zero(bits[word]));
}

}  // namespace

ClauseCounter::ClauseCounter(const CharCuts& cuts, PartSource& source)
    : cuts_(cuts), source_(source) {}

std::uint64_t ClauseCounter::add(std::string_view word) {
  std::uint64_t total = 0;
  if (size_ + word.size() > kMaxCharacters) {
    total += count();
    if (word.size() > kMaxCharacters) return total + add_slices(word);
  }
  set_bit(words_, size_);
  append(word);
  return total;
}

// Of a word that does not fit, as many parts at a time as do.
std::uint64_t ClauseCounter::add_slices(std::string_view word) {
  const auto may_cut = [&](std::size_t at) {
    return cuts_.cut_bit(code_point_before(word, at), code_point_at(word, at),
                         static_cast<std::uint8_t>(word[at])) != 0;
  };
  std::uint64_t total = 0;
  for (std::size_t begin = 0; begin < word.size();) {
    std::size_t end = word.size();
    if (end - begin > kMaxCharacters) {
      end = begin + kMaxCharacters;
      while (is_continuation(word[end])) --end;
      const std::size_t most = end;
      while (end > begin && !may_cut(end)) end = previous_code_point(word, end);
      if (end == begin) {
        end = most;
        while (end < word.size() && !may_cut(end)) {
          end = next_code_point(word, end);
        }
      }
    }
    const std::string_view slice = word.substr(begin, end - begin);
    if (slice.size() == word.size()) {
      total += source_.count_whole(word);
    } else if (slice.size() > kMaxCharacters) {
      total += source_.count_parts(&slice, 1);
    } else {
      set_bit(words_, size_);
      set_bit(slices_, size_);
      append(slice);
      total += count();
    }
    begin = end;
  }
  return total;
}

void ClauseCounter::append(std::string_view text) {
  if (size_ == 0) base_ = text.data();
  const auto offset = static_cast<std::uint32_t>(text.data() - base_);
  std::size_t size = size_;
  for (std::uint32_t at = 0; at < text.size(); ++size) {
    const char* const bytes = text.data() + at;
    const auto lead = static_cast<std::uint8_t>(*bytes);
    begins_[size] = offset + at;
    leads_[size] = lead;
    if ((lead & 0xF0) == 0xE0) {
      characters_[size + 1] = static_cast<char32_t>(
          (lead & 0x0F) << 12 | (bytes[1] & 0x3F) << 6 | (bytes[2] & 0x3F));
      at += 3;
    } else {
      characters_[size + 1] = code_point_of(bytes);
      at += static_cast<std::uint32_t>(code_point_bytes(*bytes));
    }
  }
  size_ = size;
}

std::uint64_t ClauseCounter::count() {
  if (size_ == 0) return 0;
  find_parts();
  const std::uint64_t total = count_ones() + count_twos() + count_others();
  for (std::size_t w = 0; w <= size_ / 64; ++w) words_[w] = slices_[w] = 0;
  size_ = 0;
  return total;
}

void ClauseCounter::find_parts() {
  const std::size_t words = size_ / 64 + 1;
  for (std::size_t w = 0; w < words; ++w) {
    // Always 64, so that the loop is no surprise; from the top down.
    std::uint64_t cuts = 0;
    const char32_t* const characters = characters_.data() + w * 64;
    const std::uint8_t* const leads = leads_.data() + w * 64;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint64_t cut =
          cuts_.cut_bit(characters[i], characters[i + 1], leads[i]);
      cuts = cuts >> 1 | cut << 63;
    }
    parts_[w] = cuts | words_[w];
  }
  const std::size_t last = size_ / 64;
  parts_[last] &= ~(kAll << (size_ % 64));
  set_bit(parts_, size_);
  parts_[last + 1] = 0;

  twos_size_ = 0;
  others_size_ = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const std::uint64_t begins =
        w == last ? parts_[w] & ~(kAll << (size_ % 64)) : parts_[w];
    const std::uint64_t after_one = parts_[w] >> 1 | parts_[w + 1] << 63;
    const std::uint64_t after_two = parts_[w] >> 2 | parts_[w + 1] << 62;
    ones_[w] = begins & after_one;
    const std::uint64_t twos = begins & ~after_one & after_two;
    twos_size_ += write_bit_positions(twos, w * 64, twos_.data() + twos_size_);
    others_size_ += write_bit_positions(begins & ~after_one & ~after_two,
                                        w * 64, others_.data() + others_size_);
  }
}

std::uint64_t ClauseCounter::count_ones() {
  std::uint64_t total = 0;
  for (std::size_t w = 0; w <= size_ / 64; ++w) {
    const char32_t* const characters = characters_.data() + 1 + w * 64;
    const std::uint64_t ones = ones_[w];
    std::uint64_t absent = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint64_t count = small_.one(characters[i]);
      total += count & (0 - (ones >> i & 1));
      absent = absent >> 1 | std::uint64_t{count == 0} << 63;
    }
    for (absent &= ones; absent != 0; absent &= absent - 1) {
      const std::size_t at =
          w * 64 + static_cast<std::size_t>(std::countr_zero(absent));
      total += count_small(at, 1);
    }
  }
  return total;
}

std::uint64_t ClauseCounter::count_twos() {
  std::uint64_t total = 0;
  std::size_t absent = 0;
  for (std::size_t i = 0; i < twos_size_; ++i) {
    const std::uint16_t at = twos_[i];
    const std::uint64_t count =
        small_.two(characters_[at + 1U], characters_[at + 2U]);
    total += count;
    twos_[absent] = at;
    absent += count == 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < absent; ++i) total += count_small(twos_[i], 2);
  return total;
}

std::uint64_t ClauseCounter::count_small(std::size_t first,
                                         std::size_t characters) {
  const std::string_view part = bytes_of(first, first + characters);
  const std::uint64_t count = source_.count_parts(&part, 1);
  const char32_t* const character = characters_.data() + 1 + first;
  if (characters == 1) {
    small_.set_one(character[0], count);
  } else {
    small_.set_two(character[0], character[1], count);
  }
  return count;
}

std::uint64_t ClauseCounter::count_others() {
  std::uint64_t total = 0;
  long_parts_.clear();
  for (std::size_t i = 0; i < others_size_; ++i) {
    const std::size_t begin = others_[i];
    const std::size_t end = next_bit(parts_, begin + 1);
    const std::string_view bytes = bytes_of(begin, end);
    const bool is_whole = bit_at(words_, begin) && !bit_at(slices_, begin) &&
                          (end == size_ || bit_at(words_, end));
    if (is_whole) {
      total += source_.count_whole(bytes);
    } else {
      long_parts_.push_back(bytes);
    }
  }
  return total + source_.count_parts(long_parts_.data(), long_parts_.size());
}

std::string_view ClauseCounter::bytes_of(std::size_t first,
                                         std::size_t end) const {
  const std::size_t last = begins_[end - 1];
  const std::size_t bytes =
      last - begins_[first] +
      code_point_bytes(static_cast<char>(leads_[end - 1]));
  return {base_ + begins_[first], bytes};
}

}  // namespace trainsight::tokenize
