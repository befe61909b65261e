include_guard(DIRECTORY)
find_package(PNG REQUIRED)
