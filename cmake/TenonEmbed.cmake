# Sets a variable to a file's text as a literal. A changed file makes the build run CMake again.
function(_tenon_read_literal out file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} content)
  set(${out} "R\"__tenon__(${content})__tenon__\"" PARENT_SCOPE)
endfunction()

# tenon_embed(<header> <namespace> <constant> <file> [<constant> <file>]...)
#
# Writes a header to the folder's binary directory. The header has the text of each file as a constant of
# type std::string_view. A changed file makes CMake write the header again.
function(tenon_embed header namespace)
  set(text "// Made by CMake from files of text.\n#include <string_view>\nnamespace ${namespace} {\n")
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest constant file)
    _tenon_read_literal(literal ${file})
    string(APPEND text "inline constexpr std::string_view ${constant} = ${literal};\n")
  endwhile()
  string(APPEND text "}  // namespace ${namespace}\n")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${header} CONTENT "@text@" @ONLY)
endfunction()

# tenon_embed_folder(<header> <namespace> <table> <pattern>)
#
# The same for all files of a pattern: an array of pairs, name without suffix and text, in the order of names. A
# new file makes the build run CMake again.
function(tenon_embed_folder header namespace table pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  list(SORT files)
  set(text "// Made by CMake from files of text.\n#include <string_view>\n#include <utility>\nnamespace ${namespace} {\n")
  string(APPEND text "inline constexpr std::pair<std::string_view, std::string_view> ${table}[] = {\n")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    _tenon_read_literal(literal ${file})
    string(APPEND text "{\"${name}\", ${literal}},\n")
  endforeach()
  string(APPEND text "};\n}  // namespace ${namespace}\n")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${header} CONTENT "@text@" @ONLY)
endfunction()
