#include <algorithm>
#include <array>
#include <vector>

#include "trainsight/records/extract.h"

namespace trainsight::records {
namespace {

struct RoleName {
  std::string_view name;
  Role role;
};

// Names in use for each role (preflight.md 5.1). Capitalised forms are accepted
// as their lower-case ones.
constexpr RoleName kRoleNames[] = {
    {"user", Role::kUser},
    {"assistant", Role::kAssistant},
    {"system", Role::kSystem},
    {"human", Role::kUser},
    {"gpt", Role::kAssistant},
    {"tool", Role::kTool},
    {"developer", Role::kDeveloper},
    {"function", Role::kTool},
    {"observation", Role::kTool},
    {"function_call", Role::kCall},
    {"tool_call", Role::kCall},
    {"call", Role::kCall},
    {"function_response", Role::kTool},
    {"tool_response", Role::kTool},
    {"ipython", Role::kTool},
    {"environment", Role::kTool},
    {"model", Role::kAssistant},
    {"bot", Role::kAssistant},
    {"chatgpt", Role::kAssistant},
    {"bing", Role::kAssistant},
    {"bard", Role::kAssistant},
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool same_but_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](char x, char y) { return lower(x) == y; });
}

// Levenshtein distance of short names.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute =
          diagonal + (lower(a[i - 1]) == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

Role role_of(std::string_view name) {
  for (const RoleName& known : kRoleNames) {
    if (known.name == name) return known.role;
  }
  for (const RoleName& known : kRoleNames) {
    if (same_but_case(name, known.name)) return known.role;
  }
  return Role::kUnknown;
}

std::string_view nearest_role_name(std::string_view name) {
  constexpr std::size_t kLongestName = 32;
  if (name.size() > kLongestName) return {};
  std::string_view nearest;
  std::size_t distance = 3;
  for (const RoleName& known : kRoleNames) {
    // Two edits of a four-letter name would be another word.
    const std::size_t allowed = known.name.size() < 6 ? 1 : 2;
    const std::size_t edits = edit_distance(name, known.name);
    if (edits <= allowed && edits < distance) {
      distance = edits;
      nearest = known.name;
    }
  }
  return nearest;
}

}  // namespace trainsight::records
