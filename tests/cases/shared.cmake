# Builds the shared cases into a folder of the build and runs them; passes with
# a loud line where there are none.
if(DEFINED ENV{TRAINSIGHT_SHARED})
  set(SHARED $ENV{TRAINSIGHT_SHARED})
endif()
if(NOT EXISTS ${SHARED}/cases/build.py)
  message(NOTICE "SKIPPED: no shared cases in ${SHARED}")
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${PYTHON} ${SHARED}/cases/build.py ${FOLDER}
  RESULT_VARIABLE built)
if(NOT built EQUAL 0)
  message(FATAL_ERROR "the shared cases could not be built: ${built}")
endif()
execute_process(COMMAND ${PYTHON} ${RUNNER} ${FOLDER} ${BINARY}
  RESULT_VARIABLE judged)
file(REMOVE_RECURSE ${FOLDER})
if(NOT judged EQUAL 0)
  message(FATAL_ERROR "not every case is right")
endif()
