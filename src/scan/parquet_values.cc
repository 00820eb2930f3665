#include "scan/parquet_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "scan/byte_window.h"
#include "scan/utf8_check.h"

namespace trainsight::scan::parquet {
namespace {

// Values put together in a block's own memory.
constexpr std::size_t kArenaBytes = 4 << 20;

template <typename T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

std::size_t plain_width(const Leaf& leaf) {
  switch (leaf.type) {
    case PhysicalType::kInt32:
    case PhysicalType::kFloat:
      return 4;
    case PhysicalType::kInt64:
    case PhysicalType::kDouble:
      return 8;
    case PhysicalType::kInt96:
      return 12;
    case PhysicalType::kFixedLenByteArray:
      return static_cast<std::size_t>(leaf.type_length);
    case PhysicalType::kBoolean:
    case PhysicalType::kByteArray:
      return 0;
  }
  return 0;
}

// Nanoseconds since 1970 of an Impala timestamp; wraps for years that an int64
// of nanoseconds cannot hold.
std::int64_t nanoseconds_of_int96(const char* at) {
  constexpr std::uint64_t kJulianEpoch = 2'440'588;
  constexpr std::uint64_t kDayNanoseconds = 86'400'000'000'000;
  const auto of_day = load<std::uint64_t>(at);
  const std::uint64_t day = load<std::uint32_t>(at + 8);
  return static_cast<std::int64_t>((day - kJulianEpoch) * kDayNanoseconds +
                                   of_day);
}

// One value of fixed width at `at`.
void push_fixed(const Leaf& leaf, const char* at, ValueBlock& block) {
  switch (leaf.type) {
    case PhysicalType::kInt32:
      block.integers.push_back(load<std::int32_t>(at));
      break;
    case PhysicalType::kInt64:
      block.integers.push_back(load<std::int64_t>(at));
      break;
    case PhysicalType::kInt96:
      block.integers.push_back(nanoseconds_of_int96(at));
      break;
    case PhysicalType::kFloat:
      block.reals.push_back(static_cast<double>(load<float>(at)));
      break;
    case PhysicalType::kDouble:
      block.reals.push_back(load<double>(at));
      break;
    case PhysicalType::kFixedLenByteArray:
      block.bytes.emplace_back(at, static_cast<std::size_t>(leaf.type_length));
      break;
    case PhysicalType::kBoolean:
    case PhysicalType::kByteArray:
      break;
  }
}

// Whether bytes of this column are, or may be, text.
bool may_be_text(const Leaf& leaf) {
  return leaf.type == PhysicalType::kByteArray &&
         (leaf.meaning == Meaning::kText || leaf.meaning == Meaning::kNone);
}

void clear(ValueBlock& block) {
  block.integers.clear();
  block.reals.clear();
  block.bytes.clear();
  block.is_utf8.clear();
}

}  // namespace

Stored stored_form_of(PhysicalType type) {
  switch (type) {
    case PhysicalType::kBoolean:
    case PhysicalType::kInt32:
    case PhysicalType::kInt64:
    case PhysicalType::kInt96:
      return Stored::kIntegers;
    case PhysicalType::kFloat:
    case PhysicalType::kDouble:
      return Stored::kReals;
    case PhysicalType::kByteArray:
    case PhysicalType::kFixedLenByteArray:
      return Stored::kBytes;
  }
  return Stored::kBytes;
}

bool PageValues::read_dictionary(std::string_view page, const Leaf& leaf,
                                 std::uint64_t count, Dictionary& dictionary) {
  // Before anything is allocated: a value takes 4 bytes at least.
  const std::size_t width = plain_width(leaf);
  const std::size_t least = width == 0 ? 4 : width;
  if (leaf.type == PhysicalType::kBoolean || count > page.size() / least) {
    return false;
  }
  PageValues values;
  if (!values.start(page, Encoding::kPlain, leaf, count, nullptr).empty()) {
    return false;
  }
  clear(dictionary);
  return count == 0 || values.read(count, dictionary) == count;
}

std::string PageValues::start(std::string_view page, Encoding encoding,
                              const Leaf& leaf, std::uint64_t count,
                              const Dictionary* dictionary) {
  leaf_ = &leaf;
  dictionary_ = dictionary;
  encoding_ = encoding == Encoding::kPlainDictionary ? Encoding::kRleDictionary
                                                     : encoding;
  page_ = page;
  at_ = 0;
  // A page of nulls alone has no bytes; every other value takes some, or stands
  // behind a header.
  left_ = page.empty() ? 0 : count;
  if (left_ == 0) return "";
  const bool numbers =
      leaf.type == PhysicalType::kInt32 || leaf.type == PhysicalType::kInt64;
  switch (encoding_) {
    case Encoding::kPlain:
      return "";
    case Encoding::kRleDictionary: {
      if (dictionary == nullptr) return "a page without its dictionary";
      const int width = static_cast<std::uint8_t>(page.front());
      if (width > 32) return "a dictionary index of over 32 bits";
      rle_ = RleDecoder(page.substr(1), width);
      return "";
    }
    case Encoding::kRle:
      if (leaf.type != PhysicalType::kBoolean) break;
      if (page.size() < 4) return "a page that is cut";
      rle_ = RleDecoder(page.substr(4, load<std::uint32_t>(page.data())), 1);
      return "";
    case Encoding::kDeltaBinaryPacked:
      if (!numbers) break;
      return lengths_.start(page) ? "" : "damaged delta encoding";
    case Encoding::kDeltaLengthByteArray:
    case Encoding::kDeltaByteArray:
      if (stored_form_of(leaf.type) != Stored::kBytes) break;
      return start_delta_strings(page);
    case Encoding::kByteStreamSplit: {
      const std::size_t width = plain_width(leaf);
      if (width == 0 || leaf.type == PhysicalType::kInt96) break;
      split_values_ = page.size() / width;  // nulls are not stored
      left_ = std::min<std::uint64_t>(left_, split_values_);
      return "";
    }
    case Encoding::kPlainDictionary:  // made kRleDictionary above
    case Encoding::kBitPacked:
      break;
  }
  return fmt::format("encoding {} for a type that does not have it",
                     static_cast<std::int32_t>(encoding));
}

// Both delta encodings of bytes: lengths first, then the bytes.
std::string PageValues::start_delta_strings(std::string_view page) {
  number_at_ = 0;
  numbers_.clear();
  previous_.clear();
  std::size_t at = 0;
  if (encoding_ == Encoding::kDeltaByteArray) {
    if (!prefixes_.start(page)) return "damaged delta encoding";
    at = prefixes_.encoded_bytes();
  }
  if (!lengths_.start(page.substr(at))) return "damaged delta encoding";
  at_ = at + lengths_.encoded_bytes();
  return "";
}

std::size_t PageValues::read(std::size_t count, ValueBlock& block) {
  clear(block);
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
  std::size_t given = 0;
  switch (encoding_) {
    case Encoding::kPlain:
      given = leaf_->type == PhysicalType::kBoolean
                  ? read_booleans(count, block)
                  : read_plain(count, block);
      break;
    case Encoding::kRleDictionary:
      given = read_indexes(count, block);
      left_ -= given;
      return given;  // what is UTF-8 was found with the dictionary
    case Encoding::kRle:
      indexes_.resize(count);
      given = rle_.read(indexes_.data(), count);
      block.integers.assign(indexes_.begin(),
                            indexes_.begin() + static_cast<long>(given));
      break;
    case Encoding::kDeltaBinaryPacked:
      block.integers.resize(count);
      given = lengths_.read(block.integers.data(), count);
      block.integers.resize(given);
      if (leaf_->type == PhysicalType::kInt32) {
        for (std::int64_t& value : block.integers) {
          value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
        }
      }
      break;
    case Encoding::kDeltaLengthByteArray:
      given = read_delta_lengths(count, block);
      break;
    case Encoding::kDeltaByteArray:
      given = read_delta_strings(count, block);
      break;
    case Encoding::kByteStreamSplit:
      given = read_split(count, block);
      break;
    default:
      break;
  }
  if (may_be_text(*leaf_)) check_text(given, block);
  left_ -= given;
  return given;
}

void PageValues::check_text(std::size_t count, ValueBlock& block) const {
  block.is_utf8.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    block.is_utf8[i] =
        invalid_utf8_at(block.bytes[i]) == std::string_view::npos ? 1 : 0;
  }
}

