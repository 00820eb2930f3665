// The two files of filters behind filters(): of single values and of
// sequences.
#ifndef TRAINSIGHT_CHAT_JINJA_FILTERS_H_
#define TRAINSIGHT_CHAT_JINJA_FILTERS_H_

#include <span>

#include "chat/jinja/builtins.h"

namespace trainsight::chat::jinja {

std::span<const Builtin> value_filters();
std::span<const Builtin> sequence_filters();

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_FILTERS_H_
