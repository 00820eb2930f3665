// The table of presets: one row a format.
#ifndef TRAINSIGHT_CHAT_PRESET_TABLE_H_
#define TRAINSIGHT_CHAT_PRESET_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace trainsight::chat {

/// Stands for the role's name in Turn::before.
inline constexpr char kRoleMark = '\1';

/// How one role's messages are written: before + content + stop + after.
struct Turn {
  std::string_view before = {};
  std::string_view stop = {};   ///< learnt with an answer
  std::string_view after = {};  ///< never learnt
  bool trim = false;            ///< the content without white space around it
};

enum class PresetLayout : std::uint8_t {
  kTurns,  ///< each message a turn of its own
  /// A system text opens the first user turn, with two line breaks behind it.
  kSystemInUser,
  /// Everything before an answer is one instruction: `user.before` opens it,
  /// `user.after` closes it behind the user's text; system texts inside.
  kInstruction,
};

struct PresetRow {
  std::string_view name = {};
  PresetLayout layout = PresetLayout::kTurns;
  bool prints_bos = false;
  bool repeats_bos = false;     ///< kInstruction: before later instructions too
  std::string_view start = {};  ///< once, behind BOS
  std::string_view assistant_name = "assistant";  ///< for kRoleMark
  Turn system = {}, user = {}, assistant = {}, other = {};
  std::string_view generation_prompt = {};
};

std::span<const PresetRow> preset_table();
/// nullptr when there is none of that name.
const PresetRow* find_preset(std::string_view name);

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_CHAT_PRESET_TABLE_H_
