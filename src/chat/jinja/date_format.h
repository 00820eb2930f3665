// Dates as Python's strftime prints them in the C locale, without a clock.
//
// Source: Python Library Reference, "strftime() and strptime() Format Codes".
#ifndef TRAINSIGHT_CHAT_JINJA_DATE_FORMAT_H_
#define TRAINSIGHT_CHAT_JINJA_DATE_FORMAT_H_

#include <string>
#include <string_view>

#include "trainsight/chat/chat_template.h"

namespace trainsight::chat::jinja {

/// Appends `date` as `format` asks. Returns the first directive that is not
/// known, or '\0' when all were.
char append_date(const TemplateVariables::Date& date, std::string_view format,
                 std::string& out);

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_DATE_FORMAT_H_
