# ts::simdjson: the distribution's static library where it ships one (Debian
# 13: libsimdjson_static.a), else the single-file sources of its source
# package, compiled once, always optimised and without sanitizers.
#
# SIMDJSON_EXCEPTIONS=0 takes the throwing half of its interface away:
# trainsight reads every result with .get(x).
set(simdjson_dir ${TRAINSIGHT_SIMDJSON_DIR})
if(NOT simdjson_dir)
  find_library(TS_simdjson_LIBRARY NAMES libsimdjson_static.a)
  find_path(TS_simdjson_INCLUDE simdjson.h)
  mark_as_advanced(TS_simdjson_LIBRARY TS_simdjson_INCLUDE)
endif()

if(NOT simdjson_dir AND TS_simdjson_LIBRARY AND TS_simdjson_INCLUDE)
  add_library(ts_simdjson UNKNOWN IMPORTED GLOBAL)
  set_target_properties(ts_simdjson PROPERTIES
    IMPORTED_LOCATION ${TS_simdjson_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${TS_simdjson_INCLUDE}
    INTERFACE_COMPILE_DEFINITIONS SIMDJSON_EXCEPTIONS=0)
else()
  if(NOT simdjson_dir)
    set(simdjson_dir ${TRAINSIGHT_CACHE_DIR}/simdjson-3.0.1)
    if(TRAINSIGHT_FETCH AND NOT EXISTS ${simdjson_dir}/simdjson.cpp)
      message(STATUS "Fetching simdjson's source package")
      execute_process(COMMAND
        ${PROJECT_SOURCE_DIR}/cmake/fetch_simdjson.sh ${simdjson_dir})
    endif()
  endif()
  if(NOT EXISTS ${simdjson_dir}/simdjson.cpp)
    message(FATAL_ERROR
      "simdjson: no libsimdjson_static.a and no ${simdjson_dir}/simdjson.cpp; "
      "run cmake/fetch_simdjson.sh ${simdjson_dir} or set "
      "TRAINSIGHT_SIMDJSON_DIR")
  endif()
  add_library(ts_simdjson STATIC ${simdjson_dir}/simdjson.cpp)
  target_include_directories(ts_simdjson SYSTEM PUBLIC ${simdjson_dir})
  target_compile_definitions(ts_simdjson PUBLIC SIMDJSON_EXCEPTIONS=0)
  target_compile_features(ts_simdjson PUBLIC cxx_std_17)
  target_compile_options(ts_simdjson PRIVATE -O3 -w -fPIE)
  set_target_properties(ts_simdjson PROPERTIES CXX_CLANG_TIDY "")
endif()
add_library(ts::simdjson ALIAS ts_simdjson)
