#include "tokenize/normal_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "tokenize/text_cursor.h"

namespace trainsight::tokenize {
namespace {

constexpr std::uint8_t kMayChange = 255;

struct Range {
  char32_t first, last;
};

// Code points with a decomposition, a combining class or a composition in
// Unicode 15.0 (utf8proc 2.8) and none in the reference (tokenizers 0.23.3,
// asked for each). For it they are letters without any of these.
// clang-format off
constexpr Range kYoungerThanReference[] = {
    {0x7FD, 0x7FD}, {0x898, 0x89F}, {0x8CA, 0x8D3}, {0x9FE, 0x9FE},
    {0xC3C, 0xC3C}, {0xD3B, 0xD3C}, {0xEBA, 0xEBA}, {0x1715, 0x1715},
    {0x1ABF, 0x1ACE}, {0x1DF6, 0x1DFA}, {0x32FF, 0x32FF}, {0xA7F2, 0xA7F4},
    {0xA82C, 0xA82C}, {0xAB69, 0xAB69}, {0x10781, 0x10785},
    {0x10787, 0x107B0}, {0x107B2, 0x107BA}, {0x10D24, 0x10D27},
    {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50},
    {0x10F82, 0x10F85}, {0x11070, 0x11070}, {0x1133B, 0x1133B},
    {0x1145E, 0x1145E}, {0x11839, 0x1183A}, {0x11930, 0x11930},
    {0x11938, 0x11938}, {0x1193D, 0x1193E}, {0x11943, 0x11943},
    {0x119E0, 0x119E0}, {0x11A34, 0x11A34}, {0x11A47, 0x11A47},
    {0x11A99, 0x11A99}, {0x11D42, 0x11D42}, {0x11D44, 0x11D45},
    {0x11D97, 0x11D97}, {0x11F41, 0x11F42}, {0x16FF0, 0x16FF1},
    {0x1E030, 0x1E06D}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136},
    {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF},
    {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9},
};
// clang-format on

bool is_younger(char32_t c) {
  if (c < kYoungerThanReference[0].first) return false;
  const Range* after = std::upper_bound(
      std::begin(kYoungerThanReference), std::end(kYoungerThanReference), c,
      [](char32_t value, const Range& range) { return value < range.first; });
  return c <= std::prev(after)->last;
}

bool composes(NormalForm::Kind kind) {
  return kind == NormalForm::Kind::kNfc || kind == NormalForm::Kind::kNfkc;
}
bool is_compatible(NormalForm::Kind kind) {
  return kind == NormalForm::Kind::kNfkc || kind == NormalForm::Kind::kNfkd;
}

utf8proc_option_t options_of(NormalForm::Kind kind) {
  int options = UTF8PROC_STABLE;
  options |= composes(kind) ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (is_compatible(kind)) options |= UTF8PROC_COMPAT;
  return static_cast<utf8proc_option_t>(options);
}

// Vowel and final consonant signs of Hangul, second in an arithmetic
// composition (The Unicode Standard, section 3.12).
bool is_hangul_second(char32_t c) {
  return (c >= 0x1161 && c <= 0x1175) || (c >= 0x11A8 && c <= 0x11C2);
}

// The class of a code point, straight from utf8proc.
std::uint8_t compute_class(NormalForm::Kind kind, char32_t c) {
  if (c < 0x80 || is_younger(c)) return 0;
  utf8proc_int32_t parts[32];
  const auto code = static_cast<utf8proc_int32_t>(c);
  const bool compat = is_compatible(kind);
  const auto option = static_cast<utf8proc_option_t>(
      UTF8PROC_DECOMPOSE | (compat ? UTF8PROC_COMPAT : 0));
  const utf8proc_ssize_t size =
      utf8proc_decompose_char(code, parts, 32, option, nullptr);
  const utf8proc_property_t* property = utf8proc_get_property(code);
  const auto combining = static_cast<std::uint8_t>(
      std::min<int>(property->combining_class, kMayChange - 1));
  if (size == 1 && parts[0] == code) {
    if (!composes(kind)) return combining;
    if (is_hangul_second(c)) return kMayChange;
    // utf8proc_compose() takes a code point as the second part of a pair when
    // this bit is set; the value without an entry has it too.
    const bool is_second =
        property->comb_index != 0xFFFF && property->comb_index >= 0x8000;
    return is_second ? kMayChange : combining;
  }
  if (!composes(kind)) return kMayChange;
  // Decomposable: stays as it is when it is composed again to itself.
  char one[4];
  const utf8proc_ssize_t bytes =
      utf8proc_encode_char(code, reinterpret_cast<utf8proc_uint8_t*>(one));
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t mapped_bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(one), bytes,
                   &mapped, options_of(kind));
  const bool same =
      mapped_bytes == bytes && std::memcmp(mapped, one, bytes) == 0;
  std::free(mapped);  // utf8proc's contract: allocated with malloc
  return same ? 0 : kMayChange;
}

}  // namespace

