include_guard(DIRECTORY)
find_package(ZLIB REQUIRED)
