#include "scan/arrow_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "scan/byte_window.h"

namespace trainsight::scan::arrow {
namespace {

constexpr std::size_t kNodeBytes = 16;    // FieldNode {length, null_count}
constexpr std::size_t kBufferBytes = 16;  // Buffer {offset, length}
constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 48;

Error corrupt(const std::string& what) {
  return Error{ErrorKind::kCorrupt, what, "copy or download the file again"};
}

std::int64_t little64(std::string_view bytes, std::size_t at) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data() + at, 8);
  return value;
}

// Takes a record batch's nodes and buffers in the order of its schema.
class Maker {
 public:
  Maker(const FlatTable& batch, std::string_view body, bool as_values,
        const ReadOptions& options, BlockDecompressor& decompressor)
      : nodes_(batch.vector(1)),
        buffers_(batch.vector(2)),
        variadic_(batch.vector(4)),
        body_(body),
        as_values_(as_values),
        options_(options),
        decompressor_(decompressor) {
    const std::optional<FlatTable> compression = batch.table(3);
    if (compression) codec_ = compression->scalar<std::int8_t>(0, 0);
  }

  Result<Arrays> make(const FlatTable& batch,
                      const std::vector<const Field*>& fields) {
    const auto length = batch.scalar<std::int64_t>(0, 0);
    if (length < 0 || !nodes_.fits(kNodeBytes) ||
        !buffers_.fits(kBufferBytes) || !variadic_.fits(8)) {
      return corrupt("a damaged record batch");
    }
    if (codec_ && *codec_ != 0 && *codec_ != 1) {
      return Error{ErrorKind::kUnsupported, "an unknown buffer compression",
                   "write it again with zstd or without compression"};
    }
    arrays_.length = static_cast<std::uint64_t>(length);
    for (const Field* field : fields) {
      Array column;
      add(*field, as_values_, column);
      if (!error_ && column.length < arrays_.length) {
        error_ = corrupt("a column that is shorter than its record batch");
      }
      if (error_) return *error_;
      arrays_.columns.push_back(std::move(column));
    }
    return std::move(arrays_);
  }

 private:
  void fail() {
    if (!error_) error_ = corrupt("a record batch with a buffer that is cut");
  }

  void require(bool holds) {
    if (!holds) fail();
  }

