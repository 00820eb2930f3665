// JinjaTemplate: a model's own chat template, interpreted.
//
// The template of tokenizer_config.json or chat_template.jinja is compiled
// once and rendered once a row. The semantics are those of Python's jinja2 3.1
// as transformers sets it up: an immutable sandbox with trim_blocks and
// lstrip_blocks, break and continue, `{% generation %}`, raise_exception,
// strftime_now, and a tojson that neither escapes nor sorts. What we lack is
// refused with its name and line, never approximated.
//
// Every value keeps the message that it came from, through concatenation,
// strip, split and slicing, so that the spans of a Rendered are exact without
// searching the text. An operation that rewrites its text (replace, upper,
// tojson, …) gives its result to the one message that it came from, or makes it
// a literal when there was more than one.
//
// The sandbox is bounded in steps, memory, output and depth: a template or a
// row can make rendering fail with kLimit, never hang or grow.
#ifndef TRAINSIGHT_CHAT_JINJA_TEMPLATE_H_
#define TRAINSIGHT_CHAT_JINJA_TEMPLATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/chat/chat_template.h"
#include "trainsight/core/result.h"

namespace trainsight::chat {

namespace jinja {
struct Program;
}

struct JinjaLimits {
  std::uint64_t source_bytes = 1 << 20;
  /// Nodes evaluated, plus one for every 64 bytes or 8 elements moved.
  std::uint64_t steps = 20'000'000;
  std::uint64_t output_bytes = std::uint64_t{1} << 28;
  /// Memory of values made while rendering one conversation.
  std::uint64_t memory_bytes = std::uint64_t{1} << 29;
  std::uint32_t depth = 400;  ///< nesting of evaluation, calls and data
};

class JinjaTemplate final : public ChatTemplate {
 public:
  /// Compiles `source`. Errors: kUnsupported (named construct, with line),
  /// kCorrupt (not a Jinja template), kLimit.
  static Result<std::unique_ptr<JinjaTemplate>> compile(
      std::string_view source, TemplateVariables variables = {},
      JinjaLimits limits = {});
  ~JinjaTemplate() override;

  [[nodiscard]] std::string_view name() const override { return "jinja"; }
  [[nodiscard]] std::unique_ptr<TemplateRenderer> make_renderer()
      const override;

  /// Whether the template marks what is learnt with `{% generation %}`.
  [[nodiscard]] bool has_generation_blocks() const;
  /// Names that the template reads and nothing defines but the caller may
  /// (`enable_thinking`, `tools`, …), sorted.
  [[nodiscard]] std::vector<std::string> free_names() const;

  /// Renders with `variables_json`, a JSON object whose members are all that
  /// the template can name (no conversation, no defaults). For tests and for
  /// comparing with other implementations.
  Result<std::string> render_json(std::string_view variables_json) const;

 private:
  JinjaTemplate(std::unique_ptr<jinja::Program> program,
                TemplateVariables variables, JinjaLimits limits);
  std::unique_ptr<jinja::Program> program_;
  TemplateVariables variables_;
  JinjaLimits limits_;
};

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_CHAT_JINJA_TEMPLATE_H_
