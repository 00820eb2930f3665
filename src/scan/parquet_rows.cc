#include "scan/parquet_rows.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string>

#include "scan/number_formats.h"

namespace trainsight::scan::parquet {
namespace {

// 8-4-4-4-12 hex digits. Source: RFC 9562, section 4.
std::array<char, 36> uuid_text(std::string_view bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::array<char, 36> text{};
  std::size_t to = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[to++] = '-';
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    text[to++] = kHex[byte >> 4];
    text[to++] = kHex[byte & 15];
  }
  return text;
}

// Whether a list of this leaf's values is stored as one array of numbers.
bool is_plain_number(const Leaf& leaf) {
  return leaf.type != PhysicalType::kBoolean &&
         leaf.meaning != Meaning::kDecimal &&
         leaf.meaning != Meaning::kUnsigned &&
         stored_form_of(leaf.type) != Stored::kBytes;
}

}  // namespace

Status RowAssembler::next(RowBuilder& builder) {
  const Node& root = schema_.nodes[0];
  const std::uint32_t at = builder.begin("", ValueKind::kObject);
  bool whole = true;
  for (const std::uint32_t child : root.children) {
    const Node& node = schema_.nodes[child];
    for (std::uint32_t leaf = node.first_leaf; leaf < node.end_leaf && whole;
         ++leaf) {
      failed_leaf_ = leaf;
      whole = cursors_[leaf].prepare() && cursors_[leaf].repetition() == 0;
    }
    whole = whole && add(node, node.key, builder);
    if (!whole) break;
  }
  if (!whole) {
    ColumnCursor& cursor = cursors_[failed_leaf_];
    if (cursor.fault()) return *cursor.fault();
    return Error{ErrorKind::kCorrupt,
                 fmt::format("column {} does not have the rows that the others "
                             "have",
                             cursor.leaf().path),
                 "copy or download the file again"};
  }
  builder.end(at, static_cast<std::uint32_t>(root.children.size()));
  for (ColumnCursor& cursor : cursors_) cursor.row_done();
  return {};
}

// Passes over one entry of every leaf below `node`.
bool RowAssembler::pass(const Node& node) {
  for (std::uint32_t leaf = node.first_leaf; leaf < node.end_leaf; ++leaf) {
    ColumnCursor& cursor = cursors_[leaf];
    failed_leaf_ = leaf;
    if (!cursor.prepare() || (cursor.has_value() && !cursor.load_value())) {
      return false;
    }
    cursor.advance();
  }
  return true;
}

bool RowAssembler::add(const Node& node, std::string_view key,
                       RowBuilder& builder) {
  ColumnCursor& first = cursors_[node.first_leaf];
  failed_leaf_ = node.first_leaf;
  if (!first.prepare()) return false;
  if (first.definition() < node.present_level) {
    builder.null(key);
    return pass(node);
  }
  if (node.shape == Shape::kLeaf) return add_value(node, key, builder);
  if (node.shape == Shape::kList) return add_list(node, key, builder);
  const std::uint32_t at = builder.begin(key, ValueKind::kObject);
  for (const std::uint32_t child : node.children) {
    const Node& member = schema_.nodes[child];
    if (!add(member, member.key, builder)) return false;
  }
  builder.end(at, static_cast<std::uint32_t>(node.children.size()));
  return true;
}

bool RowAssembler::add_list(const Node& node, std::string_view key,
                            RowBuilder& builder) {
  ColumnCursor& first = cursors_[node.first_leaf];
  const Node& element = schema_.nodes[node.children[0]];
  const bool empty = first.definition() < node.element_level;
  if (!empty && element.shape == Shape::kLeaf &&
      is_plain_number(first.leaf())) {
    return add_numbers(node, element, key, builder);
  }
  const std::uint32_t at = builder.begin(key, ValueKind::kArray);
  std::uint32_t count = 0;
  if (empty) {
    if (!pass(node)) return false;
  } else {
    do {
      if (!add(element, "", builder)) return false;
      ++count;
      watch_memory(node, builder);
      if (!first.prepare() && first.fault()) return false;
    } while (first.prepare() && first.repetition() >= node.repeat_level);
  }
  builder.end(at, count);
  return true;
}

