# Installs the public headers. They are the roots below and every header of the tree that a public header
# includes, so an installed header never includes one that is not installed. All other headers are internal.
# Installed headers include each other as `tenon/<folder>/<name>.h`, which no other project uses.
set(tenon_header_roots
  tenon.h
  # For authors of passes.
  arith/analyzer.h ir/analysis/node_queries.h passes/pass.h passes/pipeline/define_passes.def
  passes/pipeline/pass_table.h tools/opt_main.h
  # For authors of code generators, for other formats of models, and for what a failed plan explains.
  byoc/code_generator.h frontends/tflite/read_module.h frontends/onnx/read_module.h planner/explain/misfit.h
  # For code with LLVM.
  compile/llvm/jit_engine.h lowering/llvm/emit_llvm.h lowering/llvm/jit.h lowering/llvm/llvm_backend.h)

# tenon_public_headers(<result> <source folder>): paths of the public headers, relative to the tree.
function(tenon_public_headers result source)
  set(found)
  foreach(root ${tenon_header_roots})
    if(EXISTS ${source}/${root})
      list(APPEND found ${root})
    endif()
  endforeach()
  set(next 0)
  list(LENGTH found count)
  while(next LESS count)
    list(GET found ${next} header)
    file(STRINGS ${source}/${header} lines REGEX "^#include \"")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" path "${line}")
      if(EXISTS ${source}/${path})
        list(APPEND found ${path})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES found)
    list(LENGTH found count)
    math(EXPR next "${next} + 1")
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# tenon_install_headers(<source folder> <folder>): writes the public headers below <folder>.
function(tenon_install_headers source folder)
  tenon_public_headers(headers ${source})
  foreach(header ${headers})
    file(READ ${source}/${header} text)
    string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
    list(REMOVE_DUPLICATES includes)
    foreach(include ${includes})
      string(REGEX REPLACE "#include \"([^\"]+)\"" "\\1" path "${include}")
      if(EXISTS ${source}/${path})
        string(REPLACE "${include}" "#include \"tenon/${path}\"" text "${text}")
      endif()
    endforeach()
    message(STATUS "Installing: ${folder}/${header}")
    file(WRITE ${folder}/${header} "${text}")
    # cmake_install.cmake writes this list to the manifest of the installation.
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${folder}/${header})
  endforeach()
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} PARENT_SCOPE)
endfunction()
