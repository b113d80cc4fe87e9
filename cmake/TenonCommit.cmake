# tenon_commit_header(<target> <header>)
#
# Writes <header> to the folder's binary directory before <target> is built, with the constant
# kCommit: the commit of the sources, and "modified" if files differ from it. It is empty for
# sources without a repository, such as an archive. As a script (-P), this file writes the header.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(tenon_commit_header target header)
    find_package(Git QUIET)
    set(path ${CMAKE_CURRENT_BINARY_DIR}/${header})
    add_custom_target(${target}_commit BYPRODUCTS ${path}
      COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCES=${PROJECT_SOURCE_DIR} -DHEADER=${path}
        -P ${PROJECT_SOURCE_DIR}/cmake/TenonCommit.cmake
      COMMENT "Reading the commit" VERBATIM)
    add_dependencies(${target} ${target}_commit)
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  endfunction()
  return()
endif()

set(commit "")
# Sources inside of another repository have no commit of their own.
if(GIT AND EXISTS ${SOURCES}/.git)
  execute_process(COMMAND ${GIT} describe --always --dirty=-modified --abbrev=8 --exclude=*
    WORKING_DIRECTORY ${SOURCES} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REPLACE "-modified" ", modified" commit "${commit}")
endif()
set(text "// Made by cmake/TenonCommit.cmake.\n#include <string_view>\nnamespace tenon {\ninline constexpr std::string_view kCommit = \"${commit}\";\n}  // namespace tenon\n")
set(old "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
