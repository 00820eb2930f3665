#include "fingerprint.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "trainsight/text/json_text.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::rules {
namespace {

using scan::Value;
using scan::ValueKind;

// Of rows without a JSON text: names, kinds and values of the whole tape.
std::uint64_t hash_values(const scan::RowView& row) {
  text::Xxh64Stream stream;
  const auto add = [&stream](const auto& plain) {
    char bytes[sizeof(plain)];
    std::memcpy(bytes, &plain, sizeof(plain));
    stream.update(std::string_view(bytes, sizeof(plain)));
  };
  for (const Value& value : row.values) {
    stream.update(value.key);
    add(value.kind);
    switch (value.kind) {
      case ValueKind::kNull:
        break;
      case ValueKind::kBool:
        add(value.boolean);
        break;
      case ValueKind::kInteger:
        add(value.integer);
        break;
      case ValueKind::kReal:
        add(value.real);
        break;
      case ValueKind::kText:
        add(value.bytes);
        stream.update(value.text().bytes);
        break;
      case ValueKind::kNumbers:
        scan::for_each_integer(value, add);
        break;
      case ValueKind::kArray:
      case ValueKind::kObject:
        add(value.count);
        break;
    }
  }
  return stream.digest();
}

bool before(const Fingerprint& a, const Fingerprint& b) {
  if (a.folded != b.folded) return a.folded < b.folded;
  if (a.exact != b.exact) return a.exact < b.exact;
  return a.line < b.line;
}

// Sorts rows that agree in all bits of `folded` above `shift` + 8: by the byte
// there, in place (American flag sort), and what is small by comparison. Hashes
// are spread evenly, so two passes leave a few rows to each comparison sort.
void sort_range(Fingerprint* begin, Fingerprint* end, int shift) {
  constexpr std::ptrdiff_t kFew = 64;
  if (end - begin <= kFew || shift < 0) {
    std::sort(begin, end, before);
    return;
  }
  const auto digit = [shift](const Fingerprint& row) {
    return static_cast<std::size_t>(row.folded >> shift & 0xFF);
  };
  std::array<std::size_t, 257> ends{};
  for (const Fingerprint* row = begin; row != end; ++row) ++ends[digit(*row)];
  std::array<std::size_t, 257> next{};
  for (std::size_t d = 0; d < 256; ++d) {
    next[d + 1] = ends[d] += next[d];
  }
  // Each row goes to the next free place of its digit until the place at hand
  // holds one of its own.
  for (std::size_t d = 0; d < 256; ++d) {
    while (next[d] < ends[d]) {
      Fingerprint& row = begin[next[d]];
      const std::size_t home = digit(row);
      if (home == d) {
        ++next[d];
      } else {
        std::swap(row, begin[next[home]++]);
      }
    }
  }
  std::size_t from = 0;
  for (std::size_t d = 0; d < 256; ++d) {
    if (ends[d] - from > 1) {
      sort_range(begin + from, begin + ends[d], shift - 8);
    }
    from = ends[d];
  }
}

}  // namespace

Fingerprint Fingerprinter::of(const scan::RowView& row,
                              const records::Sample& sample) {
  Fingerprint fingerprint;
  const std::uint64_t exact =
      row.raw.empty() ? hash_values(row) : text::xxh64(row.raw);
  fingerprint.exact = static_cast<std::uint32_t>(exact);
  fingerprint.line = static_cast<std::uint32_t>(row.line);
  if (sample.pieces.empty()) {
    fingerprint.folded = exact;
    return fingerprint;
  }
  // Each piece ends in a byte that no text holds, with its field and side.
  folded_.clear();
  for (const records::Piece& piece : sample.pieces) {
    folded_.append(piece.text);
    folded_.end_piece(
        static_cast<char>(0xF8 | static_cast<unsigned>(piece.field)));
  }
  fingerprint.folded = text::xxh64(folded_.view());
  return fingerprint;
}

FingerprintTable::~FingerprintTable() { std::free(rows_); }

void FingerprintTable::add(const Fingerprint& fingerprint) {
  if (!complete_) return;
  if (size_ == capacity_) {
    const std::size_t capacity = capacity_ == 0 ? 4096 : capacity_ * 2;
    void* grown = std::realloc(rows_, capacity * sizeof(Fingerprint));
    if (grown == nullptr) {
      complete_ = false;
      return;
    }
    rows_ = static_cast<Fingerprint*>(grown);
    capacity_ = capacity;
  }
  rows_[size_++] = fingerprint;
}

void FingerprintTable::sort() { sort_range(rows_, rows_ + size_, 56); }

void FingerprintTable::keep(Repeats& repeats, std::size_t kept, Repeat repeat) {
  std::vector<Repeat>& first = repeats.first;
  if (kept == 0 || (first.size() == kept && first.back().line < repeat.line)) {
    return;
  }
  const auto at = std::lower_bound(
      first.begin(), first.end(), repeat,
      [](const Repeat& a, const Repeat& b) { return a.line < b.line; });
  first.insert(at, repeat);
  if (first.size() > kept) first.pop_back();
}

}  // namespace trainsight::rules
