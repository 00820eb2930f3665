# cmake -DPAGES=a.md;b.md -DOUTPUT=x.cc -P EmbedRulePages.cmake
#
# Writes a C++ source that holds the pages of the rules, sorted by file name.
# A raw string's delimiter keeps quotes and backslashes as they are.
list(SORT PAGES)
set(text "// Written by cmake/EmbedRulePages.cmake; do not edit.\n")
string(APPEND text "#include \"rules/rule_pages.h\"\n\n")
string(APPEND text "namespace trainsight::rules {\nnamespace {\n\n")
string(APPEND text "constexpr std::string_view kPages[] = {\n")
foreach(page IN LISTS PAGES)
  file(READ ${page} bytes)
  string(APPEND text "R\"page(${bytes})page\",\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\n")
string(APPEND text
  "std::span<const std::string_view> rule_pages() { return kPages; }\n\n")
string(APPEND text "}  // namespace trainsight::rules\n")
file(WRITE ${OUTPUT} "${text}")
