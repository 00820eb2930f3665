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
# One test binary NAME_test a module; each TEST_CASE runs in it.
function(trainsight_test name)
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
