include_guard(DIRECTORY)
find_package(CLI11 2.1 REQUIRED)
