// Rules that look at one row.
#ifndef TRAINSIGHT_RULES_ROW_RULES_H_
#define TRAINSIGHT_RULES_ROW_RULES_H_

#include <string>
#include <vector>

#include "trainsight/rules/check.h"
#include "trainsight/rules/finding.h"

namespace trainsight::rules {

/// Where a row rule puts what it finds.
class RowFindings {
 public:
  RowFindings(FindingLog& log, const RowContext& context)
      : log_(log), context_(context) {}

  /// Whether a message for this rule would be kept; otherwise only count.
  [[nodiscard]] bool wants(std::string_view code) const;
  /// A finding of this row. `message` may be empty when !wants(code).
  void add(std::string_view code, std::string pointer, std::string message,
           std::vector<Figure> figures = {});

 private:
  FindingLog& log_;
  const RowContext& context_;
};

/// All rules about `context`'s row.
void check_row(const RowContext& context, const RuleOptions& options,
               RowFindings& findings);

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_ROW_RULES_H_
