# Installs the modules, their headers and a package file, so that find_package(Sinew) works.
include(CMakePackageConfigHelpers)
get_property(built_modules GLOBAL PROPERTY SINEW_BUILT_MODULES)

# What the package file knows of each module: the modules and the libraries that it links.
add_library(sinew_all INTERFACE)
add_library(Sinew::sinew ALIAS sinew_all)
string(REPLACE ";" "|" built_pattern "${built_modules}")
set(module_targets "")
set(module_tables "")
foreach(module IN LISTS built_modules)
    target_link_libraries(sinew_all INTERFACE Sinew::${module})
    list(APPEND module_targets sinew_${module})
    set(links "${SINEW_LAYER_${module}}")
    list(FILTER links INCLUDE REGEX "^(${built_pattern})$")
    get_property(deps GLOBAL PROPERTY SINEW_DEPS_${module})
    string(APPEND module_tables "set(sinew_links_${module} ${links})\nset(sinew_deps_${module} ${deps})\n")
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Sinew")
install(TARGETS ${module_targets} EXPORT SinewTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The library finds its data from any program: it is told the prefix once that is known. A package leaves this out, for
# its program finds the data beside itself.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
    install(CODE "execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${PROJECT_SOURCE_DIR}/cmake/name_data_folder.py\"
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:sinew_io>\"
        \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/sinew\" COMMAND_ERROR_IS_FATAL ANY)")
endif()
# Public headers and what they include; looked up when it is installed, for any header may have changed since.
install(CODE "set(SINEW_SOURCE \"${PROJECT_SOURCE_DIR}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake\")
    foreach(header IN LISTS public_headers included_headers)
        cmake_path(GET header PARENT_PATH folder)
        file(INSTALL \"${PROJECT_SOURCE_DIR}/src/\${header}\"
             DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/\${folder}\")
    endforeach()")
install(EXPORT SinewTargets NAMESPACE Sinew:: DESTINATION ${package_dir})
install(DIRECTORY cmake/deps DESTINATION ${package_dir})
configure_package_config_file(cmake/SinewConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/SinewConfig.cmake"
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/SinewConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/SinewConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/SinewConfigVersion.cmake" DESTINATION ${package_dir})

# The program with what it reads and what explains it: a component of its own, which is what a package holds.
set(share "${CMAKE_INSTALL_DATADIR}")
install(FILES LICENSE NOTICE CHANGELOG.md DESTINATION ${share}/doc/sinew COMPONENT program)
install(DIRECTORY docs DESTINATION ${share}/doc/sinew COMPONENT program FILES_MATCHING PATTERN "*.md" PATTERN pictures EXCLUDE)
if(TARGET sinew)
    install(TARGETS sinew sinew-studio RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    install(DIRECTORY examples DESTINATION ${share}/doc/sinew COMPONENT program)
    install(DIRECTORY recipes DESTINATION ${share}/sinew COMPONENT program)
    # Man pages and completions, as the program describes itself.
    if(Python3_FOUND)
        install(CODE "file(REMOVE_RECURSE \"${CMAKE_CURRENT_BINARY_DIR}/manual\")
            execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${PROJECT_SOURCE_DIR}/tools/make_manual.py\"
            \"$<TARGET_FILE:sinew>\" \"${CMAKE_CURRENT_BINARY_DIR}/manual\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
        install(DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/manual/" DESTINATION ${share} COMPONENT program)
    endif()
endif()
