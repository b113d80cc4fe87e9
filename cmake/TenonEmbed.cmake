# tenon_embed(<header> <namespace> <constant> <file> [<constant> <file>]...)
#
# Writes a header to the folder's binary directory. The header has the text of each file as a constant of
# type std::string_view. A changed file makes CMake write the header again.
function(tenon_embed header namespace)
  set(text "// Made by CMake from files of text.\n#include <string_view>\nnamespace ${namespace} {\n")
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest constant file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} content)
    string(APPEND text "inline constexpr std::string_view ${constant} = R\"__tenon__(${content})__tenon__\";\n")
  endwhile()
  string(APPEND text "}  // namespace ${namespace}\n")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${header} CONTENT "@text@" @ONLY)
endfunction()
