# Compiler settings shared by every target of the tree.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(TENON_CCACHE ccache)
if(TENON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers contain time stamps, which ccache would otherwise refuse.
  set(CMAKE_C_COMPILER_LAUNCHER ${TENON_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${TENON_CCACHE})
endif()

# The fastest available linker: the default linker is the slowest part of an incremental build.
find_program(TENON_LLD NAMES ld.lld)
if(TENON_LLD AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "fuse-ld")
  add_link_options(-fuse-ld=lld)
endif()

add_library(tenon_warnings INTERFACE)
target_compile_options(tenon_warnings INTERFACE -Wall -Wextra -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These warnings depend on the optimizer, and each release of gcc has other false positives.
  target_compile_options(tenon_warnings INTERFACE -Wno-error=array-bounds
    -Wno-error=free-nonheap-object -Wno-error=maybe-uninitialized -Wno-error=restrict -Wno-error=stringop-overflow
    -Wno-error=stringop-overread $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=dangling-pointer>)
  # gcc merges equal functions of different types, and then warns of accesses through the wrong type.
  target_compile_options(tenon_warnings INTERFACE -fno-ipa-icf)
endif()
set_target_properties(tenon_warnings PROPERTIES EXPORT_NAME warnings)

# gcc collects garbage each time its heap has grown to twice its size, from 128 MiB on: an eighth of the
# compile time. Larger first heaps need up to 1 GiB for each compiler, instead of 0.8.
cmake_host_system_information(RESULT memory_mib QUERY TOTAL_PHYSICAL_MEMORY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_mib GREATER 3500)
  add_compile_options(--param=ggc-min-heapsize=600000)
endif()

set(TENON_SANITIZE "" CACHE STRING "Sanitizers for every target, for example address,undefined")
if(TENON_SANITIZE)
  add_compile_options(-fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TENON_SANITIZE})
endif()

option(TENON_COVERAGE "Count the lines that run (clang); see scripts/coverage.py" OFF)
if(TENON_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

# Coverage feedback is compiled into the libraries; the fuzzers link libFuzzer itself.
if(TENON_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_custom_target(fuzzers)
endif()

# Compiling takes most of the time of a sanitized test. A precompiled header needs the options of its users.
set(TENON_SANITIZED_TEST_OPTIONS)
if(TENON_SANITIZE)
  list(APPEND TENON_SANITIZED_TEST_OPTIONS -O0)
endif()
if(TENON_BUILD_FUZZERS)
  list(APPEND TENON_SANITIZED_TEST_OPTIONS -fno-sanitize=fuzzer-no-link)
endif()
