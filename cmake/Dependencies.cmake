# Third-party libraries. Each is a target ts::NAME, so that modules name what
# they use in one way, whatever the distribution ships.
find_package(fmt REQUIRED)
add_library(ts_fmt INTERFACE)
target_link_libraries(ts_fmt INTERFACE fmt::fmt-header-only)
add_library(ts::fmt ALIAS ts_fmt)

find_package(nlohmann_json REQUIRED)
add_library(ts::json ALIAS nlohmann_json)

find_package(CLI11 REQUIRED)
add_library(ts_cli11 INTERFACE)
target_link_libraries(ts_cli11 INTERFACE CLI11::CLI11)
add_library(ts::cli11 ALIAS ts_cli11)

find_package(Threads REQUIRED)

if(TRAINSIGHT_TESTS)
  find_package(Catch2 2 REQUIRED)
endif()
