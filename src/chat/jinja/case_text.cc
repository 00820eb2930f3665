#include "chat/jinja/case_text.h"

#include <utf8proc.h>

#include "chat/jinja/python_text.h"
#include "trainsight/text/utf8.h"

namespace trainsight::chat::jinja {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
char upper(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }

}  // namespace

bool append_lower(Evaluator& evaluator, std::string_view text,
                  std::string& out) {
  if (!evaluator.charge(text.size() / 8)) return false;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      out += lower(text[at++]);
      continue;
    }
    const char32_t c = text::decode_utf8(text, at);
    if (c == 0x130 || c == 0x3A3) {
      evaluator.fail(ErrorKind::kUnsupported,
                     "lower case of a letter whose form depends on context");
      return false;
    }
    text::append_utf8(out, static_cast<char32_t>(utf8proc_tolower(
                               static_cast<utf8proc_int32_t>(c))));
  }
  return true;
}

Val change_case(Evaluator& evaluator, const Val& text, CaseChange change) {
  const std::string_view bytes = evaluator.flat(text);
  if (evaluator.failed() || !evaluator.charge(bytes.size() / 8)) return {};
  std::string out;
  if (change == CaseChange::kLower) {
    if (!append_lower(evaluator, bytes, out)) return {};
    return evaluator.copy_text(out, evaluator.origin_of(text));
  }
  if (!is_ascii(bytes)) {
    return evaluator.fail(ErrorKind::kUnsupported,
                          "changing the case of text that is not ASCII");
  }
  char before = ' ';
  for (const char c : bytes) {
    bool up = false;
    switch (change) {
      case CaseChange::kUpper:
        up = true;
        break;
      case CaseChange::kCapitalize:
        up = out.empty();
        break;
      case CaseChange::kTitle:
        up = !is_lower(before) && !is_upper(before);
        break;
      case CaseChange::kTitleWords:
        up = out.empty() || before == '-' || before == '(' || before == '{' ||
             before == '[' || before == '<' ||
             is_python_space(static_cast<unsigned char>(before));
        break;
      default:  // kSwap
        up = is_lower(c);
    }
    out += up ? upper(c) : lower(c);
    before = c;
  }
  return evaluator.copy_text(out, evaluator.origin_of(text));
}

}  // namespace trainsight::chat::jinja
