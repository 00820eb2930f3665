# trainsight_flags carries the language standard, warnings and sanitizers;
# every target of ours links it, nothing else sets flags.
add_library(trainsight_flags INTERFACE)
target_compile_features(trainsight_flags INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
target_compile_options(trainsight_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual)
if(TRAINSIGHT_WERROR)
  target_compile_options(trainsight_flags INTERFACE -Werror)
endif()
if(TRAINSIGHT_SANITIZE STREQUAL "address")
  target_compile_options(trainsight_flags INTERFACE
    -fsanitize=address,undefined -fno-omit-frame-pointer
    -fno-sanitize-recover=undefined)
  target_link_options(trainsight_flags INTERFACE -fsanitize=address,undefined)
elseif(TRAINSIGHT_SANITIZE STREQUAL "thread")
  target_compile_options(trainsight_flags INTERFACE -fsanitize=thread)
  target_link_options(trainsight_flags INTERFACE -fsanitize=thread)
endif()
