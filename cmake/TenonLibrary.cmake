# Headers that nearly every source includes are precompiled twice: of kind `base`, and of kind `ir`,
# which adds the headers of ir/. Reading them is half of the time to compile a source.
function(tenon_reuse_precompiled target kind)
  set(headers <algorithm> <cstdint> <cstring> <functional> <memory> <optional> <span> <string> <string_view>
    <utility> <vector> <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h>
    <absl/container/inlined_vector.h> <absl/status/statusor.h> <fmt/format.h>)
  if(kind STREQUAL "ir")
    list(APPEND headers <ir/const_fold.h> <ir/module.h> <ir/rewriter.h>)
  endif()
  set(owner tenon_precompiled_${kind})
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${owner}.cc CONTENT "// Owns precompiled headers.\n")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/${owner}.cc)
    target_compile_features(${owner} PUBLIC cxx_std_20)
    target_include_directories(${owner} PRIVATE ${TENON_VISIBLE_HEADERS} ${PROJECT_SOURCE_DIR})
    target_link_libraries(${owner} PRIVATE tenon_warnings fmt::fmt absl::flat_hash_map absl::flat_hash_set
      absl::inlined_vector absl::statusor Threads::Threads)
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  # All users need the macros that the headers were precompiled with, which come from fmt.
  target_link_libraries(${target} PRIVATE fmt::fmt)
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# As above, for GoogleTest programs.
function(tenon_precompiled_for_test target)
  target_compile_options(${target} PRIVATE ${TENON_SANITIZED_TEST_OPTIONS})
  if(NOT TENON_USE_PCH)
    return()
  endif()
  set(owner tenon_precompiled_test)
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${owner}.cc CONTENT "// Owns precompiled headers.\n")
    add_executable(${owner} EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${owner}.cc)
    target_link_libraries(${owner} PRIVATE tenon_ir GTest::gmock_main fmt::fmt tenon_warnings)
    target_compile_options(${owner} PRIVATE ${TENON_SANITIZED_TEST_OPTIONS})
    target_precompile_headers(${owner} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <memory> <optional> <string>
      <vector> <fmt/format.h> <ir/module.h> <ir/rewriter.h>)
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt)
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# tenon_library(<folder> [RUNS_ONCE|RUNS_LONG] SRCS a.cc b.cc DEPS support ir [PRIVATE absl::x])
#
# One library per folder: `ir` becomes the target tenon_ir (alias Tenon::ir). DEPS are folders of
# this tree; scripts/check_layout.py checks the includes against them. LINK are packages that users
# of the folder's headers also need; PRIVATE are other packages. RUNS_ONCE says that the folder's code
# takes no noticeable time: the compiler optimises less, which takes a quarter less time. Packages are
# compiled for small code, except for folders with RUNS_LONG, whose code people wait for.
function(tenon_library folder)
  cmake_parse_arguments(ARG "RUNS_ONCE;RUNS_LONG" "" "SRCS;DEPS;LINK;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  tenon_unity(sources tenon_${name} ${ARG_SRCS})
  add_library(tenon_${name} STATIC ${sources})
  if(NOT TENON_SHARED)
    add_library(Tenon::${name} ALIAS tenon_${name})
  endif()
  set_target_properties(tenon_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(tenon_${name} PRIVATE ${TENON_VISIBLE_HEADERS} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_compile_features(tenon_${name} PUBLIC cxx_std_20)
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep ${dep})
    target_link_libraries(tenon_${name} PUBLIC tenon_${dep})
  endforeach()
  target_link_libraries(tenon_${name} PUBLIC ${ARG_LINK}
    PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:tenon_warnings>)
  set(is_apart OFF)
  if(TENON_STATIC_PACKAGES AND ARG_RUNS_LONG)
    target_compile_options(tenon_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O2>)
    # Precompiled headers are compiled for small code.
    set(is_apart ON)
  elseif(ARG_RUNS_ONCE AND NOT TENON_STATIC_PACKAGES)
    target_compile_options(tenon_${name} PRIVATE
      $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
  endif()
  if(TENON_USE_PCH AND NOT is_apart)
    set(kind base)
    if("ir" IN_LIST ARG_DEPS OR folder STREQUAL "ir")
      set(kind ir)
    endif()
    tenon_reuse_precompiled(tenon_${name} ${kind})
  endif()
  set_property(GLOBAL APPEND PROPERTY TENON_LIBRARIES tenon_${name})
endfunction()

# tenon_pass_list(<header> <prefix>): reads the folder's pass_list.def. Writes generated/<header>, which
# includes the header of every pass: <prefix><group>/<name>.h. Sets `pass_sources` to their sources.
function(tenon_pass_list header prefix)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS pass_list.def)
  file(RELATIVE_PATH list ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/pass_list.def)
  file(STRINGS pass_list.def rows REGEX "^TENON_PASS\\(")
  set(text "// Generated from ${list}.\n")
  foreach(row ${rows})
    string(REGEX REPLACE "^TENON_PASS\\(([a-z]+), \"([a-z-]+)\".*" "${prefix}\\1/\\2" pass "${row}")
    string(REPLACE "-" "_" pass ${pass})
    string(APPEND text "#include \"${pass}.h\"\n")
    file(RELATIVE_PATH source ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${pass}.cc)
    list(APPEND sources ${source})
  endforeach()
  file(CONFIGURE OUTPUT generated/${header} CONTENT "${text}" @ONLY)
  set(pass_sources ${sources} PARENT_SCOPE)
endfunction()

# tenon_tool(<name> SRCS main.cc DEPS compile): an executable in ${build}/bin.
function(tenon_tool name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;PRIVATE" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_PRIVATE} tenon_warnings)
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep ${dep})
    target_link_libraries(${name} PRIVATE tenon_${dep})
  endforeach()
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT programs)
endfunction()

# tenon_test(<folder> SRCS a_test.cc b_test.cc [DEPS parser]): one GoogleTest program for a folder of
# tests/unit, registered with ctest under the label of that folder. The target `quick_tests` builds it.
function(tenon_test folder)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  add_executable(${name}_test ${ARG_SRCS})
  target_link_libraries(${name}_test PRIVATE tenon_${name} ${ARG_PRIVATE} GTest::gmock_main
    tenon_warnings)
  # Compiling takes most of the time of a unit test.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep ${dep})
    target_link_libraries(${name}_test PRIVATE tenon_${dep})
  endforeach()
  tenon_precompiled_for_test(${name}_test)
  add_test(NAME unit.${name} COMMAND ${name}_test)
  set_tests_properties(unit.${name} PROPERTIES LABELS "unit;${folder}")
  add_dependencies(quick_tests ${name}_test)
endfunction()

# tenon_fuzzer(<name> SRCS a.cc DEPS parser): a libFuzzer program, built by the target `fuzzers` of
# the preset `asan`. Has no effect in other presets. Names end in _fuzzer, so that scripts/fuzz.sh
# finds them.
function(tenon_fuzzer name)
  if(NOT TENON_BUILD_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;PRIVATE" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_PRIVATE} tenon_warnings)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep ${dep})
    target_link_libraries(${name} PRIVATE tenon_${dep})
  endforeach()
  add_dependencies(fuzzers ${name})
endfunction()
