#include "trainsight/chat/jinja_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "chat/jinja/evaluator.h"
#include "chat/jinja/parser.h"
#include "chat/jinja/scopes.h"
#include "chat/spans.h"
#include "trainsight/text/json_text.h"

namespace trainsight::chat {
namespace {

using jinja::Val;

class JinjaRenderer final : public TemplateRenderer {
 public:
  JinjaRenderer(const jinja::Program& program,
                const TemplateVariables& variables, const JinjaLimits& limits)
      : program_(program), variables_(variables), evaluator_(program, limits) {}

  Status render(const Conversation& conversation, const RenderOptions& options,
                Rendered& out) override {
    const std::size_t count = conversation.messages.size();
    const Status status =
        render_first(conversation, count, options.add_generation_prompt, out);
    if (!status || !options.mask) return status;
    if (!program_.has_generation) {
      return mask_by_prefixes(conversation, options, out);
    }
    out.mask_source = MaskSource::kGeneration;
    for (Span& span : out.spans) {
      const auto message = static_cast<std::size_t>(span.message);
      span.trained =
          span.generation && (span.message < 0 || message >= count ||
                              conversation.messages[message].trained);
    }
    return {};
  }

 private:
  // The first `count` messages.
  Status render_first(const Conversation& conversation, std::size_t count,
                      bool add_generation_prompt, Rendered& out) {
    evaluator_.begin(conversation.tape);
    evaluator_.set_date(variables_.date);
    set_text("bos_token", variables_.bos_token);
    set_text("eos_token", variables_.eos_token);
    for (const TemplateVariables::Named& token : variables_.special_tokens) {
      set_text(token.name, token.value);
    }
    set_conversation(conversation, count);
    evaluator_.set_variable("documents", Val::none());
    evaluator_.set_variable("add_generation_prompt",
                            Val::of(add_generation_prompt));
    for (const TemplateVariables::Named& argument : variables_.arguments) {
      set_json(argument.name, argument.value);
    }
    return evaluator_.run(out);
  }

  void set_text(std::string_view name, std::string_view text) {
    if (!text.empty()) evaluator_.set_variable(name, Val::text(text));
  }

  void set_json(std::string_view name, std::string_view json) {
    if (std::find(program_.context_names.begin(), program_.context_names.end(),
                  name) == program_.context_names.end()) {
      return;
    }
    bool valid = true;
    const Val value = evaluator_.parse_json(json, jinja::kLiteral, valid);
    if (!valid) {
      evaluator_.refuse(fmt::format("'{}' is not JSON", name));
      return;
    }
    evaluator_.set_variable(name, value);
  }

  void set_conversation(const Conversation& conversation, std::size_t count) {
    Val* const messages = evaluator_.make<Val>(count);
    if (messages == nullptr) return;
    for (std::size_t i = 0; i < count && !evaluator_.failed(); ++i) {
      messages[i] =
          make_message(conversation.messages[i], static_cast<std::int32_t>(i));
    }
    evaluator_.set_variable(
        "messages", evaluator_.make_seq(jinja::SeqType::kList, messages,
                                        static_cast<std::uint32_t>(count)));
    if (conversation.tools == nullptr) {
      evaluator_.set_variable("tools", Val::none());
    } else if (conversation.tools->is(scan::ValueKind::kText)) {
      tools_json_.clear();
      text::append_unescaped(conversation.tools->text(), tools_json_);
      set_json("tools", tools_json_);
    } else {
      evaluator_.set_variable(
          "tools", evaluator_.from_tape(*conversation.tools, jinja::kLiteral));
    }
  }

  // The message as a dict with `role` and `content`, whatever they are called
  // in the file, and its other members as they are.
  Val make_message(const records::Message& message, std::int32_t index) {
    const bool in_row =
        message.value != nullptr && message.value->is(scan::ValueKind::kObject);
    jinja::Dict* dict = nullptr;
    if (in_row) {
      const Val value = evaluator_.from_tape(*message.value, index);
      if (evaluator_.failed()) return {};
      dict = value.dict;
      evaluator_.expand(*dict);
    } else {
      dict = evaluator_.make_dict(2);
      if (dict == nullptr) return {};
      dict->origin = index;
    }
    dict->message = index;
    bool has_role = false;
    bool has_content = false;
    for (std::uint32_t i = 0; i < dict->count; ++i) {
      jinja::DictEntry& entry = dict->entries[i];
      if (entry.key.view() == "role") {
        entry.value.origin = jinja::kLiteral;
        has_role = true;
      }
      has_content = has_content || entry.key.view() == "content";
    }
    if (!has_role) {
      evaluator_.set_member(*dict, Val::text("role"),
                            Val::text(canonical_role(message)));
    }
    if (!has_content && message.content != nullptr) {
      const Val content = evaluator_.from_tape(*message.content, index);
      if (!evaluator_.failed()) {
        evaluator_.set_member(*dict, Val::text("content"), content);
      }
    }
    return Val::of(dict);
  }

