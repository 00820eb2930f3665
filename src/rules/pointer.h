// JSON Pointers of values in a row. Source: RFC 6901.
#ifndef TRAINSIGHT_RULES_POINTER_H_
#define TRAINSIGHT_RULES_POINTER_H_

#include <string>
#include <string_view>

#include "trainsight/scan/row_view.h"

namespace trainsight::rules {

/// Appends "/key" with '~' and '/' escaped.
void append_token(std::string_view key, std::string& pointer);

/// The pointer of `value`, which stands in `row`; empty for the row itself.
/// Linear in the values before it.
std::string pointer_of(const scan::RowView& row, const scan::Value& value);

/// The pointer of the text whose bytes begin at `data`; empty when no value of
/// the row does.
std::string pointer_of_text(const scan::RowView& row, const char* data);

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_POINTER_H_
