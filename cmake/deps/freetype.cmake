include_guard(DIRECTORY)
find_package(Freetype REQUIRED)
