# Debian ships FindOpenVDB.cmake in a folder that CMake does not search by itself. Sinew needs only the
# library and its headers, so it is found directly.
include_guard(DIRECTORY)
find_package(TBB 2021 REQUIRED)
find_path(OPENVDB_INCLUDE_DIR openvdb/openvdb.h REQUIRED)
find_library(OPENVDB_LIBRARY openvdb REQUIRED)
if(NOT TARGET sinew_dep_openvdb)
    add_library(sinew_dep_openvdb INTERFACE IMPORTED GLOBAL)
    target_include_directories(sinew_dep_openvdb SYSTEM INTERFACE "${OPENVDB_INCLUDE_DIR}")
    find_path(IMATH_INCLUDE_DIR half.h PATH_SUFFIXES Imath REQUIRED)
    target_include_directories(sinew_dep_openvdb SYSTEM INTERFACE "${IMATH_INCLUDE_DIR}")
    target_link_libraries(sinew_dep_openvdb INTERFACE "${OPENVDB_LIBRARY}" TBB::tbb)
endif()
