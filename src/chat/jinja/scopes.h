// Scopes: gives every name of a parsed template its slot.
//
// Jinja's rule: loops, macros, call, filter, set and with blocks are scopes, an
// if is not. A variable set anywhere in a scope is that scope's own; it begins
// with the value that the name has outside, at each entry (and each turn of a
// loop), and what is set inside is gone afterwards. Macros read the variables
// around them at the time of the call. Source: jinja2 3.1, idtracking.
#ifndef TRAINSIGHT_CHAT_JINJA_SCOPES_H_
#define TRAINSIGHT_CHAT_JINJA_SCOPES_H_

#include "chat/jinja/ast.h"
#include "trainsight/core/result.h"

namespace trainsight::chat::jinja {

/// Fills every NameRef, slot and SlotStart of `program`.
/// Errors: kUnsupported (`varargs`, `kwargs` in a macro, `self`).
Status resolve_names(Program& program);

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_SCOPES_H_
