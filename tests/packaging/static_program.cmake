# cmake -DPROGRAM=… -DREADELF=… -P static_program.cmake
#
# PROGRAM is static-pie: it asks for no dynamic loader and no shared library,
# is position-independent, and has the index that makes a throw cheap.
function(readelf option result)
  execute_process(COMMAND ${READELF} -W ${option} ${PROGRAM}
    OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "readelf ${option} ${PROGRAM} failed")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

readelf(--file-header header)
readelf(--program-headers segments)
readelf(--dynamic dynamic)

if(NOT header MATCHES "Type:[ ]+DYN")
  message(SEND_ERROR "not position-independent: ${PROGRAM}")
endif()
if(segments MATCHES "INTERP")
  message(SEND_ERROR "asks for a dynamic loader: ${PROGRAM}")
endif()
if(NOT segments MATCHES "GNU_EH_FRAME")
  message(SEND_ERROR "has no exception-handling index: ${PROGRAM}")
endif()
if(dynamic MATCHES "NEEDED[^\n]*")
  message(SEND_ERROR "needs a shared library: ${CMAKE_MATCH_0}")
endif()

# The loader's own view, where there is ldd.
find_program(LDD ldd)
if(LDD)
  execute_process(COMMAND ${LDD} ${PROGRAM}
    OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE ignored)
  if(NOT text MATCHES "statically linked|not a dynamic executable")
    message(SEND_ERROR "ldd ${PROGRAM}: ${text}")
  endif()
endif()
