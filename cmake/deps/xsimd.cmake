include_guard(DIRECTORY)
find_package(xsimd 8 REQUIRED)