// A list of numbers becomes one value; with a null among them, an array.
bool RowAssembler::add_numbers(const Node& node, const Node& element,
                               std::string_view key, RowBuilder& builder) {
  ColumnCursor& cursor = cursors_[node.first_leaf];
  const bool whole = stored_form_of(cursor.leaf().type) == Stored::kIntegers;
  integers_.clear();
  reals_.clear();
  std::uint64_t count = 0;
  std::vector<std::uint64_t> nulls;  // positions; rare
  do {
    ++count;
    const bool null = cursor.definition() < element.present_level;
    if (!null && !cursor.load_value()) return false;
    const std::uint64_t bytes = (count + nulls.size()) * sizeof(std::int64_t);
    if (bytes > max_record_bytes_) {
      builder.mark_too_long();
    } else {
      if (null) nulls.push_back(count - 1);
      if (whole) integers_.push_back(null ? 0 : cursor.integer());
      if (!whole) reals_.push_back(null ? 0 : cursor.real());
    }
    cursor.advance();
    watch_memory(node, builder);
    if (!cursor.prepare() && cursor.fault()) return false;
  } while (cursor.prepare() && cursor.repetition() >= node.repeat_level);
  if (builder.over_limit()) return true;
  if (nulls.empty()) {
    const std::uint64_t bytes = count * sizeof(std::int64_t);
    char* const room = builder.number_room(bytes);
    if (room == nullptr) return true;
    std::memcpy(room,
                whole ? static_cast<const void*>(integers_.data())
                      : static_cast<const void*>(reals_.data()),
                bytes);
    builder.numbers(key, whole ? NumberStorage::kInt64 : NumberStorage::kDouble,
                    room, bytes, count);
    return true;
  }
  const std::uint32_t at = builder.begin(key, ValueKind::kArray);
  std::size_t next_null = 0;
  for (std::uint64_t i = 0; i < count && !builder.over_limit(); ++i) {
    if (next_null < nulls.size() && nulls[next_null] == i) {
      builder.null("");
      ++next_null;
    } else if (whole) {
      builder.integer("", integers_[i]);
    } else {
      builder.real("", reals_[i]);
    }
  }
  builder.end(at, static_cast<std::uint32_t>(count));
  return true;
}

bool RowAssembler::add_value(const Node& node, std::string_view key,
                             RowBuilder& builder) {
  ColumnCursor& cursor = cursors_[node.first_leaf];
  const Leaf& leaf = cursor.leaf();
  if (!cursor.has_value() || !cursor.load_value()) return false;
  switch (stored_form_of(leaf.type)) {
    case Stored::kReals:
      builder.real(key, cursor.real());
      break;
    case Stored::kBytes:
      if (!add_bytes(leaf, cursor, key, builder)) return false;
      break;
    case Stored::kIntegers: {
      const std::int64_t value = cursor.integer();
      if (leaf.type == PhysicalType::kBoolean) {
        builder.boolean(key, value != 0);
      } else if (leaf.meaning == Meaning::kDecimal && leaf.scale != 0) {
        builder.real(key, scaled(static_cast<double>(value), leaf.scale));
      } else if (leaf.meaning == Meaning::kUnsigned &&
                 leaf.type == PhysicalType::kInt32) {
        builder.integer(key, static_cast<std::uint32_t>(value));
      } else if (leaf.meaning == Meaning::kUnsigned && value < 0) {
        builder.real(key,
                     static_cast<double>(static_cast<std::uint64_t>(value)));
      } else {
        builder.integer(key, value);
      }
      break;
    }
  }
  cursor.advance();
  return true;
}

bool RowAssembler::add_bytes(const Leaf& leaf, const ColumnCursor& cursor,
                             std::string_view key, RowBuilder& builder) {
  const std::string_view bytes = cursor.bytes();
  if (leaf.meaning == Meaning::kDecimal) {
    builder.real(key, decimal_to_double(bytes, leaf.scale));
  } else if (leaf.meaning == Meaning::kFloat16 && bytes.size() == 2) {
    builder.real(key, half_to_double(bytes));
  } else if (leaf.meaning == Meaning::kUuid && bytes.size() == 16) {
    const std::array<char, 36> text = uuid_text(bytes);
    builder.copied_text(key, {text.data(), text.size()});
  } else if (cursor.is_utf8()) {
    builder.text(key, bytes);
  } else if (leaf.meaning == Meaning::kText) {
    builder.bad_text(key, bytes);
  } else {
    builder.binary(key, bytes);
  }
  return true;
}

// A row over several pages keeps them all, up to the limit of a record.
void RowAssembler::watch_memory(const Node& node, RowBuilder& builder) {
  for (std::uint32_t leaf = node.first_leaf; leaf < node.end_leaf; ++leaf) {
    ColumnCursor& cursor = cursors_[leaf];
    if (cursor.kept_bytes() <= max_record_bytes_) continue;
    builder.mark_too_long();
    cursor.row_done();
  }
}

}  // namespace trainsight::scan::parquet
