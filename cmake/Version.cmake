# trainsight_version: the release from project(), the commit from git. Every
# build asks git again, but the header changes, and with it one small object,
# only when the commit does. No dates: the same commit gives the same bytes.
set(generated ${PROJECT_BINARY_DIR}/generated)
add_custom_target(trainsight_commit
  COMMAND ${CMAKE_COMMAND}
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
    -DCOMMIT=${TRAINSIGHT_COMMIT}
    -DHEADER=${generated}/trainsight_commit.h
    -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake
  BYPRODUCTS ${generated}/trainsight_commit.h
  COMMENT "Asking git for the commit"
  VERBATIM)

add_library(trainsight_version STATIC ${PROJECT_SOURCE_DIR}/src/core/version.cc)
add_dependencies(trainsight_version trainsight_commit)
target_include_directories(trainsight_version
  PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${generated})
target_link_libraries(trainsight_version PRIVATE trainsight_flags)
target_compile_features(trainsight_version PUBLIC cxx_std_20)
target_compile_definitions(trainsight_version PRIVATE
  TRAINSIGHT_VERSION="${PROJECT_VERSION}")
