// Methods of text that filters share.
#ifndef TRAINSIGHT_CHAT_JINJA_TEXT_METHODS_H_
#define TRAINSIGHT_CHAT_JINJA_TEXT_METHODS_H_

#include <span>

#include "chat/jinja/evaluator.h"

namespace trainsight::chat::jinja {

/// str.strip and its one-sided forms; `characters` may be nullptr or None.
Val strip(Evaluator& evaluator, const Val& text, const Val* characters,
          bool left, bool right);

/// str.replace; `count` nullptr: all.
Val replace(Evaluator& evaluator, const Val& text, std::string_view from,
            std::string_view to, const Val* count);

/// `separator`.join of the str() of `items`.
Val join(Evaluator& evaluator, const Val& separator, std::span<const Val> items,
         bool only_texts);

/// str.splitlines.
Val split_lines(Evaluator& evaluator, const Val& text, bool keep_ends);

/// str.center.
Val center(Evaluator& evaluator, const Val& text, std::int64_t width,
           char fill);

/// Rows of methods() for text.
std::span<const Builtin> text_methods();

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_TEXT_METHODS_H_
