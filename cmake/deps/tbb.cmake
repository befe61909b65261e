include_guard(DIRECTORY)
find_package(TBB 2021 REQUIRED)
