// Sample: a row as training data: its type, its texts, who says them and what
// is learnt.
//
// A Sample is a view: texts and values point into the RowView that it was made
// from. One Sample object is reused from row to row (its vectors keep their
// memory). Thread-safety: one per worker.
#ifndef TRAINSIGHT_RECORDS_SAMPLE_H_
#define TRAINSIGHT_RECORDS_SAMPLE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "trainsight/scan/row_view.h"
#include "trainsight/text/text_view.h"

namespace trainsight::records {

/// What a row trains. The names are the command line's.
enum class SampleType : std::uint8_t {
  kUnknown,   ///< no known shape
  kPretrain,  ///< plain text or ids: every token is learnt
  kSft,       ///< prompt and completion, or a conversation
  kDpo,   ///< a preference: prompt, chosen, rejected (DPO, ORPO, reward …)
  kKto,   ///< unpaired preference: prompt, completion, good or bad
  kGrpo,  ///< reinforcement learning: a prompt; answers are generated
  kPrm,   ///< stepwise supervision: completions[] with labels[]
  kEmbedding,  ///< anchor/positive/negative: recognised, not profiled
};
inline constexpr std::size_t kSampleTypeCount = 8;

/// "pretrain", "sft", "dpo", "kto", "grpo", "prm", "embedding", "unknown".
std::string_view name_of(SampleType type);

enum class Role : std::uint8_t {
  kNone,  ///< not a message: a plain field
  kSystem,
  kDeveloper,
  kUser,
  kAssistant,
  kTool,     ///< tool, observation, function (results)
  kCall,     ///< function_call turns of ShareGPT-like sets
  kUnknown,  ///< a role name that is not known
};

/// The fields that lengths are kept for, whatever a data set calls them.
enum class Field : std::uint8_t {
  kText,        ///< pretraining text, or a whole conversation's text
  kSystem,      ///< system and developer messages
  kPrompt,      ///< what comes before the answer: instruction, question, user
  kContext,     ///< input, context: the optional second half of a prompt
  kCompletion,  ///< output, answer, response, assistant messages
  kTool,        ///< tool results
  kChosen,
  kRejected,
  kTemplate,  ///< the chat template's text outside all messages
};
inline constexpr std::size_t kFieldCount = 9;
std::string_view name_of(Field field);

/// Which of a preference's two sequences a piece belongs to.
enum class Side : std::uint8_t { kBoth, kChosen, kRejected };

/// One text of a row.
struct Piece {
  text::TextView text;
  Field field = Field::kText;
  Side side = Side::kBoth;
  std::int32_t message = -1;  ///< index into Sample::messages, or -1
  /// Whether the default trainer learns this text (the target can differ).
  bool trained = false;
};

/// A call of a tool in an assistant's message (OpenAI's shape).
struct ToolCall {
  std::string_view name;                   ///< as it stands in the file
  const scan::Value* arguments = nullptr;  ///< text or object
};

struct Message {
  Role role = Role::kUnknown;
  std::string_view role_name;  ///< as written: "gpt", "human", "assistant"
  const scan::Value* role_value = nullptr;  ///< nullptr: no such member
  const scan::Value* value = nullptr;    ///< the whole message
  const scan::Value* content = nullptr;  ///< nullptr: no such member
  std::uint32_t first_piece = 0;
  std::uint32_t piece_count = 0;  ///< 0 for null; parts give one piece each
  Side side = Side::kBoth;
  bool has_tool_calls = false;
  bool trained = false;  ///< assistant turns that are not switched off
};

/// A row's samples of token ids, already tokenised.
struct TokenIds {
  const scan::Value* input_ids = nullptr;  ///< kNumbers
  const scan::Value* labels = nullptr;     ///< kNumbers, -100 = not learnt
  const scan::Value* attention_mask = nullptr;
};

/// How the messages of a list name who speaks and what is said.
enum class Dialect : std::uint8_t {
  kNone,               ///< no messages
  kRoleContent,        ///< {role, content}
  kFromHumanGpt,       ///< {from: human | gpt, value}
  kFromUserAssistant,  ///< {from: user | assistant, value}
  kPairs,              ///< {human, assistant} in one object
};

struct Sample {
  SampleType type = SampleType::kUnknown;
  /// Row of the schema table (schema_table.h) that the row matched; -1 none.
  std::int16_t schema = -1;
  std::vector<Piece> pieces;      ///< in the order of the training sequence
  std::vector<Message> messages;  ///< empty for plain fields
  Dialect dialect = Dialect::kNone;
  TokenIds ids;
  const scan::Value* tools = nullptr;  ///< tool schemas: array or JSON text
  std::uint32_t images = 0;            ///< image parts and `images` entries
  std::uint32_t videos = 0;
  std::uint32_t audios = 0;
  std::uint32_t image_parts = 0;  ///< of `images`, those that are parts
  /// Whether both sides of a preference repeat the prompt (whole transcripts).
  bool sides_are_whole = false;
  /// The conversation's last turn is a user's or a tool's: a prompt for RL, or
  /// a supervised row without its answer. The votes of all rows decide.
  bool ends_with_user = false;
  /// The schema calls for an answer (completion, chosen, rejected, …) and the
  /// row's is missing or null.
  bool answer_is_null = false;
  /// KTO: the row's label, when it is a boolean.
  bool has_label = false;
  bool label = false;

  void clear();
};

}  // namespace trainsight::records

#endif  // TRAINSIGHT_RECORDS_SAMPLE_H_
