# cmake -DSOURCE_DIR=… -DCOMMIT=… -DHEADER=… -P write_commit.cmake
#
# Writes HEADER with the macro TRAINSIGHT_COMMIT, unless it holds that already.
# COMMIT, when not empty, is taken instead of asking git.
if(NOT COMMIT)
  execute_process(COMMAND git rev-parse --short=12 HEAD
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE failed)
endif()
if(NOT COMMIT MATCHES "^[0-9a-f]+$")
  set(COMMIT unknown)
endif()
string(SUBSTRING "${COMMIT}" 0 12 COMMIT)

set(text "#define TRAINSIGHT_COMMIT \"${COMMIT}\"\n")
set(old "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
