// Renders Jinja templates for tests/property/jinja_differential.py.
//
// Input, again and again: "<template bytes> <variables bytes>\n", then the
// template, then its variables as a JSON object. Output, a line each:
// {"text": …} or {"error": …, "kind": ErrorKind as a number}. The date is the
// script's.
#include <cstddef>
#include <cstdio>
#include <string>

#include "trainsight/chat/jinja_template.h"
#include "trainsight/text/json_text.h"

namespace {

using trainsight::Result;
using trainsight::chat::JinjaTemplate;

Result<std::string> render(const std::string& source,
                           const std::string& variables) {
  trainsight::chat::TemplateVariables fixed;
  fixed.date = {2026, 7, 4, 15, 5, 9};
  const auto compiled = JinjaTemplate::compile(source, fixed);
  if (!compiled) return compiled.error();
  return (*compiled)->render_json(variables);
}

bool read_bytes(std::size_t count, std::string& out) {
  out.resize(count);
  return std::fread(out.data(), 1, count, stdin) == count;
}

}  // namespace

int main() {
  std::size_t source_bytes = 0;
  std::size_t variables_bytes = 0;
  std::string source;
  std::string variables;
  while (std::scanf("%zu %zu", &source_bytes, &variables_bytes) == 2) {
    std::getchar();  // the line break
    if (!read_bytes(source_bytes, source) ||
        !read_bytes(variables_bytes, variables)) {
      return 1;
    }
    const Result<std::string> text = render(source, variables);
    std::string line = text ? "{\"text\":\"" : "{\"error\":\"";
    trainsight::text::append_json_escaped(text ? *text : text.error().message,
                                          line);
    line += '"';
    if (!text) {
      line +=
          ",\"kind\":" + std::to_string(static_cast<int>(text.error().kind));
    }
    line += "}\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}
