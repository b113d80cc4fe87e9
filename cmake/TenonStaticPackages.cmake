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

# Debian's Abseil package lists the shared libraries; the static ones are next to them.
find_package(absl REQUIRED)
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target ${imported})
  get_target_property(type ${target} TYPE)
  if(NOT target MATCHES "^absl::" OR NOT type STREQUAL "SHARED_LIBRARY")
    continue()
  endif()
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration ${configurations})
    get_target_property(shared ${target} IMPORTED_LOCATION_${configuration})
    string(REGEX REPLACE "[.]so[.0-9]*$" ".a" archive ${shared})
    if(NOT EXISTS ${archive})
      message(FATAL_ERROR "TENON_STATIC_PACKAGES: there is no ${archive}")
    endif()
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} ${archive}
      IMPORTED_NO_SONAME_${configuration} ON)
  endforeach()
endforeach()

add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
