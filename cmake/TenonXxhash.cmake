# xxHash comes without a CMake package on Debian and Ubuntu; used here and by the installed package.
find_path(XXHASH_INCLUDE_DIR xxhash.h)
find_library(XXHASH_LIBRARY xxhash)
mark_as_advanced(XXHASH_INCLUDE_DIR XXHASH_LIBRARY)
if(NOT XXHASH_INCLUDE_DIR OR NOT XXHASH_LIBRARY)
  message(FATAL_ERROR "Tenon needs xxHash (package libxxhash-dev)")
endif()
if(NOT TARGET Tenon::xxhash)
  add_library(Tenon::xxhash UNKNOWN IMPORTED)
  set_target_properties(Tenon::xxhash PROPERTIES
    IMPORTED_LOCATION ${XXHASH_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${XXHASH_INCLUDE_DIR})
endif()
