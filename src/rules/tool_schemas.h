// Parameters of tools: how many different sets of names, and nulls left by a
// cast. Internal to rules.
#ifndef TRAINSIGHT_RULES_TOOL_SCHEMAS_H_
#define TRAINSIGHT_RULES_TOOL_SCHEMAS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "trainsight/scan/row_view.h"

namespace trainsight::rules {

class ToolSchemas {
 public:
  /// Sets of names beyond this many are not told apart.
  static constexpr std::size_t kMostSets = 1024;

  struct KeySet {
    std::uint64_t uses = 0;  ///< tools with these parameters
    std::uint64_t line = 0;  ///< of the first
    std::uint64_t offset = 0;
    std::uint32_t file = 0;
    std::string pointer;
  };

  /// The tools of a row: an array of {parameters} or {function:{parameters}}.
  /// Gives the number of nulls under parameters; `where` is the first of them.
  std::uint64_t add(const scan::RowView& row, const scan::Value& tools,
                    const scan::Value** where);
  /// Adds what a later batch saw.
  void append(ToolSchemas&& later, std::uint32_t file, std::uint64_t line_base);

  [[nodiscard]] const std::map<std::vector<std::string>, KeySet>& sets() const {
    return sets_;
  }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// Names of all sets together.
  [[nodiscard]] std::set<std::string> all_names() const;
  /// The JSON text of the first row's tools (bounded), as it is, and with every
  /// name that its tools lack added as a null. Empty in columnar formats.
  [[nodiscard]] const std::string& first_tools() const { return first_tools_; }
  [[nodiscard]] std::string padded_first_tools() const;

 private:
  // Where in first_tools_ the parameters of a tool end, and their names.
  struct Place {
    std::size_t end = 0;
    std::vector<std::string> names;
  };

  std::map<std::vector<std::string>, KeySet> sets_;
  std::uint64_t rows_ = 0;
  std::string first_tools_;
  std::vector<Place> places_;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_TOOL_SCHEMAS_H_
