// Upper and lower case of text, as Python's str methods have it.
//
// Exact or refused: lower case is known for all text but U+0130 and U+03A3
// (whose lower case depends on more than the character), upper and title case
// for ASCII only (others can grow: "ß" becomes "SS").
#ifndef TRAINSIGHT_CHAT_JINJA_CASE_TEXT_H_
#define TRAINSIGHT_CHAT_JINJA_CASE_TEXT_H_

#include <string>
#include <string_view>

#include "chat/jinja/evaluator.h"

namespace trainsight::chat::jinja {

/// How to change the case of a text.
enum class CaseChange : std::uint8_t {
  kLower,
  kUpper,
  kCapitalize,  ///< the first character upper, the others lower
  kTitle,       ///< str.title: letters after no letter are upper
  kTitleWords,  ///< jinja2's title filter: words begin behind -, white space, (
  kSwap,
};

/// `text` in lower case, appended to `out`; false (failed) when not known.
bool append_lower(Evaluator& evaluator, std::string_view text,
                  std::string& out);

/// The text value `text` with its case changed; fails where it is not known.
Val change_case(Evaluator& evaluator, const Val& text, CaseChange change);

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_CASE_TEXT_H_
