# LLVM 19.1 to 22, as its shared library unless TENON_STATIC_PACKAGES. (Asking for 19 would be refused: the version of its package
# counts minor releases as breaking.) Where none is found everything else builds without.
set(tenon_llvm_found OFF)
if(NOT DEFINED TENON_ENABLE_LLVM OR TENON_ENABLE_LLVM)
  foreach(version 22.1 21.1 20.1 19.1)
    if(NOT LLVM_FOUND)
      string(REGEX REPLACE "[.].*" "" major ${version})
      find_package(LLVM ${version} CONFIG QUIET HINTS /usr/lib/llvm-${major}/lib/cmake/llvm)
    endif()
  endforeach()
  if(LLVM_FOUND AND TARGET LLVM)
    set(tenon_llvm_found ON)
  endif()
endif()
# What code that uses LLVM links.
set(TENON_LLVM_LIBRARIES LLVM)
if(tenon_llvm_found AND TENON_STATIC_PACKAGES)
  llvm_map_components_to_libnames(TENON_LLVM_LIBRARIES Core Support Passes OrcJIT Linker BitWriter
    IRReader Object AllTargetsCodeGens AllTargetsAsmParsers AllTargetsDescs AllTargetsInfos)
  # Debian's package names shared libraries here. The solver Z3 is for tools of clang.
  set_target_properties(LLVMSupport PROPERTIES
    INTERFACE_LINK_LIBRARIES "rt;dl;m;ZLIB::ZLIB;Tenon::zstd;LLVMDemangle")
endif()
option(TENON_ENABLE_LLVM "Build lowering/llvm (needs LLVM 19.1 to 22)" ${tenon_llvm_found})
if(TENON_ENABLE_LLVM AND NOT tenon_llvm_found)
  message(FATAL_ERROR "TENON_ENABLE_LLVM is ON, but LLVM 19.1 to 22 with its shared library was not "
    "found (package llvm-19-dev)")
endif()
