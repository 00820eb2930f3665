// Rendered: a conversation as the trainer sees it, with its boundaries.
//
// Tokens are counted on the text as a whole, since a token may cross a
// boundary; lengths of fields are differences of prefix counts at the spans'
// ends, and labels are the tokens of the spans that are trained. One Rendered
// is reused from row to row and keeps its memory. Thread-safety: plain data.
#ifndef TRAINSIGHT_CHAT_RENDERED_H_
#define TRAINSIGHT_CHAT_RENDERED_H_

#include <cstdint>
#include <string>
#include <vector>

namespace trainsight::chat {

enum class SpanKind : std::uint8_t {
  kLiteral,  ///< the template's own text: headers, separators, role names
  kContent,  ///< text out of a message
  /// The template's text that ends an answer (`<|im_end|>`) and is learnt with
  /// it; only presets know it, a Jinja template's is kLiteral.
  kStop,
};

/// A stretch of Rendered::text, in bytes. Spans follow each other without a
/// gap, none is empty, and together they are the whole text.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  /// Index into Conversation::messages: whose text it is, or which message's
  /// turn printed it. -1: text that belongs to no message (BOS, tools, the
  /// generation prompt).
  std::int32_t message = -1;
  SpanKind kind = SpanKind::kLiteral;
  bool trained = false;     ///< learnt when only answers are; see MaskSource
  bool generation = false;  ///< inside `{% generation %}`

  friend bool operator==(const Span&, const Span&) = default;
};

/// Where the `trained` flags of a Rendered come from.
enum class MaskSource : std::uint8_t {
  kNone,        ///< not asked for: no span is trained
  kPreset,      ///< contents of trained messages and the stop behind them
  kGeneration,  ///< the template's `{% generation %}` blocks
  /// From the end of render(messages[:i] + generation prompt) to the end of
  /// render(messages[:i+1]), for each trained message i.
  kPrefixes,
  /// As kPrefixes, but for at least one message these were no prefixes of the
  /// whole text: of those messages the contents alone are trained.
  kPrefixesBroken,
  kContents,  ///< marked by the trainer's own rule (facts/conversations.h)
};

struct Rendered {
  std::string text;
  std::vector<Span> spans;
  MaskSource mask_source = MaskSource::kNone;
  /// Something of the conversation has no place in this (preset) template and
  /// is missing from the text: tool schemas, or calls of tools.
  bool omits_tools = false;

  void clear() {
    text.clear();
    spans.clear();
    mask_source = MaskSource::kNone;
    omits_tools = false;
  }
};

/// Marks text[begin, end) as trained, splitting spans at both ends.
void mark_trained(std::uint64_t begin, std::uint64_t end, Rendered& out);

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_CHAT_RENDERED_H_