  // As TRL finds the tokens of an answer: what is there with it and was not
  // there before it (with the header of an answer).
  Status mask_by_prefixes(const Conversation& conversation,
                          const RenderOptions& options, Rendered& out) {
    out.mask_source = MaskSource::kPrefixes;
    const std::size_t count = conversation.messages.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!conversation.messages[i].trained) continue;
      const bool whole = i + 1 == count && !options.add_generation_prompt;
      std::uint64_t begin = 0;
      std::uint64_t end = out.text.size();
      bool found = false;
      Status status = find_prefix(conversation, i, true, out, begin, found);
      if (status && found && !whole) {
        status = find_prefix(conversation, i + 1, false, out, end, found);
      }
      if (!status) return status;
      if (found && begin <= end) {
        mark_trained(begin, end, out);
        continue;
      }
      out.mask_source = MaskSource::kPrefixesBroken;
      for (Span& span : out.spans) {
        if (span.kind == SpanKind::kContent &&
            span.message == static_cast<std::int32_t>(i)) {
          span.trained = true;
        }
      }
    }
    return {};
  }

  // Renders the first `count` messages; found: whether `out` begins with that,
  // and then `size` is its size. A template that rejects the shorter
  // conversation is not found; other failures are errors.
  Status find_prefix(const Conversation& conversation, std::size_t count,
                     bool add_generation_prompt, const Rendered& out,
                     std::uint64_t& size, bool& found) {
    const Status status =
        render_first(conversation, count, add_generation_prompt, prefix_);
    found = status.has_value() && std::string_view(out.text).substr(
                                      0, prefix_.text.size()) == prefix_.text;
    size = prefix_.text.size();
    if (!status && status.error().kind != ErrorKind::kCorrupt) return status;
    return {};
  }

  const jinja::Program& program_;
  const TemplateVariables& variables_;
  jinja::Evaluator evaluator_;
  std::string tools_json_;
  Rendered prefix_;
};

}  // namespace

JinjaTemplate::JinjaTemplate(std::unique_ptr<jinja::Program> program,
                             TemplateVariables variables, JinjaLimits limits)
    : program_(std::move(program)),
      variables_(std::move(variables)),
      limits_(limits) {}

JinjaTemplate::~JinjaTemplate() = default;

Result<std::unique_ptr<JinjaTemplate>> JinjaTemplate::compile(
    std::string_view source, TemplateVariables variables, JinjaLimits limits) {
  constexpr const char* kContext = "chat template";
  if (source.size() > limits.source_bytes) {
    return Error{
        ErrorKind::kLimit,
        fmt::format("{}: source over {} bytes", kContext, limits.source_bytes),
        ""};
  }
  auto program = std::make_unique<jinja::Program>();
  Status status = jinja::parse(source, *program);
  if (status) status = jinja::resolve_names(*program);
  if (!status) return status.error().with_context(kContext);
  return std::unique_ptr<JinjaTemplate>(
      new JinjaTemplate(std::move(program), std::move(variables), limits));
}

std::unique_ptr<TemplateRenderer> JinjaTemplate::make_renderer() const {
  return std::make_unique<JinjaRenderer>(*program_, variables_, limits_);
}

bool JinjaTemplate::has_generation_blocks() const {
  return program_->has_generation;
}

std::vector<std::string> JinjaTemplate::free_names() const {
  std::vector<std::string> names;
  for (const std::string_view name : program_->context_names) {
    if (jinja::find_function(name) < 0) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> JinjaTemplate::render_json(
    std::string_view variables_json) const {
  jinja::Evaluator evaluator(*program_, limits_);
  evaluator.begin({});
  evaluator.set_date(variables_.date);
  bool valid = true;
  const Val variables =
      evaluator.parse_json(variables_json, jinja::kLiteral, valid);
  if (!valid || !variables.is(jinja::Kind::kDict)) {
    return Error{ErrorKind::kCorrupt, "variables are no JSON object", ""};
  }
  for (std::uint32_t i = 0; i < variables.dict->count; ++i) {
    const jinja::DictEntry& entry = variables.dict->entries[i];
    evaluator.set_variable(entry.key.view(), entry.value);
  }
  Rendered out;
  const Status status = evaluator.run(out);
  if (!status) return status.error();
  return std::move(out.text);
}

}  // namespace trainsight::chat
