# Shared libraries, for -DTENON_SHARED=ON. libtenon.so has everything except the folders for LLVM.
# libtenon-llvm.so has everything. Both export what the public headers declare (PublicHeaders.cmake).
#
# The flag -fvisibility=hidden hides what a source declares. Public headers are exceptions without a
# macro in them. In front of the tree, the compiler searches a folder with a header of the same name
# for each public header: it includes the public header between two pragmas.
option(TENON_SHARED "Install shared libraries instead of static ones" ${BUILD_SHARED_LIBS})
set(TENON_PUBLIC_PACKAGES absl::flat_hash_map absl::function_ref absl::inlined_vector absl::status absl::statusor)
if(TENON_SHARED)
  if(TENON_STATIC_PACKAGES)
    message(FATAL_ERROR "TENON_SHARED and TENON_STATIC_PACKAGES exclude each other: set one of them to OFF")
  endif()
  set(TENON_VISIBLE_HEADERS ${PROJECT_BINARY_DIR}/visible)
  set(CMAKE_C_VISIBILITY_PRESET hidden)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
endif()

# Sets `result` to declarations of the classes that the public header `text` only declares, not in
# `defined`. Declared before the pragma, such a class stays hidden.
function(tenon_declare_internal_classes result text defined)
  string(REGEX MATCH "namespace tenon[a-z:]*" space "${text}")
  string(REGEX MATCHALL "\n( *friend )?(class|struct) [A-Za-z]+\;" declarations "${text}")
  set(code)
  foreach(declaration ${declarations})
    string(REGEX MATCH "(class|struct) ([A-Za-z]+)" class "${declaration}")
    if(class AND NOT CMAKE_MATCH_2 IN_LIST defined)
      string(APPEND code "${space} { ${class}; }\n")
    endif()
  endforeach()
  set(${result} "${code}" PARENT_SCOPE)
endfunction()

# Writes the headers in TENON_VISIBLE_HEADERS. A header of another project that a public header includes keeps its
# own visibility, so it comes first.
function(tenon_write_visible_headers)
  include(PublicHeaders)
  tenon_public_headers(headers ${PROJECT_SOURCE_DIR})
  list(FILTER headers INCLUDE REGEX "[.]h$")
  foreach(header ${headers})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^ *(class|struct) [A-Za-z]+[^;]*$")
    foreach(line ${lines})
      string(REGEX REPLACE "^ *(class|struct) ([A-Za-z]+).*" "\\2" class "${line}")
      list(APPEND defined ${class})
    endforeach()
  endforeach()
  foreach(header ${headers})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} others REGEX "^#include (<|\"absl/)")
    list(JOIN others "\n" others)
    file(READ ${PROJECT_SOURCE_DIR}/${header} text)
    tenon_declare_internal_classes(classes "${text}" "${defined}")
    file(RELATIVE_PATH path ${TENON_VISIBLE_HEADERS}/${header}/.. ${PROJECT_SOURCE_DIR}/${header})
    file(CONFIGURE OUTPUT ${TENON_VISIBLE_HEADERS}/${header} @ONLY CONTENT
      "${others}\n${classes}#pragma GCC visibility push(default)\n#include \"${path}\"\n#pragma GCC visibility pop\n")
  endforeach()
endfunction()
if(TENON_SHARED)
  tenon_write_visible_headers()
endif()

# tenon_shared_library(<target> <name> <folder libraries>...): lib<name>.so.
function(tenon_shared_library target name)
  foreach(library ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  add_library(${target} SHARED ${objects})
  # Until 1.0, a minor version may change the interface.
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME tenon LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
  # The headers of opt_main include fmt's.
  target_link_libraries(${target} PRIVATE ${ARGN} INTERFACE ${TENON_PUBLIC_PACKAGES} fmt::fmt)
endfunction()

# Makes and installs the libraries. Each is Tenon::tenon in an export of its own, and TenonConfig.cmake
# reads one of the two. In a project that adds this tree as a subdirectory, the one without LLVM is
# Tenon::tenon and every part.
function(tenon_install_shared libraries llvm_libraries)
  tenon_shared_library(tenon_shared tenon ${libraries})
  install(TARGETS tenon_shared EXPORT TenonTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  foreach(library tenon_tenon ${libraries})
    string(REGEX REPLACE "^tenon_" "Tenon::" alias ${library})
    add_library(${alias} ALIAS tenon_shared)
  endforeach()
  if(llvm_libraries)
    tenon_shared_library(tenon_shared_llvm tenon-llvm ${libraries} ${llvm_libraries})
    install(TARGETS tenon_shared_llvm EXPORT TenonLlvmTargets
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()
