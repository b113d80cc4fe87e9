# Every package that the tree uses. All are in Debian 12/13 and Ubuntu 24.04. With
# TENON_STATIC_PACKAGES, programs only depend on the C library, so that they run on other
# distributions.
option(TENON_STATIC_PACKAGES "Link every package into the programs" OFF)
if(TENON_STATIC_PACKAGES)
  include(TenonStaticPackages)
else()
  find_package(fmt REQUIRED)
  find_package(absl REQUIRED)
endif()
find_package(CLI11 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(Threads REQUIRED)

include(TenonXxhash)
include(TenonCodecs)

if(TENON_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TENON_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