std::size_t PageValues::read_plain(std::size_t count, ValueBlock& block) {
  const std::size_t width = plain_width(*leaf_);
  std::size_t given = 0;
  if (width > 0) {
    given = std::min(count, (page_.size() - at_) / width);
    for (std::size_t i = 0; i < given; ++i) {
      push_fixed(*leaf_, page_.data() + at_ + i * width, block);
    }
    at_ += given * width;
    return given;
  }
  block.bytes.reserve(count);
  while (given < count && page_.size() - at_ >= 4) {
    const auto length = load<std::uint32_t>(page_.data() + at_);
    if (length > page_.size() - at_ - 4) break;
    block.bytes.push_back(page_.substr(at_ + 4, length));
    at_ += 4 + std::size_t{length};
    ++given;
  }
  return given;
}

std::size_t PageValues::read_booleans(std::size_t count, ValueBlock& block) {
  const std::size_t given = std::min(count, page_.size() * 8 - at_);
  for (std::size_t i = 0; i < given; ++i, ++at_) {
    const auto byte = static_cast<std::uint8_t>(page_[at_ / 8]);
    block.integers.push_back((byte >> (at_ % 8)) & 1);
  }
  return given;
}

std::size_t PageValues::read_indexes(std::size_t count, ValueBlock& block) {
  indexes_.resize(count);
  const std::size_t given = rle_.read(indexes_.data(), count);
  const auto gather = [&](const auto& from, auto& to) {
    to.reserve(given);
    for (std::size_t i = 0; i < given; ++i) {
      if (indexes_[i] >= from.size()) return i;
      to.push_back(from[indexes_[i]]);
    }
    return given;
  };
  switch (stored_form_of(leaf_->type)) {
    case Stored::kIntegers:
      return gather(dictionary_->integers, block.integers);
    case Stored::kReals:
      return gather(dictionary_->reals, block.reals);
    case Stored::kBytes: {
      const std::size_t known = gather(dictionary_->bytes, block.bytes);
      if (may_be_text(*leaf_)) gather(dictionary_->is_utf8, block.is_utf8);
      return known;
    }
  }
  return 0;
}

