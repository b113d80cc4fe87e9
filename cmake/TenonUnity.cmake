# Sources of a folder are compiled TENON_UNITY at a time, as one: the headers and templates that they
# share are read and instantiated once. So names in unnamed namespaces are unique in a folder. A
# source with the property SKIP_UNITY_BUILD_INCLUSION is compiled alone.
#
# An edited source is also compiled alone, so that its changes do not cost the others.
# Ninja configures again when a source of a batch has changed; the source leaves the batch then,
# until `cmake --fresh`. A merge changes more than TENON_UNITY_MOST_EDITED sources of a library, and
# leaves the batches as they are. With TENON_UNITY_ALONE_OPTIONS (scripts/mutate.py), such sources have
# other options.
#
# Sources that include ir/builtins.h have batches of their own. So a new builtin does not compile the other
# batches.
#
# CMake's own UNITY_BUILD writes absolute paths, with which ccache would not share results between
# two clones of the tree.
set(TENON_UNITY 20 CACHE STRING "How many sources of a folder are compiled as one; 0: each alone")
set(TENON_UNITY_MOST_EDITED 4)
set(TENON_UNITY_STAMP ${PROJECT_BINARY_DIR}/tenon_unity.stamp)
if(NOT DEFINED TENON_UNITY_ALONE)
  set(TENON_UNITY_ALONE "" CACHE INTERNAL "Sources that were edited")
endif()

# Adds the sources in ARGN that changed since the last configuration to TENON_UNITY_ALONE.
function(tenon_unity_find_edited)
  set(edited)
  if(EXISTS ${TENON_UNITY_STAMP})
    foreach(source ${ARGN})
      if(NOT source IN_LIST TENON_UNITY_ALONE AND ${source} IS_NEWER_THAN ${TENON_UNITY_STAMP})
        list(APPEND edited ${source})
      endif()
    endforeach()
  endif()
  list(LENGTH edited count)
  if(count GREATER 0 AND NOT count GREATER ${TENON_UNITY_MOST_EDITED})
    set(TENON_UNITY_ALONE ${TENON_UNITY_ALONE} ${edited} CACHE INTERNAL "")
  endif()
endfunction()

# Whether a file of the tree, or what it includes, includes ir/builtins.h. Its path is relative to the tree.
function(tenon_includes_builtins result file)
  get_property(found GLOBAL PROPERTY "${file} includes builtins")
  if("${found}" STREQUAL "")
    set(found OFF)
    file(STRINGS ${PROJECT_SOURCE_DIR}/${file} lines REGEX "^#include \"")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" path "${line}")
      if(path STREQUAL "ir/builtins.h")
        set(found ON)
      elseif(NOT found AND EXISTS ${PROJECT_SOURCE_DIR}/${path})
        tenon_includes_builtins(found ${path})
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "${file} includes builtins" ${found})
  endif()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Sets `result` to what the target compiles for the sources in ARGN.
function(tenon_unity result target)
  set(sources ${ARGN})
  if(TENON_UNITY LESS 2)
    set(${result} ${sources} PARENT_SCOPE)
    return()
  endif()
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  tenon_unity_find_edited(${sources})
  set(compiled)
  set(batches)
  foreach(source ${sources})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    get_filename_component(group ${path} DIRECTORY)
    string(MAKE_C_IDENTIFIER ${group} group)
    tenon_includes_builtins(has_builtins ${path})
    if(has_builtins)
      string(APPEND group _with_builtins)
    endif()
    list(APPEND of_${group} ${path})
    list(LENGTH of_${group} count)
    math(EXPR batch "(${count} - 1) / ${TENON_UNITY}")
    get_source_file_property(is_alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(source IN_LIST TENON_UNITY_ALONE AND DEFINED TENON_UNITY_ALONE_OPTIONS)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${TENON_UNITY_ALONE_OPTIONS}")
    endif()
    if(is_alone OR source IN_LIST TENON_UNITY_ALONE OR NOT source MATCHES "[.]cc$")
      list(APPEND compiled ${source})
    else()
      string(APPEND text_${group}_${batch} "#include \"${path}\"\n")
      list(APPEND batches ${group}_${batch})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch ${batches})
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/unity/${target}/${batch}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text_${batch}}" @ONLY)
    list(APPEND compiled ${unit})
  endforeach()
  set(${result} ${compiled} PARENT_SCOPE)
endfunction()

# After the last library.
function(tenon_unity_done)
  file(TOUCH ${TENON_UNITY_STAMP})
endfunction()
