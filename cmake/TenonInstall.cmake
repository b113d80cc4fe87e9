# `cmake --install`, and the targets that find_package(Tenon) then provides: Tenon::tenon
# (everything) and one target per folder (Tenon::ir, Tenon::parser, ...). Public headers
# (PublicHeaders.cmake) go to include/tenon with their folders: users write `#include "tenon/ir/stmt.h"`.
# Sources of this tree leave the first folder out.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(CMAKE_INSTALL_DOCDIR ${CMAKE_INSTALL_DATADIR}/doc/tenon)

get_property(tenon_libraries GLOBAL PROPERTY TENON_LIBRARIES)
list(REMOVE_ITEM tenon_libraries tenon_tools_commands tenon_tools_main)  # Only for the programs.
set(tenon_llvm_libraries tenon_lowering_llvm tenon_compile_llvm)
list(REMOVE_ITEM tenon_libraries ${tenon_llvm_libraries})
if(NOT TENON_ENABLE_LLVM)
  set(tenon_llvm_libraries)
endif()

# `tenon/` in front of a path means the same to projects that add this one as a subdirectory.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/tenon SYMBOLIC)

if(TENON_SHARED)
  tenon_install_shared("${tenon_libraries}" "${tenon_llvm_libraries}")
else()
  # `tenon` itself is the program.
  add_library(tenon_all INTERFACE)
  set_target_properties(tenon_all PROPERTIES EXPORT_NAME tenon)
  add_library(Tenon::tenon ALIAS tenon_all)
  target_link_libraries(tenon_all INTERFACE ${tenon_libraries})
  target_include_directories(tenon_all INTERFACE
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
  install(TARGETS ${tenon_libraries} tenon_all EXPORT TenonTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # Only programs that want LLVM link Tenon::compile_llvm.
  if(tenon_llvm_libraries)
    install(TARGETS ${tenon_llvm_libraries} EXPORT TenonLlvmTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endif()
install(EXPORT TenonTargets NAMESPACE Tenon::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
if(tenon_llvm_libraries)
  install(EXPORT TenonLlvmTargets NAMESPACE Tenon::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
endif()

install(CODE "
  include(\"${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake\")
  tenon_install_headers(\"${PROJECT_SOURCE_DIR}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/include/tenon\")")
# The headers of generated C belong to the programs, which also write them to their output.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime DESTINATION include/tenon COMPONENT programs
  FILES_MATCHING PATTERN "*.h" PATTERN "*.c")
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/tenon_lit.py DESTINATION ${CMAKE_INSTALL_BINDIR}
  RENAME tenon-lit COMPONENT programs)
# For programs in Python that are code generators (docs/guide/generators.md), with examples that find it there.
install(FILES ${PROJECT_SOURCE_DIR}/python/claims/tenon_claims.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon/python
  COMPONENT programs)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/examples/generator/quantised.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon/python COMPONENT programs)
# Runs in the Python environment of TVM.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/tenon_export.py DESTINATION ${CMAKE_INSTALL_BINDIR}
  RENAME tenon-export COMPONENT programs)

list(TRANSFORM tenon_libraries REPLACE "^tenon_" "" OUTPUT_VARIABLE tenon_parts)
list(TRANSFORM tenon_llvm_libraries REPLACE "^tenon_" "" OUTPUT_VARIABLE tenon_llvm_parts)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TenonConfig.cmake.in ${PROJECT_BINARY_DIR}/TenonConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/TenonConfig.cmake ${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/TenonXxhash.cmake ${PROJECT_SOURCE_DIR}/cmake/TenonCodecs.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
# For projects that compile models, also for other machines: the program alone.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TenonModelConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/TenonModelConfig.cmake ${PROJECT_BINARY_DIR}/TenonModelConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/TenonModel COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/packaging/THIRD_PARTY_LICENSES.txt
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)

if(PROJECT_IS_TOP_LEVEL)
  include(TenonPages)
  include(TenonPackage)
endif()
