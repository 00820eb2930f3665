#include "fingerprint.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

#include "trainsight/text/json_text.h"
#include "trainsight/text/mix_hash.h"
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

using Ends = std::array<std::size_t, 256>;

// Brings rows of the same byte at `shift` of `folded` together, in the order of
// that byte and in place (American flag sort). Where each byte's rows end.
Ends partition(std::span<Fingerprint> rows, int shift) {
  const auto digit = [shift](const Fingerprint& row) {
    return static_cast<std::size_t>(row.folded >> shift & 0xFF);
  };
  Ends ends{};
  for (const Fingerprint& row : rows) ++ends[digit(row)];
  Ends next{};
  for (std::size_t d = 0, begin = 0; d < ends.size(); ++d) {
    next[d] = begin;
    begin += ends[d];
    ends[d] = begin;
  }
  // Each row goes to the next free place of its byte until the place at hand
  // holds one of its own.
  for (std::size_t d = 0; d < ends.size(); ++d) {
    while (next[d] < ends[d]) {
      Fingerprint& row = rows[next[d]];
      const std::size_t home = digit(row);
      if (home == d) {
        ++next[d];
      } else {
        std::swap(row, rows[next[home]++]);
      }
    }
  }
  return ends;
}

// Sorts rows that agree in all bits of `folded` above those of `shift`. Hashes
// are spread evenly, so two bytes leave a few rows to each comparison sort.
void sort_rows(std::span<Fingerprint> rows, int shift) {
  constexpr std::size_t kFew = 64;
  if (rows.size() <= kFew || shift < 0) {
    std::sort(rows.begin(), rows.end(), before);
    return;
  }
  std::size_t begin = 0;
  for (const std::size_t end : partition(rows, shift)) {
    sort_rows(rows.subspan(begin, end - begin), shift - 8);
    begin = end;
  }
}

}  // namespace

std::uint64_t content_hash(const scan::RowView& row) {
  if (!row.raw.empty()) return content_hash(row.raw);
  return std::max<std::uint64_t>(hash_values(row), 1);
}

std::uint64_t content_hash(std::string_view record) {
  return std::max<std::uint64_t>(text::xxh64(record), 1);
}

Fingerprint Fingerprinter::of(const scan::RowView& row,
                              const records::Sample& sample) {
  Fingerprint fingerprint;
  const std::uint64_t exact =
      row.raw.empty() ? hash_values(row) : text::mix_hash(row.raw);
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
  fingerprint.folded = text::mix_hash(folded_.view());
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

void FingerprintTable::sort(std::uint32_t threads) {
  constexpr int kTopByte = 56;
  const std::span<Fingerprint> rows(rows_, size_);
  constexpr std::size_t kWorthThreads = 100'000;
  if (threads <= 1 || size_ < kWorthThreads) {
    sort_rows(rows, kTopByte);
    return;
  }
  const Ends ends = partition(rows, kTopByte);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t d = next++; d < ends.size(); d = next++) {
      const std::size_t begin = d == 0 ? 0 : ends[d - 1];
      sort_rows(rows.subspan(begin, ends[d] - begin), kTopByte - 8);
    }
  };
  std::vector<std::jthread> others;
  for (std::uint32_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

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
