# LLVM 19.1 to 22, as its shared library unless TENON_STATIC_PACKAGES. (A request for 19 would fail:
# LLVM's package treats minor releases as incompatible.) Without LLVM, everything else still builds.
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
# The libraries for code that uses LLVM.
set(TENON_LLVM_LIBRARIES LLVM)
if(tenon_llvm_found AND TENON_STATIC_PACKAGES)
  llvm_map_components_to_libnames(TENON_LLVM_LIBRARIES Core Support Passes OrcJIT Linker BitWriter
    IRReader Object AllTargetsCodeGens AllTargetsAsmParsers AllTargetsDescs AllTargetsInfos)
  find_package(ZLIB REQUIRED)
  # Debian's package lists shared libraries here. Only clang's tools need the solver Z3.
  set_target_properties(LLVMSupport PROPERTIES
    INTERFACE_LINK_LIBRARIES "rt;dl;m;ZLIB::ZLIB;Tenon::zstd;LLVMDemangle")
endif()
option(TENON_ENABLE_LLVM "Build lowering/llvm (needs LLVM 19.1 to 22)" ${tenon_llvm_found})
if(TENON_ENABLE_LLVM AND NOT tenon_llvm_found)
  message(FATAL_ERROR "TENON_ENABLE_LLVM is ON, but LLVM 19.1 to 22 with its shared library was not "
    "found (package llvm-19-dev)")
endif()
