# Run by ctest: builds examples/cortex-m with its toolchain file and tenon_add_model, once as C and once with
# the object of constants, and runs the image. Prints "skipped" without the tools.
find_program(gcc arm-none-eabi-gcc)
find_program(qemu qemu-system-arm)
if(NOT gcc OR NOT qemu)
  message("skipped: arm-none-eabi-gcc or qemu-system-arm is missing")
  return()
endif()

function(step name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text
    INPUT_FILE /dev/null TIMEOUT 300)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${name} failed (${code}):\n${text}")
  endif()
  set(step_output "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
step(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/examples/cortex-m -B ${WORK}
  --toolchain ${SOURCE}/examples/cortex-m/arm-none-eabi.cmake
  -D TenonModel_DIR=${SOURCE}/cmake -D TENON_PROGRAM=${TENON})
step(build ${CMAKE_COMMAND} --build ${WORK})
step(image ${qemu} -machine mps2-an386 -display none -monitor none -serial none
  -semihosting-config enable=on,target=native,chardev=said -chardev stdio,id=said -icount shift=0
  -kernel ${WORK}/firmware.elf)
if(NOT step_output MATCHES "bit-exact")
  message(FATAL_ERROR "the image said: ${step_output}")
endif()
# Nothing is made again without a change; a change of the pools makes the model again.
step(again ${CMAKE_COMMAND} --build ${WORK} --verbose)
if(step_output MATCHES "Compiling the model")
  message(FATAL_ERROR "the model was compiled twice:\n${step_output}")
endif()
