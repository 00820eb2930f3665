# The files of sample_data are what their generator writes.
#
#   cmake -DPYTHON=… -DSOURCE=… -DWORK=… -P make_samples_test.cmake
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${PYTHON} ${SOURCE}/tests/support/make_samples.py ${WORK}
  RESULT_VARIABLE code)
if(code)
  message(FATAL_ERROR "make_samples.py ended with ${code}")
endif()
file(GLOB ours RELATIVE ${SOURCE}/sample_data ${SOURCE}/sample_data/*.jsonl)
file(GLOB made RELATIVE ${WORK} ${WORK}/*.jsonl)
if(NOT ours STREQUAL made)
  message(FATAL_ERROR "sample_data holds ${ours}, the generator writes ${made}")
endif()
foreach(name IN LISTS ours)
  file(SHA256 ${SOURCE}/sample_data/${name} a)
  file(SHA256 ${WORK}/${name} b)
  if(NOT a STREQUAL b)
    message(SEND_ERROR "sample_data/${name} is not what make_samples.py writes")
  endif()
endforeach()
