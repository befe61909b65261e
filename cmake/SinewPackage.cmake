# The Debian package of the program (scripts/package.sh). Its page is part of the program; libraries that it needs are found by
# dpkg-shlibdeps in what it links. Headers and static libraries are not in it: `cmake --install` installs these.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sinew)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "The Sinew contributors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "anatomical humans that are built, grown, posed and moved")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "The sinew command and its studio in the browser: a built-in human of bones, muscles, fat and skin,
grown, posed and moved by simulated flesh; musculoskeletal models; meshing and pictures.
Needs a CPU with AVX2.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS tetgen)          # run, not linked
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS xdg-utils)    # opens the studio's page
set(CPACK_DEBIAN_PACKAGE_SUGGESTS bash-completion)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
