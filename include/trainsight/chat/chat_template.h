// ChatTemplate: how a conversation becomes one text.
//
// A template is immutable and shared by all workers; each worker makes a
// TemplateRenderer, which holds its scratch memory (the pattern of Tokenizer
// and TokenCounter). Implementations: presets.h (fixed renderers of well-known
// families), jinja_template.h (a model's own template), and no template at all
// (NoTemplate below).
//
// Thread-safety: a ChatTemplate may be used from any thread; a
// TemplateRenderer from one at a time.
#ifndef TRAINSIGHT_CHAT_CHAT_TEMPLATE_H_
#define TRAINSIGHT_CHAT_CHAT_TEMPLATE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/chat/rendered.h"
#include "trainsight/core/result.h"
#include "trainsight/records/sample.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::chat {

/// One conversation to render; a view of a row and its Sample.
struct Conversation {
  /// The tape that messages and tools point into. May be empty when every
  /// value in them is a kText (or other scalar) that stands alone.
  std::span<const scan::Value> tape;
  std::span<const records::Message> messages;
  /// What Message::first_piece counts in: the texts of contents that are
  /// arrays of parts. Presets join them; Jinja templates see the parts.
  std::span<const records::Piece> pieces;
  const scan::Value* tools = nullptr;  ///< array, or its JSON text

  /// All messages of `sample`. For one side of a preference, pass a narrower
  /// `messages` span instead.
  static Conversation of(const scan::RowView& row,
                         const records::Sample& sample) {
    return {row.values, sample.messages, sample.pieces, sample.tools};
  }
};

struct RenderOptions {
  /// End with the header of the answer to come (RL and generation prompts).
  bool add_generation_prompt = false;
  /// Fill Span::trained (costs further renderings where a Jinja template has
  /// no generation blocks; see MaskSource).
  bool mask = false;
};

/// What a template may name besides the conversation.
struct TemplateVariables {
  struct Named {
    std::string name;
    std::string value;
  };
  std::string bos_token;  ///< empty: the tokenizer has none
  std::string eos_token;
  /// Further special tokens by name ("pad_token", "image_token", …).
  std::vector<Named> special_tokens;
  /// Arguments of the trainer (`enable_thinking`, …): values as JSON text.
  std::vector<Named> arguments;
  /// The day that `strftime_now` prints, in the trainer's local time; without
  /// one a template that asks is refused, since its text would change daily.
  struct Date {
    std::int32_t year = 0;  ///< 0: no date is given
    std::int32_t month = 1, day = 1, hour = 0, minute = 0, second = 0;
  } date;
};

/// Renders conversations; owns one worker's scratch memory.
class TemplateRenderer {
 public:
  virtual ~TemplateRenderer() = default;

  /// Writes `conversation` into `out` (overwritten).
  ///
  /// Errors, with `out` unspecified: kCorrupt when the template rejects the
  /// conversation (raise_exception, roles it does not know, an operation that
  /// Python would refuse); kUnsupported when it uses what we lack: fall back
  /// to a preset; kLimit when a bound of the sandbox was met.
  virtual Status render(const Conversation& conversation,
                        const RenderOptions& options, Rendered& out) = 0;
};

class ChatTemplate {
 public:
  virtual ~ChatTemplate() = default;
  /// What the report prints: "preset chatml", "jinja", "none".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// A renderer for one worker; must not outlive this template.
  [[nodiscard]] virtual std::unique_ptr<TemplateRenderer> make_renderer()
      const = 0;
};

/// Plain concatenation of the contents in their order, nothing added.
class NoTemplate final : public ChatTemplate {
 public:
  [[nodiscard]] std::string_view name() const override { return "none"; }
  [[nodiscard]] std::unique_ptr<TemplateRenderer> make_renderer()
      const override;
};

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_CHAT_CHAT_TEMPLATE_H_
