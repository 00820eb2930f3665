option(TRAINSIGHT_TESTS "Build the unit, property and golden tests" ON)
option(TRAINSIGHT_WERROR "Treat warnings as errors (set by the presets)" OFF)
option(TRAINSIGHT_STATIC "Link the trainsight binary as static-pie" OFF)
set(TRAINSIGHT_SANITIZE "" CACHE STRING
    "Sanitizers for every target: empty, address or thread")
