#include "scan/parquet_encodings.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace trainsight::scan::parquet {
namespace {

// Blocks are 128 values in practice; the limit keeps a miniblock's memory
// small.
constexpr std::uint64_t kMaxBlockValues = 1 << 16;

std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ (~(value & 1) + 1);
}

// The 64 bits at byte `at`, zeros behind the end.
std::uint64_t load64(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  if (at + 8 <= bytes.size()) {
    std::memcpy(&word, bytes.data() + at, 8);
  } else if (at < bytes.size()) {
    std::memcpy(&word, bytes.data() + at, bytes.size() - at);
  }
  return word;
}

// `width` bits (at most 64) at bit `at`, least significant first.
std::uint64_t bits_at(std::string_view bytes, std::uint64_t at, int width) {
  if (width == 0) return 0;
  const std::size_t byte = at / 8;
  const int shift = static_cast<int>(at % 8);
  std::uint64_t value = load64(bytes, byte) >> shift;
  if (shift + width > 64) value |= load64(bytes, byte + 8) << (64 - shift);
  return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

int bit_width_of(std::uint32_t max) {
  return static_cast<int>(std::bit_width(max));
}

bool read_varint(std::string_view bytes, std::size_t& at,
                 std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

bool RleDecoder::next_run() {
  std::size_t at = 0;
  std::uint64_t header = 0;
  if (!read_varint(bytes_, at, header)) return false;
  bytes_.remove_prefix(at);
  const auto width = static_cast<std::uint64_t>(bit_width_);
  if ((header & 1) != 0) {
    // Groups of 8 values; the last run's bytes may be cut short by writers.
    const std::uint64_t groups = header >> 1;
    const std::uint64_t bytes =
        width == 0 ? 0 : std::min<std::uint64_t>(groups, bytes_.size()) * width;
    run_ = bytes_.substr(0, bytes);
    bytes_.remove_prefix(run_.size());
    packed_ =
        width == 0 ? groups * 8 : std::min(groups * 8, run_.size() * 8 / width);
    bit_at_ = 0;
    return packed_ > 0;
  }
  const std::size_t value_bytes =
      (static_cast<std::size_t>(bit_width_) + 7) / 8;
  if (bytes_.size() < value_bytes) return false;
  repeated_ = static_cast<std::uint32_t>(
      bits_at(bytes_.substr(0, value_bytes), 0, bit_width_));
  bytes_.remove_prefix(value_bytes);
  repeats_ = header >> 1;
  return repeats_ > 0;
}

std::size_t RleDecoder::read(std::uint32_t* out, std::size_t count) {
  if (bit_width_ == 0) {
    std::fill(out, out + count, 0u);
    return count;
  }
  std::size_t given = 0;
  while (given < count) {
    if (repeats_ > 0) {
      const std::size_t n = static_cast<std::size_t>(
          std::min<std::uint64_t>(repeats_, count - given));
      std::fill(out + given, out + given + n, repeated_);
      repeats_ -= n;
      given += n;
    } else if (packed_ > 0) {
      const std::size_t n = static_cast<std::size_t>(
          std::min<std::uint64_t>(packed_, count - given));
      for (std::size_t i = 0; i < n; ++i) {
        out[given + i] =
            static_cast<std::uint32_t>(bits_at(run_, bit_at_, bit_width_));
        bit_at_ += static_cast<std::uint64_t>(bit_width_);
      }
      packed_ -= n;
      given += n;
    } else if (!next_run()) {
      break;
    }
  }
  return given;
}

bool DeltaDecoder::start(std::string_view bytes) {
  *this = DeltaDecoder();
  bytes_ = bytes;
  std::uint64_t block_values = 0;
  std::uint64_t miniblocks = 0;
  std::uint64_t first = 0;
  if (!read_varint(bytes_, at_, block_values) ||
      !read_varint(bytes_, at_, miniblocks) ||
      !read_varint(bytes_, at_, total_) || !read_varint(bytes_, at_, first)) {
    return false;
  }
  if (block_values == 0 || block_values > kMaxBlockValues || miniblocks == 0 ||
      miniblocks > block_values || block_values % miniblocks != 0) {
    return false;
  }
  miniblocks_ = static_cast<std::uint32_t>(miniblocks);
  miniblock_values_ = static_cast<std::uint32_t>(block_values / miniblocks);
  last_ = unzigzag(first);
  first_block_ = at_;
  next_miniblock_ = miniblocks_;
  return true;
}

// Unpacks the next miniblock into `deltas_`.
bool DeltaDecoder::next_miniblock() {
  if (next_miniblock_ == miniblocks_) {
    std::uint64_t min_delta = 0;
    if (!read_varint(bytes_, at_, min_delta) ||
        bytes_.size() - at_ < miniblocks_) {
      return false;
    }
    min_delta_ = unzigzag(min_delta);
    widths_ = bytes_.substr(at_, miniblocks_);
    at_ += miniblocks_;
    next_miniblock_ = 0;
  }
  const int width = static_cast<std::uint8_t>(widths_[next_miniblock_++]);
  if (width > 64) return false;
  const std::size_t bytes =
      (static_cast<std::size_t>(width) * miniblock_values_ + 7) / 8;
  const std::string_view packed = bytes_.substr(at_, bytes);
  // The last miniblock may be cut short; missing bits are no values.
  const std::size_t values =
      width == 0 ? miniblock_values_
                 : std::min<std::size_t>(
                       miniblock_values_,
                       packed.size() * 8 / static_cast<std::size_t>(width));
  if (values == 0) return false;
  deltas_.resize(values);
  for (std::size_t i = 0; i < values; ++i) {
    deltas_[i] = bits_at(packed, i * static_cast<std::uint64_t>(width), width);
  }
  at_ += packed.size();
  delta_at_ = 0;
  return true;
}

std::size_t DeltaDecoder::read(std::int64_t* out, std::size_t count) {
  std::size_t given = 0;
  while (given < count && given_ < total_) {
    if (given_ > 0) {
      if (delta_at_ == deltas_.size() && !next_miniblock()) break;
      last_ += min_delta_ + deltas_[delta_at_++];
    }
    out[given++] = static_cast<std::int64_t>(last_);
    ++given_;
  }
  return given;
}

std::size_t DeltaDecoder::encoded_bytes() const {
  std::size_t at = first_block_;
  std::uint64_t left = total_ > 0 ? total_ - 1 : 0;
  while (left > 0) {
    std::uint64_t min_delta = 0;
    if (!read_varint(bytes_, at, min_delta) ||
        bytes_.size() - at < miniblocks_) {
      return 0;
    }
    const std::string_view widths = bytes_.substr(at, miniblocks_);
    at += miniblocks_;
    // Miniblocks without values have a width but no bytes.
    for (std::uint32_t i = 0; i < miniblocks_ && left > 0; ++i) {
      const std::size_t width = static_cast<std::uint8_t>(widths[i]);
      const std::size_t bytes = (width * miniblock_values_ + 7) / 8;
      if (bytes > bytes_.size() - at) return 0;
      at += bytes;
      left -= std::min<std::uint64_t>(left, miniblock_values_);
    }
  }
  return at;
}

}  // namespace trainsight::scan::parquet
