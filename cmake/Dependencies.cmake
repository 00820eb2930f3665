# Third-party libraries. Each is a target ts::NAME, so that modules name what
# they use in one way, whatever the distribution ships:
#
#   ts::fmt ts::spdlog ts::json ts::cli11        headers only
#   ts::yaml_cpp ts::pcre2 ts::utf8proc
#   ts::zlib ts::zstd ts::snappy ts::simdjson    archives (.a)
#   Catch2::Catch2                               tests
#
# Archives are used in every build, not only in static ones, so that what is
# tested is what ships. They are INTERFACE or IMPORTED targets whose headers
# are system headers: our warnings do not apply to them.

# ts_interface(NAME [LINK targets] [DEFINITIONS defs]): the target ts::NAME.
function(ts_interface name)
  cmake_parse_arguments(ARG "" "" "LINK;DEFINITIONS" ${ARGN})
  add_library(ts_${name} INTERFACE)
  target_link_libraries(ts_${name} INTERFACE ${ARG_LINK})
  target_compile_definitions(ts_${name} INTERFACE ${ARG_DEFINITIONS})
  add_library(ts::${name} ALIAS ts_${name})
endfunction()

# ts_archive(NAME HEADER x.h LIBRARY x PACKAGE libx-dev [DEFINITIONS defs])
#
# The target ts::NAME from libLIBRARY.a. Without the archive a static build
# stops, naming the package; another build takes the shared library.
function(ts_archive name)
  cmake_parse_arguments(ARG "" "HEADER;LIBRARY;PACKAGE" "DEFINITIONS" ${ARGN})
  find_path(TS_${name}_INCLUDE ${ARG_HEADER})
  set(names lib${ARG_LIBRARY}.a)
  if(NOT TRAINSIGHT_STATIC)
    list(APPEND names ${ARG_LIBRARY})
  endif()
  find_library(TS_${name}_LIBRARY NAMES ${names})
  mark_as_advanced(TS_${name}_INCLUDE TS_${name}_LIBRARY)
  if(NOT TS_${name}_INCLUDE OR NOT TS_${name}_LIBRARY)
    message(FATAL_ERROR
      "${name}: ${ARG_HEADER} or lib${ARG_LIBRARY}.a is missing; "
      "install ${ARG_PACKAGE} (./quickstart.sh does)")
  endif()
  add_library(ts_${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(ts_${name} PROPERTIES
    IMPORTED_LOCATION ${TS_${name}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${TS_${name}_INCLUDE}
    INTERFACE_COMPILE_DEFINITIONS "${ARG_DEFINITIONS}")
  add_library(ts::${name} ALIAS ts_${name})
endfunction()

find_package(Threads REQUIRED)

# fmt and spdlog come as shared libraries only on Debian 12: headers instead.
find_package(fmt REQUIRED)
ts_interface(fmt LINK fmt::fmt-header-only)
find_path(TS_spdlog_INCLUDE spdlog/spdlog.h REQUIRED)
mark_as_advanced(TS_spdlog_INCLUDE)
ts_interface(spdlog LINK ts::fmt Threads::Threads
  DEFINITIONS SPDLOG_FMT_EXTERNAL SPDLOG_FMT_EXTERNAL_HO)

find_package(nlohmann_json REQUIRED)
ts_interface(json LINK nlohmann_json::nlohmann_json)
find_package(CLI11 REQUIRED)
ts_interface(cli11 LINK CLI11::CLI11)

ts_archive(yaml_cpp HEADER yaml-cpp/yaml.h LIBRARY yaml-cpp
  PACKAGE libyaml-cpp-dev DEFINITIONS YAML_CPP_STATIC_DEFINE)
ts_archive(pcre2 HEADER pcre2.h LIBRARY pcre2-8
  PACKAGE libpcre2-dev DEFINITIONS PCRE2_STATIC PCRE2_CODE_UNIT_WIDTH=8)
ts_archive(utf8proc HEADER utf8proc.h LIBRARY utf8proc
  PACKAGE libutf8proc-dev DEFINITIONS UTF8PROC_STATIC)
ts_archive(zlib HEADER zlib.h LIBRARY z PACKAGE zlib1g-dev)
ts_archive(zstd HEADER zstd.h LIBRARY zstd PACKAGE libzstd-dev)
ts_archive(snappy HEADER snappy.h LIBRARY snappy PACKAGE libsnappy-dev)

include(Simdjson)

# ts::httplib and ts::ncurses belong here once pulse serves and draws; Debian
# 12's cpp-httplib needs the route of simdjson, since its header is split.

if(TRAINSIGHT_TESTS AND NOT TRAINSIGHT_FUZZ)
  find_package(Catch2 2 REQUIRED)
endif()
