include_guard(DIRECTORY)
find_package(assimp 5 REQUIRED)
