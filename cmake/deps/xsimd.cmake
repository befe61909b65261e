# Headers only. Debian's package file names a library (xtl) that Sinew does not use, so the headers are
# found directly.
include_guard(DIRECTORY)
find_path(XSIMD_INCLUDE_DIR xsimd/xsimd.hpp REQUIRED)
if(NOT TARGET sinew_dep_xsimd)
    add_library(sinew_dep_xsimd INTERFACE IMPORTED GLOBAL)
    target_include_directories(sinew_dep_xsimd SYSTEM INTERFACE "${XSIMD_INCLUDE_DIR}")
endif()
