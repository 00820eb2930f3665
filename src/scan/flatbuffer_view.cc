#include "scan/flatbuffer_view.h"

namespace trainsight::scan {
namespace {

template <typename T>
std::optional<T> load(std::string_view buffer, std::uint64_t at) {
  if (at > buffer.size() || buffer.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, buffer.data() + at, sizeof(T));
  return value;
}

// Where the unsigned offset stored at `at` leads to.
std::optional<std::size_t> follow(std::string_view buffer, std::size_t at) {
  const std::optional<std::uint32_t> offset = load<std::uint32_t>(buffer, at);
  if (!offset || *offset == 0) return std::nullopt;
  const std::uint64_t target = std::uint64_t{at} + *offset;
  if (target >= buffer.size()) return std::nullopt;
  return static_cast<std::size_t>(target);
}

}  // namespace

std::optional<FlatTable> FlatTable::at_offset(std::string_view buffer,
                                              std::size_t at) {
  const std::optional<std::size_t> table = follow(buffer, at);
  if (!table) return std::nullopt;
  const std::optional<std::int32_t> back = load<std::int32_t>(buffer, *table);
  if (!back) return std::nullopt;
  const std::int64_t vtable = static_cast<std::int64_t>(*table) - *back;
  if (vtable < 0) return std::nullopt;
  const auto begin = static_cast<std::size_t>(vtable);
  const std::optional<std::uint16_t> bytes = load<std::uint16_t>(buffer, begin);
  if (!bytes || *bytes < 4 || *bytes > buffer.size() - begin) {
    return std::nullopt;
  }
  return FlatTable(buffer, *table, begin, *bytes);
}

std::size_t FlatTable::position(int field) const {
  const std::size_t slot = 4 + 2 * static_cast<std::size_t>(field);
  if (slot + 2 > vtable_bytes_) return 0;
  const std::optional<std::uint16_t> offset =
      load<std::uint16_t>(buffer_, vtable_ + slot);
  if (!offset || *offset == 0) return 0;
  const std::size_t at = at_ + *offset;
  return at < buffer_.size() ? at : 0;
}

std::optional<FlatTable> FlatTable::table(int field) const {
  const std::size_t at = position(field);
  if (at == 0) return std::nullopt;
  return at_offset(buffer_, at);
}

FlatVector FlatTable::vector(int field) const {
  const std::size_t at = position(field);
  if (at == 0) return {};
  const std::optional<std::size_t> begin = follow(buffer_, at);
  if (!begin) return {};
  const std::optional<std::uint32_t> size =
      load<std::uint32_t>(buffer_, *begin);
  if (!size) return {};
  return {buffer_, *begin + 4, *size};
}

std::string_view FlatTable::string(int field) const {
  const FlatVector bytes = vector(field);
  if (bytes.size() == 0 || !bytes.fits(1)) return {};
  return {bytes.element(0, 1).data(), bytes.size()};
}

std::optional<FlatTable> FlatVector::table(std::uint32_t i) const {
  if (element(i, 4).empty()) return std::nullopt;
  return FlatTable::at_offset(buffer_, at_ + std::size_t{i} * 4);
}

}  // namespace trainsight::scan
