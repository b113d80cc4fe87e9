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
file(REMOVE_RECURSE ${prefix} ${WORK}/build)
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()

step(install ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
step(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S ${PROJECT} -B ${WORK}/build
  -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix} "-DCMAKE_CXX_FLAGS=${flags}"
  -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step(build ${CMAKE_COMMAND} --build ${WORK}/build)
step(run ${WORK}/build/consumer)
message("${step_output}")

# The program prints what its pipeline made of a function with a parallel loop and an empty one.
foreach(wanted "def add_one" "for i in range\\(8\\):" "A\\[i\\] \\+ T.float32\\(1")
  if(NOT step_output MATCHES "${wanted}")
    message(FATAL_ERROR "`${wanted}` is not in what the consumer printed")
  endif()
endforeach()
if(step_output MATCHES "dead")
  message(FATAL_ERROR "the pipeline left the empty loop")
endif()
