// What each trainer or provider accepts, and what it does with long rows.
//
// One row a target, each fact true at the version named in `source` and of the
// date in `as_of`: defaults move, so a report names them. What a target does
// not say is absent (an empty list, 0), and then nothing is checked.
// Thread-safety: constant data.
#ifndef TRAINSIGHT_TARGETS_TARGET_TABLE_H_
#define TRAINSIGHT_TARGETS_TARGET_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "trainsight/facts/conversations.h"
#include "trainsight/facts/plain_texts.h"

namespace trainsight::targets {

/// What happens to a row over the length limit.
enum class Overlong : std::uint8_t {
  kTruncateStart,  ///< its first tokens are kept
  kTruncateEnd,    ///< its last tokens are kept
  kProportional,   ///< prompt and answer are both shortened, by their share
  kDrop,           ///< the row is left out
  kRaise,          ///< the run stops
  kSplit,          ///< cut into several rows; nothing is lost
  kKeep,           ///< nothing is done: the user must filter
};

/// "truncate", "truncate_keep_end", "truncate_proportional", "drop", "error",
/// "split", "keep".
std::string_view name_of(Overlong policy);

/// Which tokens of a conversation are learnt by default.
enum class Learns : std::uint8_t {
  kAssistant,  ///< the assistant's turns; of a prompt and completion the latter
  kAllOfChats,  ///< everything of a conversation, else the completion
  kAll,         ///< every token
};

struct Target {
  std::string_view name;    ///< on the command line: "llama-factory"
  std::string_view title;   ///< "LLaMA-Factory"
  std::string_view source;  ///< repository and commit, or page
  std::string_view as_of;   ///< date of the facts, YYYY-MM

  std::uint32_t max_seq_len = 0;  ///< default limit in tokens; 0: none stated
  std::uint32_t max_prompt_len = 0;                 ///< RL prompts; 0: none
  Overlong rows = Overlong::kTruncateStart;         ///< SFT and pretraining
  Overlong pairs = Overlong::kTruncateStart;        ///< preferences
  Overlong prompts = Overlong::kKeep;               ///< RL prompts
  Overlong packed_rows = Overlong::kTruncateStart;  ///< when packing is on
  /// Rows of which nothing is left to learn are left out, not trained on.
  bool drops_unlabelled = false;
  Learns learns = Learns::kAssistant;
  /// What it does with texts that no chat template writes, and with those of
  /// preferences and RL prompts.
  facts::PlainTexts plain;
  facts::PlainTexts plain_preferences;
  facts::Conversations conversations;  ///< and with those that one writes
  /// Rows that are packed together; 0: all.
  std::uint32_t packing_window_rows = 0;

  std::uint64_t minimum_rows = 0;
  /// Members that a row may have; empty: any.
  std::span<const std::string_view> columns;
  /// Members that a message may have; empty: any.
  std::span<const std::string_view> message_keys;
  /// Role names as written in the file; empty: any known role.
  std::span<const std::string_view> roles;
  /// A conversation must be user, assistant, user, … after the system turn.
  bool strict_alternation = false;
  /// Rows must be conversations under "messages".
  bool needs_messages = false;
  /// File formats that are refused ("jsonl").
  std::span<const std::string_view> refused_formats;
};

/// All targets, in the order of the documentation.
std::span<const Target> targets();

/// The target of that name; nullptr when there is none.
const Target* find_target(std::string_view name);

}  // namespace trainsight::targets

#endif  // TRAINSIGHT_TARGETS_TARGET_TABLE_H_