NormalForm::NormalForm(Kind kind) : kind_(kind), plane0_(0x10000) {
  for (char32_t c = 0x80; c < 0x10000; ++c) {
    plane0_[c] = c >= 0xD800 && c < 0xE000 ? 0 : compute_class(kind, c);
  }
  const auto mark = [this](unsigned lead, std::size_t first,
                           std::size_t count) {
    const auto begin = plane0_.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::all_of(begin, begin + static_cast<std::ptrdiff_t>(count),
                    [](std::uint8_t value) { return value == 0; })) {
      return;
    }
    unplain_leads_.add(static_cast<unsigned char>(lead));
  };
  for (unsigned lead = 0xC2; lead < 0xE0; ++lead) {
    mark(lead, (lead & 0x1F) << 6, 0x40);
  }
  for (unsigned lead = 0xE0; lead < 0xF0; ++lead) {
    mark(lead, (lead & 0x0F) << 12, 0x1000);
  }
  for (unsigned lead = 0xF0; lead <= 0xF4; ++lead) {
    unplain_leads_.add(static_cast<unsigned char>(lead));  // further planes
  }
}

std::uint8_t NormalForm::class_of(char32_t c) const {
  return c < 0x10000 ? plane0_[c] : compute_class(kind_, c);
}

void NormalForm::append(std::string_view utf8, std::string& out) const {
  const auto* const bytes =
      reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
  const auto size = static_cast<utf8proc_ssize_t>(utf8.size());
  // Mostly a letter and its marks: spares the memory of utf8proc_map(). One
  // place more than the text needs, for the end that is written.
  std::array<utf8proc_int32_t, 64> buffer;
  const auto room = static_cast<utf8proc_ssize_t>(buffer.size()) - 1;
  utf8proc_ssize_t written =
      utf8proc_decompose(bytes, size, buffer.data(), room, options_of(kind_));
  if (written >= 0 && written <= room) {
    written = utf8proc_reencode(buffer.data(), written, options_of(kind_));
    if (written > 0) {
      out.append(reinterpret_cast<const char*>(buffer.data()),
                 static_cast<std::size_t>(written));
    }
    return;
  }
  utf8proc_uint8_t* mapped = nullptr;
  written = utf8proc_map(bytes, size, &mapped, options_of(kind_));
  // Fails only for ill-formed input, which REQUIRES excludes, or no memory.
  if (written > 0) {
    out.append(reinterpret_cast<const char*>(mapped),
               static_cast<std::size_t>(written));
  }
  std::free(mapped);
}

// A character of class 0 neither changes nor joins the ones before it: what
// stands before it and what begins with it are normalized apart. So only the
// stretches around characters that may change go through utf8proc.
bool NormalForm::apply(std::string_view utf8, std::string& out) const {
  std::size_t done = 0;   // written to `out`, or nothing was written yet
  std::size_t begin = 0;  // of the stretch: the last one of class 0, or `done`
  std::uint8_t last = 0;
  bool changed = false;
  for (std::size_t at = 0;;) {
    const std::size_t here = unplain_leads_.find(utf8, at);
    if (here > at) {
      begin = previous_code_point(utf8, here);
      last = 0;
    }
    if (here == utf8.size()) break;
    // Characters of scripts with marks stand side by side.
    bool stays = true;
    for (at = here;
         stays && at < utf8.size() && unplain_leads_.contains(utf8[at]);
         at = next_code_point(utf8, at)) {
      const std::uint8_t now = class_of(code_point_of(utf8.data() + at));
      stays = now != kMayChange && (now == 0 || now >= last);
      if (now == 0) begin = at;
      last = now;
    }
    if (stays) continue;
    while (at < utf8.size() && class_of(code_point_at(utf8, at)) != 0) {
      at = next_code_point(utf8, at);
    }
    if (is_younger(code_point_at(utf8, begin))) {
      begin = next_code_point(utf8, begin);
    }
    if (!changed) out.clear();
    changed = true;
    out.append(utf8, done, begin - done);
    append(utf8.substr(begin, at - begin), out);
    done = begin = at;
    last = 0;
  }
  if (changed) out.append(utf8, done);
  return changed;
}

}  // namespace trainsight::tokenize
