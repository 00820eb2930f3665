# trainsight_module(NAME SOURCES a.cc b.cc [DEPS core text] [LIBS third_party])
#
# One library a module, named trainsight_NAME, with the headers below
# include/trainsight/NAME. DEPS are modules, LIBS are third-party targets that
# stay private to the sources. A test (tests/layering) checks that the sources
# include only what DEPS allows.
function(trainsight_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  add_library(trainsight_${name} STATIC ${ARG_SOURCES})
  target_include_directories(trainsight_${name}
    PUBLIC ${PROJECT_SOURCE_DIR}/include
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(trainsight_${name} PRIVATE trainsight_flags ${ARG_LIBS})
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(trainsight_${name} PUBLIC trainsight_${dep})
  endforeach()
  target_compile_features(trainsight_${name} PUBLIC cxx_std_20)
endfunction()

# trainsight_test(NAME SOURCES x_test.cc [DEPS modules] [LIBS third_party])
#
# One test binary NAME_test a module; each TEST_CASE runs in it. Nothing in the
# fuzz preset, which has no unit tests.
function(trainsight_test name)
  if(TRAINSIGHT_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_include_directories(${name}_test PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_test PRIVATE
    trainsight_flags trainsight_catch_main ${ARG_LIBS})
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${name}_test PRIVATE trainsight_${dep})
  endforeach()
  add_test(NAME unit.${name} COMMAND ${name}_test)
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT 300
    ENVIRONMENT "TRAINSIGHT_SHARED=${TRAINSIGHT_SHARED_DIR}")
endfunction()

# trainsight_fuzz_target(NAME SOURCES x_fuzz.cc [DEPS modules] [LIBS targets])
#
# SOURCES define LLVMFuzzerTestOneInput. With TRAINSIGHT_FUZZ (preset fuzz) the
# binary NAME_fuzz is a libFuzzer; in every other build it has a main that
# replays files. Either way CTest's fuzz.NAME runs it over
# tests/fuzz/corpus/NAME, so that no crash comes back unnoticed.
function(trainsight_fuzz_target name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  set(target ${name}_fuzz)
  set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  add_executable(${target} ${ARG_SOURCES})
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE trainsight_flags ${ARG_LIBS})
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${target} PRIVATE trainsight_${dep})
  endforeach()
  if(TRAINSIGHT_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz.${name} COMMAND ${target} -runs=0 ${corpus})
  else()
    target_link_libraries(${target} PRIVATE trainsight_replay_main)
    add_test(NAME fuzz.${name} COMMAND ${target} ${corpus})
  endif()
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 300 LABELS fuzz)
endfunction()

# trainsight_bench(NAME SOURCES x_bench.cc [DEPS modules] [LIBS targets])
#
# A program NAME_bench, built only with TRAINSIGHT_BENCH and never a test:
# times are for people to compare, not for a machine to judge. It is linked as
# the shipped program is.
function(trainsight_bench name)
  if(NOT TRAINSIGHT_BENCH)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  add_executable(${name}_bench ${ARG_SOURCES})
  target_include_directories(${name}_bench PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_bench PRIVATE trainsight_flags ${ARG_LIBS})
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${name}_bench PRIVATE trainsight_${dep})
  endforeach()
  trainsight_program(${name}_bench)
endfunction()
