# cmake -DPROGRAM=… -DQEMU=… -DSAMPLE=… -P baseline.cmake
#
# PROGRAM profiles SAMPLE on an emulated Nehalem (x86-64-v2, 2008), which has
# no AVX: an instruction beyond the baseline outside a run-time check ends it
# with SIGILL. The output is the same as on this machine's own processor.
if(NOT QEMU)
  message("SKIPPED: packaging.baseline: qemu-x86_64-static is not installed")
  return()
endif()
foreach(run native emulated)
  set(prefix "")
  if(run STREQUAL "emulated")
    set(prefix ${QEMU} -cpu Nehalem)
  endif()
  execute_process(COMMAND ${prefix} ${PROGRAM} profile ${SAMPLE}
    OUTPUT_VARIABLE ${run} ERROR_VARIABLE errors RESULT_VARIABLE code)
  if(NOT code STREQUAL "0")
    message(FATAL_ERROR "${run} run ended with ${code}: ${errors}")
  endif()
endforeach()
if(NOT native STREQUAL emulated)
  message(FATAL_ERROR "other output on a Nehalem:\n${emulated}")
endif()
