# Run by ctest, see CMakeLists.txt: install, configure, build and run the consumer; stop at the first
# step that fails.
function(step name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(code)
    message(FATAL_ERROR "${name} failed (${code}):\n${text}")
  endif()
  set(step_output "${text}" PARENT_SCOPE)
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${prefix} ${WORK}/build ${WORK}/passes ${WORK}/twice)
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()

step(install ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
# Runs a program; what it prints is in step_output.
function(run program)
  step(run ${program} ${ARGN})
  message("${step_output}")
  set(step_output "${step_output}" PARENT_SCOPE)
endfunction()

# Configures, builds and runs a project; what the program prints is in step_output.
function(consume project build program)
  step(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S ${project} -B ${build}
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix} "-DCMAKE_CXX_FLAGS=${flags}"
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF ${ARGN})
  step(build ${CMAKE_COMMAND} --build ${build})
  run(${build}/${program})
  set(step_output "${step_output}" PARENT_SCOPE)
endfunction()

# The text of a block of the documentation, into a file. It is taken as it stands, byte by byte: a list
# would lose its semicolons and brackets.
function(extract language begin file)
  file(READ ${DOCS} text)
  set(open "```${language}\n")
  string(FIND "${text}" "${open}${begin}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "no block of ${language} in ${DOCS} begins with `${begin}`")
  endif()
  string(LENGTH "${open}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${text}" ${at} -1 text)
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  file(WRITE ${file} "${text}")
endfunction()

consume(${PROJECT} ${WORK}/build consumer -D MODEL=${MODEL})

# The program prints the result of its pipeline for a function with a parallel loop and an empty
# one.
foreach(wanted "def add_one" "for i in range\\(8\\):" "A\\[i\\] \\+ T.float32\\(1")
  if(NOT step_output MATCHES "${wanted}")
    message(FATAL_ERROR "`${wanted}` is not in what the consumer printed")
  endif()
endforeach()
if(step_output MATCHES "dead")
  message(FATAL_ERROR "the pipeline left the empty loop")
endif()

run(${WORK}/build/two_models)
foreach(wanted tvmgen_first.c tvmgen_second.c tvmgen_shared.c)
  if(NOT step_output MATCHES "(^|\n)${wanted}\n")
    message(FATAL_ERROR "the program of two models has no `${wanted}`")
  endif()
endforeach()
run(${WORK}/build/planner_alone)
if(NOT step_output STREQUAL "200\n")
  message(FATAL_ERROR "the plan has `${step_output}` bytes instead of 200")
endif()

run(${WORK}/build/host_model)
if(NOT step_output STREQUAL "1 2 -25\n")
  message(FATAL_ERROR "the model of tenon_add_model printed `${step_output}`")
endif()

# tenon-opt with another pass, and its tests, which have no configuration.
step(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S ${PASSES} -B ${WORK}/passes
  -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix} "-DCMAKE_CXX_FLAGS=${flags}"
  -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step(build ${CMAKE_COMMAND} --build ${WORK}/passes)
run(${WORK}/passes/my-opt --list-passes)
if(NOT step_output MATCHES "unroll-short-loops \\(mine\\)" OR NOT step_output MATCHES "simplify")
  message(FATAL_ERROR "my-opt lacks a pass")
endif()
run(${CMAKE_COMMAND} -E env "PATH=${WORK}/passes:$ENV{PATH}" ${prefix}/bin/tenon-lit ${PASSES}/tests)
if(NOT step_output MATCHES "Passed *: 1")
  message(FATAL_ERROR "tenon-lit ran no test of ${PASSES}/tests")
endif()

# An internal header would be found below the prefix.
file(GLOB_RECURSE internal ${prefix}/include/*_internal.h)
if(internal)
  message(FATAL_ERROR "internal headers are installed: ${internal}")
endif()

file(GLOB_RECURSE archives ${prefix}/*libtenon_*.a)
file(GLOB_RECURSE shared ${prefix}/*libtenon.so ${prefix}/*libtenon-llvm.so)
if(SHARED)
  if(archives OR NOT shared)
    message(FATAL_ERROR "static libraries are installed, or no shared ones: ${archives} ${shared}")
  endif()
  foreach(library ${shared})
    run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_exports.py --nm ${NM} ${library} ${prefix}/include/tenon)
  endforeach()
elseif(shared)
  message(FATAL_ERROR "shared libraries are installed without TENON_SHARED: ${shared}")
endif()

if(LLVM)
  extract(cpp "#include <cstdio>" ${WORK}/twice/twice.cc)
  extract(cmake "cmake_minimum_required" ${WORK}/twice/CMakeLists.txt)
  consume(${WORK}/twice ${WORK}/twice/build twice -D LLVM_DIR=${LLVM})
  if(NOT step_output STREQUAL "2 4 6 8\n")
    message(FATAL_ERROR "the example of ${DOCS} printed `${step_output}`")
  endif()
else()
  message("built without LLVM: the example of ${DOCS} is not compiled")
endif()
