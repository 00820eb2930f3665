#include "tokenize/sp_bpe_tables.h"

#include <algorithm>
#include <string>

#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

constexpr std::uint32_t kNone = Vocabulary::kNone;

std::uint32_t packed(char32_t c) {
  std::string bytes;
  text::append_utf8(bytes, c);
  bytes.resize(4);
  return packed_character(bytes.data());
}

}  // namespace

Status SpBpe::Tables::build() {
  for (std::size_t i = 0; i < spec_.pieces.size(); ++i) {
    const std::string_view text = spec_.pieces.text(i);
    if (text.empty() || next_code_point(text, 0) != text.size()) continue;
    const char32_t c = code_point_at(text, 0);
    if (c < 0x10000) plane0_[c] = spec_.pieces.id(i);
  }
  all_bytes_ = spec_.byte_fallback &&
               std::none_of(spec_.byte_ids.begin(), spec_.byte_ids.end(),
                            [](std::uint32_t id) { return id == kNone; });
  for (const RankedMerge& merge : spec_.merges) {
    const std::uint32_t limit =
        std::max(spec_.pieces.id_limit(),
                 spec_.first_extra +
                     static_cast<std::uint32_t>(spec_.extra_characters.size()));
    if (merge.left >= limit || merge.right >= limit || merge.result >= limit) {
      return Error{ErrorKind::kCorrupt, "a merge of tokens that do not exist",
                   ""};
    }
    merger_.add(merge.left, merge.right, merge.rank, merge.result);
  }
  build_cuts();
  return {};
}

// Marks each pair of characters inside the pieces that merges make.
void SpBpe::Tables::build_cuts() {
  // Where a byte or the unknown token takes part in merges, a character's
  // symbol depends on its place, bytes stand for some characters only, or
  // unknown ones are dropped so that their neighbours meet, pieces' texts do
  // not tell what may be joined.
  has_cuts_ = spec_.continuing_prefix.empty() && spec_.end_suffix.empty() &&
              !spec_.ignore_merges &&
              (all_bytes_ || (!spec_.byte_fallback && spec_.unk_id != kNone));
  joins_unknown_ = !all_bytes_ && spec_.fuse_unk;
  std::vector<bool> is_odd(spec_.pieces.id_limit(), false);
  // Bytes and the unknown token need not be among the pieces.
  const auto mark_odd = [&](std::uint32_t id) {
    if (id < is_odd.size()) is_odd[id] = true;
  };
  for (const std::uint32_t id : spec_.byte_ids) mark_odd(id);
  mark_odd(spec_.unk_id);
  std::vector<bool> is_result(spec_.pieces.id_limit(), false);
  for (const RankedMerge& merge : spec_.merges) {
    if ((merge.left < is_odd.size() && is_odd[merge.left]) ||
        (merge.right < is_odd.size() && is_odd[merge.right])) {
      has_cuts_ = false;
    }
    if (merge.result < is_result.size()) is_result[merge.result] = true;
  }
  for (std::size_t i = 0; i < spec_.pieces.size(); ++i) {
    if (is_result[spec_.pieces.id(i)]) join_all(spec_.pieces.text(i));
  }
  if (!joins_unknown_) return;
  for (char32_t left = 0; left < 0x80; ++left) {
    for (char32_t right = 0; right < 0x80; ++right) {
      if (is_unknown(left) && is_unknown(right)) cuts_.join(left, right);
    }
  }
}

void SpBpe::Tables::join_all(std::string_view text) {
  char32_t left = 0;
  for (std::size_t at = 0; at < text.size();) {
    char32_t right = code_point_at(text, at);
    if (right == kSpaceMark && spec_.space_is_mark) {
      // Texts may hold the mark itself too.
      if (at > 0) cuts_.join(packed(left), packed(kSpaceMark));
      right = ' ';
    }
    if (at > 0) {
      cuts_.join(packed(left), packed(right));
      if (left == ' ' && spec_.space_is_mark) {
        cuts_.join(packed(kSpaceMark), packed(right));
      }
      if (left == ' ' && right == ' ' && spec_.space_is_mark) {
        cuts_.join(packed(kSpaceMark), packed(kSpaceMark));
      }
    }
    left = right;
    at = next_code_point(text, at);
  }
}

}  // namespace trainsight::tokenize
