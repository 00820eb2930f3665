#include "fingerprint.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "trainsight/text/json_text.h"
#include "trainsight/text/xxhash64.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainsight::rules {
namespace {

using scan::Value;
using scan::ValueKind;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

void fold_bytes(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    if (!is_space(c)) {
      out += lower(c);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
}

#if defined(__SSE2__)
// Lower case and spaces of 16 bytes; false when two spaces meet in them or at
// their borders, which needs the slow way.
bool fold_block(const char* from, bool after_space, char* to, bool& ends) {
  __m128i block;
  std::memcpy(&block, from, 16);
  const auto between = [&block](char low, char high) {
    return _mm_and_si128(
        _mm_cmpgt_epi8(block, _mm_set1_epi8(static_cast<char>(low - 1))),
        _mm_cmplt_epi8(block, _mm_set1_epi8(static_cast<char>(high + 1))));
  };
  const __m128i space = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8(' ')),
                                     between('\t', '\r'));
  const auto spaces = static_cast<unsigned>(_mm_movemask_epi8(space));
  if ((spaces & (spaces << 1 | (after_space ? 1u : 0u))) != 0) return false;
  const __m128i upper = between('A', 'Z');
  const __m128i lowered =
      _mm_or_si128(block, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
  const __m128i folded = _mm_or_si128(_mm_andnot_si128(space, lowered),
                                      _mm_and_si128(space, _mm_set1_epi8(' ')));
  std::memcpy(to, &folded, 16);
  ends = (spaces & 0x8000u) != 0;
  return true;
}
#endif

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

}  // namespace

void append_folded(std::string_view utf8, std::string& out) {
#if defined(__SSE2__)
  while (utf8.size() >= 16) {
    const std::size_t size = out.size();
    bool ends = false;
    char block[16];
    const bool after_space = out.empty() || out.back() == ' ';
    if (fold_block(utf8.data(), after_space, block, ends)) {
      out.resize(size + 16);
      std::memcpy(out.data() + size, block, 16);
    } else {
      fold_bytes(utf8.substr(0, 16), out);
    }
    utf8.remove_prefix(16);
  }
#endif
  fold_bytes(utf8, out);
}

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
    append_folded(text::as_utf8(piece.text, text_), folded_);
    if (!folded_.empty() && folded_.back() == ' ') folded_.pop_back();
    folded_ += static_cast<char>(0xF8 | static_cast<unsigned>(piece.field));
    folded_ += ' ';
  }
  fingerprint.folded = text::xxh64(folded_);
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

void FingerprintTable::sort() {
  std::sort(rows_, rows_ + size_,
            [](const Fingerprint& a, const Fingerprint& b) {
              if (a.folded != b.folded) return a.folded < b.folded;
              if (a.exact != b.exact) return a.exact < b.exact;
              return a.line < b.line;
            });
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
