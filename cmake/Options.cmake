# Every option of the build, with a sentence of help.
option(TRAINSIGHT_TESTS "Build the unit, property, golden and fuzz-replay tests" ON)
option(TRAINSIGHT_BENCH "Build the benchmarks (never run as tests)" OFF)
option(TRAINSIGHT_FUZZ "Build the fuzz targets with libFuzzer instead of the replay main (clang only)" OFF)
option(TRAINSIGHT_WERROR "Treat warnings as errors (set by the presets)" OFF)
option(TRAINSIGHT_STATIC "Link the trainsight binary as static-pie" OFF)
option(TRAINSIGHT_BASELINE "Compile for x86-64-v2 on x86-64; faster code is chosen at run time" OFF)
option(TRAINSIGHT_FETCH "Fetch missing third-party sources at configure time (apt, npm)" ON)
set(TRAINSIGHT_SANITIZE "" CACHE STRING
    "Sanitizers for every target: empty, address (with undefined) or thread")
set_property(CACHE TRAINSIGHT_SANITIZE PROPERTY STRINGS "" address thread)

# Fetched sources live in one folder that may be shared between builds and
# kept between checkouts.
set(cache_default ${PROJECT_SOURCE_DIR}/.cache)
if(DEFINED ENV{TRAINSIGHT_CACHE})
  set(cache_default $ENV{TRAINSIGHT_CACHE})
endif()
set(TRAINSIGHT_CACHE_DIR ${cache_default} CACHE PATH
    "Folder of fetched third-party sources")
set(TRAINSIGHT_SIMDJSON_DIR "" CACHE PATH
    "Folder with simdjson.cpp and simdjson.h; empty: a static library of the distribution, else the cache folder")
set(TRAINSIGHT_O200K_FILE "" CACHE FILEPATH
    "Rank file o200k_base.tiktoken to embed; empty: the cache folder's, or none")
set(TRAINSIGHT_COMMIT "" CACHE STRING
    "Commit that --version prints; empty: what git says, or unknown")

if(NOT TRAINSIGHT_SANITIZE MATCHES "^(|address|thread)$")
  message(FATAL_ERROR
    "TRAINSIGHT_SANITIZE is '${TRAINSIGHT_SANITIZE}': not empty, address or thread")
endif()
if(TRAINSIGHT_STATIC AND TRAINSIGHT_SANITIZE)
  message(FATAL_ERROR "TRAINSIGHT_STATIC: sanitizers need a dynamic binary")
endif()
if(TRAINSIGHT_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "TRAINSIGHT_FUZZ: libFuzzer needs clang (preset fuzz)")
endif()
