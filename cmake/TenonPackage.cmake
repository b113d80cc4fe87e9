# `cpack -G DEB`: the programs, without the C++ library.
set(CPACK_PACKAGE_NAME tenon)
set(CPACK_PACKAGE_VENDOR "The Tenon developers")
set(CPACK_PACKAGE_CONTACT "The Tenon developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler from tensor IR to C with planned memory")
set(CPACK_PACKAGE_DESCRIPTION
"Tenon compiles neural networks to portable C. The place of every byte is decided at compile time:
weights are const data, scratch memory is one array of known size. The code needs no malloc and no
runtime.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL programs)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc | c-compiler")
include(CPack)
