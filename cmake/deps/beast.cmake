# Boost.Beast and Boost.Asio: headers only.
include_guard(DIRECTORY)
find_path(BEAST_INCLUDE_DIR boost/beast.hpp REQUIRED)
find_package(Threads REQUIRED)
if(NOT TARGET sinew_dep_beast)
    add_library(sinew_dep_beast INTERFACE IMPORTED GLOBAL)
    target_include_directories(sinew_dep_beast SYSTEM INTERFACE "${BEAST_INCLUDE_DIR}")
    target_compile_definitions(sinew_dep_beast INTERFACE BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_SEPARATE_COMPILATION
                               BOOST_ASIO_NO_DEPRECATED)
    target_link_libraries(sinew_dep_beast INTERFACE Threads::Threads)
endif()
