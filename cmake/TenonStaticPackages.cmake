# TENON_STATIC_PACKAGES: static libraries in place of shared ones.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)

# Debian has no static library of fmt. For fmt 9, one source instantiates it from the headers, so
# that all other objects equal those of ordinary builds in ccache. Other versions are used
# header-only.
find_path(FMT_INCLUDE_DIR fmt/core.h REQUIRED)
mark_as_advanced(FMT_INCLUDE_DIR)
file(STRINGS ${FMT_INCLUDE_DIR}/fmt/core.h fmt_version REGEX "^#define FMT_VERSION 9[0-9]*")
add_library(fmt::fmt INTERFACE IMPORTED)
target_include_directories(fmt::fmt INTERFACE ${FMT_INCLUDE_DIR})
if(fmt_version)
  add_subdirectory(packaging)
  target_compile_definitions(fmt::fmt INTERFACE FMT_SHARED)
  target_link_libraries(fmt::fmt INTERFACE tenon_fmt)
else()
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
endif()

set(TENON_ABSEIL_SOURCE "" CACHE PATH
  "Folder with Abseil's source, of the version of its installed headers, for libraries that are part of a shared object")
if(TENON_ABSEIL_SOURCE)
  set(ABSL_PROPAGATE_CXX_STD ON)
  # Tenon's targets, which are exported, need targets that are exported too.
  set(ABSL_ENABLE_INSTALL ON)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_subdirectory(${TENON_ABSEIL_SOURCE} packaging/abseil EXCLUDE_FROM_ALL SYSTEM)
elseif(TENON_PYTHON)
  message(FATAL_ERROR "TENON_STATIC_PACKAGES: Debian's static libraries of Abseil cannot be part of the Python module, "
    "because they are not compiled for shared objects; `make package` gets their source, or name it with "
    "-DTENON_ABSEIL_SOURCE=FOLDER")
else()
  include(TenonStaticAbseil)
endif()

add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
