include_guard(DIRECTORY)
find_package(embree 3.12 REQUIRED)