  std::string_view next_buffer() {
    if (error_) return {};
    const std::string_view entry =
        buffers_.element(next_buffer_++, kBufferBytes);
    if (entry.empty()) {
      fail();
      return {};
    }
    const std::int64_t offset = little64(entry, 0);
    const std::int64_t length = little64(entry, 8);
    if (offset < 0 || length < 0 ||
        static_cast<std::uint64_t>(offset) > body_.size() ||
        static_cast<std::uint64_t>(length) >
            body_.size() - static_cast<std::uint64_t>(offset)) {
      fail();
      return {};
    }
    const std::string_view stored = body_.substr(
        static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
    return codec_ && !stored.empty() ? inflate(stored) : stored;
  }

  // A compressed buffer: the size it grows to, or -1 for stored as it is.
  std::string_view inflate(std::string_view stored) {
    if (stored.size() < 8) {
      fail();
      return {};
    }
    const std::int64_t size = little64(stored, 0);
    stored.remove_prefix(8);
    if (size == -1) return stored;
    if (size < 0) {
      fail();
      return {};
    }
    const auto bytes = static_cast<std::uint64_t>(size);
    if (bytes == 0) return {};
    // Together, since several buffers may point to the same stored bytes.
    arrays_.inflated_bytes += std::min(bytes, kMaxLength);
    if (arrays_.inflated_bytes > options_.expansion_floor_bytes &&
        arrays_.inflated_bytes / options_.max_expansion_ratio > body_.size()) {
      error_ = Error{ErrorKind::kLimit,
                     fmt::format("a record batch of {} stored bytes says that "
                                 "it grows to over {}",
                                 body_.size(), arrays_.inflated_bytes),
                     ""};
      return {};
    }
    std::shared_ptr<char[]> memory = make_buffer(bytes);
    if (memory == nullptr) {
      error_ =
          Error{ErrorKind::kLimit, "not enough memory for a record batch", ""};
      return {};
    }
    const BlockCodec codec =
        *codec_ == 0 ? BlockCodec::kLz4Frame : BlockCodec::kZstd;
    if (!decompressor_.decompress(codec, stored,
                                  std::span<char>(memory.get(), bytes))) {
      error_ = corrupt("a damaged compressed buffer");
      return {};
    }
    arrays_.memory.push_back(memory);
    return {memory.get(), static_cast<std::size_t>(bytes)};
  }

  void add(const Field& field, bool as_values, Array& array) {
    const std::string_view node = nodes_.element(next_node_++, kNodeBytes);
    if (node.empty()) return fail();
    const std::int64_t length = little64(node, 0);
    const std::int64_t nulls = little64(node, 8);
    if (length < 0 || nulls < 0 ||
        static_cast<std::uint64_t>(length) > kMaxLength) {
      return fail();
    }
    array.field = &field;
    array.length = static_cast<std::uint64_t>(length);
    array.is_index = field.dictionary.has_value() && !as_values;
    if (field.kind == Kind::kNull && !array.is_index) return;
    const std::string_view validity = next_buffer();
    if (nulls > 0) {
      require(validity.size() >= (array.length + 7) / 8);
      array.validity = validity;
    }
    if (array.is_index) {
      array.values = next_buffer();
      return require(array.values.size() / field.index_width >= array.length);
    }
    add_layout(field, array);
  }

  void add_layout(const Field& field, Array& array) {
    switch (field.kind) {
      case Kind::kNull:
        return;
      case Kind::kBool:
        array.values = next_buffer();
        return require(array.values.size() >= (array.length + 7) / 8);
      case Kind::kInteger:
      case Kind::kReal:
      case Kind::kDecimal:
      case Kind::kFixedBinary:
        array.values = next_buffer();
        return require(array.values.size() / field.width >= array.length);
      case Kind::kText:
      case Kind::kBinary:
        array.offsets = next_buffer();
        if (field.is_view) return add_views(array);
        require_offsets(field, array);
        array.values = next_buffer();
        return;
      case Kind::kList:
        array.offsets = next_buffer();
        require_offsets(field, array);
        return add_children(field, array);
      case Kind::kFixedList:
        add_children(field, array);
        if (error_) return;
        return require(field.list_size == 0 ||
                       array.children[0].length / field.list_size >=
                           array.length);
      case Kind::kStruct:
        add_children(field, array);
        for (const Array& child : array.children) {
          require(child.length >= array.length);
        }
        return;
    }
  }

  // One more offset than values; an array without values may have none.
  void require_offsets(const Field& field, const Array& array) {
    require(array.length == 0 ||
            array.offsets.size() / field.width >= array.length + 1);
  }

  void add_views(Array& array) {
    require(array.offsets.size() / 16 >= array.length);
    const std::string_view entry = variadic_.element(next_variadic_++, 8);
    if (entry.empty()) return fail();
    const std::int64_t count = little64(entry, 0);
    if (count < 0 || count > buffers_.size()) return fail();
    for (std::int64_t i = 0; i < count && !error_; ++i) {
      array.more.push_back(next_buffer());
    }
  }

  void add_children(const Field& field, Array& array) {
    for (const Field& child : field.children) {
      if (error_) return;
      add(child, false, array.children.emplace_back());
    }
  }

  FlatVector nodes_;
  FlatVector buffers_;
  FlatVector variadic_;
  std::string_view body_;
  bool as_values_;
  const ReadOptions& options_;
  BlockDecompressor& decompressor_;
  std::optional<std::int8_t> codec_;
  std::uint32_t next_node_ = 0;
  std::uint32_t next_buffer_ = 0;
  std::uint32_t next_variadic_ = 0;
  Arrays arrays_;
  std::optional<Error> error_;
};

}  // namespace

Result<Arrays> make_arrays(const FlatTable& batch, std::string_view body,
                           std::vector<const Field*> fields, bool as_values,
                           const ReadOptions& options,
                           BlockDecompressor& decompressor) {
  return Maker(batch, body, as_values, options, decompressor)
      .make(batch, fields);
}

}  // namespace trainsight::scan::arrow
