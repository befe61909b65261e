include_guard(DIRECTORY)
find_package(fmt 9 REQUIRED)
