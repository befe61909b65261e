# layers.toml -> SINEW_MODULES (in order) and SINEW_LAYER_<module> (what it may link).
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/layers.toml")
file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/layers.toml" layer_lines REGEX "^[a-z]+ *=")
set(SINEW_MODULES "")
foreach(line IN LISTS layer_lines)
    string(REGEX MATCH "^[a-z]+" module "${line}")
    string(REGEX REPLACE "^[^\[]*\\[" "" links "${line}")
    string(REGEX MATCHALL "[a-z]+" links "${links}")
    list(APPEND SINEW_MODULES ${module})
    if(NOT module STREQUAL "base")
        list(PREPEND links base)
    endif()
    set(SINEW_LAYER_${module} "${links}")
endforeach()
set(SINEW_DEPS_DIR "${CMAKE_CURRENT_SOURCE_DIR}/cmake/deps")

# sinew_find(<name>...) makes the targets of cmake/deps/<name>.cmake available. What is found before sinew_module() is
# what the module's users need too, so find_package(Sinew) asks for it.
macro(sinew_find)
    list(APPEND SINEW_FOUND_HERE ${ARGN})
    sinew_find_headers(${ARGN})
endmacro()
# The same for headers that only the module's own sources see: its users do not need them.
macro(sinew_find_headers)
    foreach(dep ${ARGN})
        include("${SINEW_DEPS_DIR}/${dep}.cmake")
    endforeach()
endmacro()

# Under the sanitizers most of the time goes into compiling. Modules whose tests run for a few seconds only are
# not optimised there at all, which halves the compiler's work.
if(SINEW_SANITIZE)
    set(SINEW_UNOPTIMISED_MODULES body io pipeline)
endif()

# sinew_module(<name> SOURCES a.cpp ... [PUBLIC target...] [PRIVATE target...] [HEADERS target...])
# One folder, one module, one static library `sinew_<name>` (alias Sinew::<name>), linked to the
# modules that layers.toml allows and that exist. HEADERS are seen by its sources and need no linking.
function(sinew_module name)
    cmake_parse_arguments(M "" "" "SOURCES;PUBLIC;PRIVATE;HEADERS" ${ARGN})
    set(target sinew_${name})
    add_library(${target} STATIC ${M_SOURCES})
    add_library(Sinew::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME sinew_${name})
    target_include_directories(${target} PUBLIC
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_compile_features(${target} PUBLIC cxx_std_20)
    foreach(lower IN LISTS SINEW_LAYER_${name})
        if(TARGET sinew_${lower})
            target_link_libraries(${target} PUBLIC Sinew::${lower})
        endif()
    endforeach()
    target_link_libraries(${target} PUBLIC ${M_PUBLIC}
        PRIVATE ${M_PRIVATE} "$<BUILD_INTERFACE:sinew_flags>" "$<BUILD_INTERFACE:sinew_arch>")
    foreach(headers IN LISTS M_HEADERS)
        target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${headers}>")
    endforeach()
    if(name IN_LIST SINEW_UNOPTIMISED_MODULES)
        target_compile_options(${target} PRIVATE -O0)
        target_precompile_headers(${target} REUSE_FROM sinew_unoptimised_pch)
    elseif(NOT name STREQUAL "base")
        target_precompile_headers(${target} REUSE_FROM sinew_pch)
    endif()
    set_property(GLOBAL APPEND PROPERTY SINEW_BUILT_MODULES ${name})
    set_property(GLOBAL PROPERTY SINEW_DEPS_${name} ${SINEW_FOUND_HERE})
endfunction()
