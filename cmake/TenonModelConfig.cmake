# find_package(TenonModel): models as libraries of a C or C++ project. It needs the program tenon only, so
# a project for another machine can use it (CMAKE_TOOLCHAIN_FILE).
#
#   tenon_add_model(<name> <file>
#     [OPTIONS <option of tenon compile>...]   # --target=cortex-m4, --pools=${CMAKE_SOURCE_DIR}/pools.json
#     [EMIT c|obj]                             # C for the project's compiler (default), or an object by LLVM
#     [DEPENDS <file>...])                     # side files of the model, the file of --pools
#
# <name> becomes a static library, and the names in its header tvmgen_<name>.h begin with tvmgen_<name>.
# Users of the library find the header, and link the mathematics of C. Constants are C arrays, unless OPTIONS
# has --constant-storage=object.
find_program(TENON_PROGRAM tenon HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" NO_CMAKE_FIND_ROOT_PATH
  DOC "The program tenon, which compiles models")
if(NOT TENON_PROGRAM)
  set(TenonModel_FOUND FALSE)
  set(TenonModel_NOT_FOUND_MESSAGE "the program tenon was not found; set TENON_PROGRAM")
  return()
endif()

function(tenon_add_model name file)
  cmake_parse_arguments(ARG "" "EMIT" "OPTIONS;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_model(${name}): unexpected `${ARG_UNPARSED_ARGUMENTS}`")
  endif()
  get_filename_component(model "${file}" ABSOLUTE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_model")
  set(prefix "${folder}/tvmgen_${name}")
  set(header "${prefix}.h")
  if(NOT ARG_EMIT OR ARG_EMIT STREQUAL "c")
    set(sources "${prefix}.c")
    set(output --emit=c -o "${folder}")
    if(ARG_OPTIONS MATCHES "--constant-storage=object")
      list(APPEND sources "${prefix}_constants.o")
    elseif(NOT ARG_OPTIONS MATCHES "--constant-storage=")
      # The names of the files do not depend on the size of the model then.
      list(APPEND output --constant-storage=c-array)
    endif()
  elseif(ARG_EMIT STREQUAL "obj")
    set(sources "${prefix}.o")
    set(output --emit=obj -o "${prefix}.o" "--header=${header}")
  else()
    message(FATAL_ERROR "tenon_add_model(${name}): EMIT is c or obj, not `${ARG_EMIT}`")
  endif()
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT ${sources} "${header}"
    COMMAND "${TENON_PROGRAM}" compile "${model}" "--module-name=${name}" ${output} ${ARG_OPTIONS} -q
    DEPENDS "${model}" ${ARG_DEPENDS} "${TENON_PROGRAM}"
    COMMENT "Compiling the model ${name}" VERBATIM)
  add_library(${name} STATIC ${sources} "${header}")
  # With objects alone, CMake cannot know the language of the library.
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  set_source_files_properties(${sources} PROPERTIES GENERATED TRUE)
  foreach(source ${sources})
    if(source MATCHES "[.]o$")
      set_source_files_properties("${source}" PROPERTIES EXTERNAL_OBJECT TRUE)
    endif()
  endforeach()
  target_include_directories(${name} PUBLIC "${folder}")
  if(NOT MSVC)
    target_link_libraries(${name} PUBLIC m)
  endif()
endfunction()
