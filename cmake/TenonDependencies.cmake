# Every package the tree uses. All are packages of Debian 12/13 and Ubuntu 24.04.
find_package(fmt REQUIRED)
find_package(absl REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(Threads REQUIRED)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
if(NOT TARGET Tenon::xxhash)
  add_library(Tenon::xxhash UNKNOWN IMPORTED)
  set_target_properties(Tenon::xxhash PROPERTIES
    IMPORTED_LOCATION ${XXHASH_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${XXHASH_INCLUDE_DIR})
endif()

if(TENON_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TENON_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
