# find_package(TenonModel): models as libraries of a C or C++ project. It needs the program tenon only, so
# a project for another machine can use it (CMAKE_TOOLCHAIN_FILE).
#
#   tenon_add_model(<name> <file>
#     [OPTIONS <option of tenon compile>...]   # --board=nucleo-f446re, --pools=${CMAKE_SOURCE_DIR}/pools.json
#     [EMIT c|obj]                             # C for the project's compiler (default), or an object by LLVM
#     [DEPENDS <file>...]                      # side files of the model, the file of --pools
#     [REPORT <file>.json])                    # the report on memory, in the build folder
#   tenon_add_models(<name> MODELS <model>=<file>...
#     [OPTIONS ...] [EMIT c|obj] [DEPENDS ...] [REPORT <file>.json])
#
# <name> becomes a static library, and the names in its header tvmgen_<name>.h begin with tvmgen_<name>.
# Users of the library find the header, and link the mathematics of C. Constants are C arrays, unless OPTIONS
# has --constant-storage=object.
#
# tenon_add_models makes one library of several models that run in turn, and share an arena and equal constants.
# The headers are tvmgen_<model>.h, and tvmgen_<name>.h for the arena (--share-workspace, --shared-name=<name>);
# with EMIT obj, all is in tvmgen_<name>.h.
if(TENON_EMPTY_SOURCE)
  # As a script: C forbids an empty source.
  if(NOT EXISTS "${TENON_EMPTY_SOURCE}")
    file(WRITE "${TENON_EMPTY_SOURCE}" "/* The models have no constants in common. */\ntypedef int tenon_no_constants;\n")
  endif()
  return()
endif()
find_program(TENON_PROGRAM tenon HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" NO_CMAKE_FIND_ROOT_PATH
  DOC "The program tenon, which compiles models")
if(NOT TENON_PROGRAM)
  set(TenonModel_FOUND FALSE)
  set(TenonModel_NOT_FOUND_MESSAGE "the program tenon was not found; set TENON_PROGRAM")
  return()
endif()

# Sets <prefix>_output and <prefix>_sources in the caller for a folder of C or an object with that path before
# the suffix. `models` are the paths of the models' files without suffixes.
function(tenon_model_output prefix caller emit options path models)
  if(NOT emit OR emit STREQUAL "c")
    get_filename_component(folder "${path}" DIRECTORY)
    set(output --emit=c -o "${folder}")
    set(sources)
    foreach(model IN LISTS models)
      list(APPEND sources "${model}.c")
      if(options MATCHES "--constant-storage=object")
        list(APPEND sources "${model}_constants.o")
      endif()
    endforeach()
    if(NOT options MATCHES "--constant-storage=")
      # The names of the files do not depend on the size of the model then.
      list(APPEND output --constant-storage=c-array)
    endif()
  elseif(emit STREQUAL "obj")
    set(sources "${path}.o")
    set(output --emit=obj -o "${path}.o" "--header=${path}.h")
  else()
    message(FATAL_ERROR "${caller}: EMIT is c or obj, not `${emit}`")
  endif()
  set(${prefix}_output "${output}" PARENT_SCOPE)
  set(${prefix}_sources "${sources}" PARENT_SCOPE)
endfunction()

# A static library of generated files.
function(tenon_model_library name folder)
  add_library(${name} STATIC ${ARGN})
  # With objects alone, CMake cannot know the language of the library.
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  set_source_files_properties(${ARGN} PROPERTIES GENERATED TRUE)
  foreach(source ${ARGN})
    if(source MATCHES "[.]o$")
      set_source_files_properties("${source}" PROPERTIES EXTERNAL_OBJECT TRUE)
    endif()
  endforeach()
  target_include_directories(${name} PUBLIC "${folder}")
  if(NOT MSVC)
    target_link_libraries(${name} PUBLIC m)
  endif()
endfunction()

# Sets `report_options` and `report_file` in the caller for REPORT.
function(tenon_model_report report)
  set(report_options)
  set(report_file)
  if(report)
    get_filename_component(report_file "${report}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    set(report_options "--report=${report_file}")
  endif()
  set(report_options "${report_options}" PARENT_SCOPE)
  set(report_file "${report_file}" PARENT_SCOPE)
endfunction()

function(tenon_add_model name file)
  cmake_parse_arguments(ARG "" "EMIT;REPORT" "OPTIONS;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_model(${name}): unexpected `${ARG_UNPARSED_ARGUMENTS}`")
  endif()
  get_filename_component(model "${file}" ABSOLUTE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_model")
  set(prefix "${folder}/tvmgen_${name}")
  tenon_model_output(made "tenon_add_model(${name})" "${ARG_EMIT}" "${ARG_OPTIONS}" "${prefix}" "${prefix}")
  tenon_model_report("${ARG_REPORT}")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT ${made_sources} "${prefix}.h" ${report_file}
    COMMAND "${TENON_PROGRAM}" compile "${model}" "--module-name=${name}" ${made_output} ${report_options}
      ${ARG_OPTIONS} -q
    DEPENDS "${model}" ${ARG_DEPENDS} "${TENON_PROGRAM}"
    COMMENT "Compiling the model ${name}" VERBATIM)
  tenon_model_library(${name} "${folder}" ${made_sources} "${prefix}.h")
endfunction()

function(tenon_add_models name)
  cmake_parse_arguments(ARG "" "EMIT;REPORT" "MODELS;OPTIONS;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_MODELS)
    message(FATAL_ERROR "tenon_add_models(${name}): expected MODELS <model>=<file>..., found `${ARG_UNPARSED_ARGUMENTS}`")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_models")
  set(shared "${folder}/tvmgen_${name}")
  set(files)
  set(names)
  set(paths)
  foreach(model IN LISTS ARG_MODELS)
    if(NOT model MATCHES "^([A-Za-z_][A-Za-z0-9_]*)=(.+)$")
      message(FATAL_ERROR "tenon_add_models(${name}): expected <model>=<file>, found `${model}`")
    endif()
    list(APPEND names "--module-name=${CMAKE_MATCH_1}")
    list(APPEND paths "${folder}/tvmgen_${CMAKE_MATCH_1}")
    get_filename_component(file "${CMAKE_MATCH_2}" ABSOLUTE)
    list(APPEND files "${file}")
  endforeach()
  tenon_model_output(made "tenon_add_models(${name})" "${ARG_EMIT}" "${ARG_OPTIONS}" "${shared}" "${paths}")
  tenon_model_report("${ARG_REPORT}")
  set(headers "${shared}.h")
  set(before)
  set(after)
  if(NOT ARG_EMIT STREQUAL "obj")
    foreach(path IN LISTS paths)
      list(APPEND headers "${path}.h")
    endforeach()
    # The file of constants that the models share exists if they share any.
    set(constants "${shared}_constants.c")
    list(APPEND made_sources "${shared}.c" "${constants}")
    set(before COMMAND "${CMAKE_COMMAND}" -E rm -f "${constants}")
    set(after COMMAND "${CMAKE_COMMAND}" "-DTENON_EMPTY_SOURCE=${constants}" -P "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
  endif()
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT ${made_sources} ${headers} ${report_file}
    ${before}
    COMMAND "${TENON_PROGRAM}" compile ${files} ${names} --share-workspace "--shared-name=${name}" ${made_output}
      ${report_options} ${ARG_OPTIONS} -q
    ${after}
    DEPENDS ${files} ${ARG_DEPENDS} "${TENON_PROGRAM}"
    COMMENT "Compiling the models ${name}" VERBATIM)
  tenon_model_library(${name} "${folder}" ${made_sources} ${headers})
endfunction()