std::size_t PageValues::read_delta_lengths(std::size_t count,
                                           ValueBlock& block) {
  numbers_.resize(count);
  const std::size_t lengths = lengths_.read(numbers_.data(), count);
  for (std::size_t i = 0; i < lengths; ++i) {
    const std::int64_t length = numbers_[i];
    if (at_ > page_.size() || length < 0 ||
        static_cast<std::uint64_t>(length) > page_.size() - at_) {
      return i;
    }
    block.bytes.push_back(page_.substr(at_, static_cast<std::size_t>(length)));
    at_ += static_cast<std::size_t>(length);
  }
  return lengths;
}

std::size_t PageValues::read_delta_strings(std::size_t count,
                                           ValueBlock& block) {
  // Lengths that a full arena left over from the last call come first.
  if (number_at_ == numbers_.size()) {
    numbers_.resize(count);
    prefix_numbers_.resize(count);
    const std::size_t suffixes = lengths_.read(numbers_.data(), count);
    const std::size_t prefixes = prefixes_.read(prefix_numbers_.data(), count);
    numbers_.resize(std::min(suffixes, prefixes));
    number_at_ = 0;
  }
  // First the sizes, so that the memory is made once.
  const std::size_t end = std::min(numbers_.size(), number_at_ + count);
  std::uint64_t bytes = 0;
  std::uint64_t length = previous_.size();
  std::size_t from = at_;
  std::size_t stop = number_at_;
  for (; stop < end; ++stop) {
    const std::int64_t prefix = prefix_numbers_[stop];
    const std::int64_t suffix = numbers_[stop];
    if (prefix < 0 || suffix < 0 || from > page_.size() ||
        static_cast<std::uint64_t>(prefix) > length ||
        static_cast<std::uint64_t>(suffix) > page_.size() - from) {
      break;
    }
    from += static_cast<std::size_t>(suffix);
    length = static_cast<std::uint64_t>(prefix + suffix);
    bytes += length;
    if (bytes > kArenaBytes) {
      ++stop;
      break;
    }
  }
  arena_ = make_buffer(bytes);
  if (arena_ == nullptr) return 0;
  char* to = arena_.get();
  std::string_view last = previous_;
  const std::size_t begin = number_at_;
  for (; number_at_ < stop; ++number_at_) {
    const auto prefix = static_cast<std::size_t>(prefix_numbers_[number_at_]);
    const auto suffix = static_cast<std::size_t>(numbers_[number_at_]);
    if (prefix > 0) std::memcpy(to, last.data(), prefix);
    if (suffix > 0) std::memcpy(to + prefix, page_.data() + at_, suffix);
    at_ += suffix;
    last = std::string_view(to, prefix + suffix);
    block.bytes.push_back(last);
    to += last.size();
  }
  if (stop > begin) previous_ = std::string(last);
  return stop - begin;
}

std::size_t PageValues::read_split(std::size_t count, ValueBlock& block) {
  // Byte k of every value stands in the k-th part of the page.
  const std::size_t width = plain_width(*leaf_);
  const std::size_t stride = split_values_;
  if (leaf_->type == PhysicalType::kFixedLenByteArray) {
    arena_ = make_buffer(count * width);
    if (arena_ == nullptr) return 0;
  }
  char value[8];
  for (std::size_t i = 0; i < count; ++i, ++at_) {
    char* const to = arena_ != nullptr ? arena_.get() + i * width : value;
    for (std::size_t k = 0; k < width; ++k) to[k] = page_[k * stride + at_];
    push_fixed(*leaf_, to, block);
  }
  return count;
}

}  // namespace trainsight::scan::parquet
