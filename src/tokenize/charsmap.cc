#include "tokenize/charsmap.h"

#include <cstring>

namespace trainsight::tokenize {
namespace {

bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFFFFFF; }
std::uint32_t label_of(std::uint32_t unit) { return unit & 0x800000FF; }
std::uint32_t offset_of(std::uint32_t unit) {
  return (unit >> 10) << ((unit & 0x200) >> 6);
}

}  // namespace

Result<Charsmap> Charsmap::parse(std::string_view blob) {
  Charsmap map;
  if (blob.empty()) return map;
  const auto broken = [](const char* why) {
    return Error{ErrorKind::kCorrupt,
                 std::string("broken precompiled_charsmap: ") + why, ""};
  };
  std::uint32_t trie_bytes = 0;
  if (blob.size() <= sizeof(trie_bytes)) return broken("too short");
  std::memcpy(&trie_bytes, blob.data(), sizeof(trie_bytes));
  blob.remove_prefix(sizeof(trie_bytes));
  if (trie_bytes >= blob.size()) return broken("trie longer than the map");
  if (trie_bytes < 4 || trie_bytes % 4 != 0) return broken("odd trie size");
  map.units_.resize(trie_bytes / 4);
  std::memcpy(map.units_.data(), blob.data(), trie_bytes);
  map.replacements_ = blob.substr(trie_bytes);
  for (unsigned c = 0; c < 128; ++c) {
    const char one[2] = {static_cast<char>(c), 0};
    bool plain = !map.longest(std::string_view(one, 1)).has_value();
    for (unsigned d = 0; d < 128 && plain; ++d) {
      const char two[2] = {static_cast<char>(c), static_cast<char>(d)};
      plain = !map.longest(std::string_view(two, 2)).has_value();
    }
    map.plain_[c] = plain;
  }
  return map;
}

std::string_view Charsmap::replacement(std::uint32_t offset) const {
  if (offset >= replacements_.size()) return {};
  const std::size_t end = replacements_.find('\0', offset);
  return std::string_view(replacements_).substr(offset, end - offset);
}

bool Charsmap::begins_key(std::string_view bytes) const {
  if (units_.empty()) return false;
  std::size_t node = offset_of(units_[0]);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    node ^= byte;
    if (node >= units_.size() || label_of(units_[node]) != byte) return false;
    node ^= offset_of(units_[node]);
  }
  return true;
}

template <typename Stop>
std::optional<Charsmap::Match> Charsmap::search(std::string_view text,
                                                Stop stop) const {
  std::optional<Match> found;
  if (units_.empty()) return found;
  std::size_t node = offset_of(units_[0]);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    node ^= byte;
    if (node >= units_.size()) break;
    const std::uint32_t unit = units_[node];
    if (label_of(unit) != byte) break;
    node ^= offset_of(unit);
    if (has_leaf(unit)) {
      if (node >= units_.size()) break;
      found = Match{at + 1, replacement(value_of(units_[node]))};
      if (stop()) break;
    }
  }
  return found;
}

std::optional<Charsmap::Match> Charsmap::shortest(std::string_view text) const {
  return search(text, [] { return true; });
}

std::optional<Charsmap::Match> Charsmap::longest(std::string_view text) const {
  return search(text, [] { return false; });
}

}  // namespace trainsight::tokenize
