# trainsight_flags carries the language standard, warnings and sanitizers;
# every target of ours links it, nothing else sets flags.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# ccache makes a second build of the same sources a matter of seconds.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TRAINSIGHT_CCACHE ccache)
  if(TRAINSIGHT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TRAINSIGHT_CCACHE})
  endif()
endif()

add_library(trainsight_flags INTERFACE)
target_compile_features(trainsight_flags INTERFACE cxx_std_20)
target_compile_options(trainsight_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual)
# g++ 12 sees overlapping copies in std::string's operator+ at -O3 that are
# none (GCC bug 105651, fixed in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(trainsight_flags INTERFACE -Wno-restrict)
endif()
if(TRAINSIGHT_WERROR)
  target_compile_options(trainsight_flags INTERFACE -Werror)
endif()

# One binary for every x86-64 machine since about 2009. Kernels that gain from
# more are compiled beside it and chosen at run time.
if(TRAINSIGHT_BASELINE AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  add_compile_options(-march=x86-64-v2)
endif()

# Every object goes into a position-independent executable, never into a
# shared library: -fPIE costs less than -fPIC.
target_compile_options(trainsight_flags INTERFACE -fPIE)

# A static binary drops what it does not use, function by function.
if(TRAINSIGHT_STATIC)
  add_compile_options(-ffunction-sections -fdata-sections)
endif()

# The same sources give the same bytes, wherever the checkout lies.
target_compile_options(trainsight_flags INTERFACE
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
  -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)

if(TRAINSIGHT_SANITIZE STREQUAL "address")
  set(sanitize -fsanitize=address,undefined)
  target_compile_options(trainsight_flags INTERFACE
    ${sanitize} -fno-omit-frame-pointer -fno-sanitize-recover=undefined
    # g++ 12 takes the sanitizer's own checks for uses of unset members, in
    # the standard library's headers and in fmt.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  target_link_options(trainsight_flags INTERFACE ${sanitize})
elseif(TRAINSIGHT_SANITIZE STREQUAL "thread")
  target_compile_options(trainsight_flags INTERFACE -fsanitize=thread)
  target_link_options(trainsight_flags INTERFACE -fsanitize=thread)
endif()
if(TRAINSIGHT_FUZZ)
  # Coverage counters everywhere; libFuzzer's main only in the fuzz targets.
  target_compile_options(trainsight_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# trainsight_program(TARGET): how a program that is shipped, or measured in
# its place, is linked.
#
# static-pie, not -static: the latter has no exception-handling index, so that
# the first throw inside a library sorts every frame description (2.4 ms
# instead of 0.9 ms for --help). --build-id and gc-sections keep the file
# traceable and small.
function(trainsight_program target)
  if(TRAINSIGHT_STATIC)
    target_link_options(${target} PRIVATE
      -static-pie -Wl,--gc-sections -Wl,--build-id=sha1)
  else()
    target_link_options(${target} PRIVATE -pie)
  endif()
endfunction()
