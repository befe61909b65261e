# Installs the modules, their headers and a package file, so that find_package(Sinew) works.
include(CMakePackageConfigHelpers)
get_property(built_modules GLOBAL PROPERTY SINEW_BUILT_MODULES)
get_property(used_deps GLOBAL PROPERTY SINEW_USED_DEPS)
list(REMOVE_DUPLICATES used_deps)

add_library(sinew_all INTERFACE)
add_library(Sinew::sinew ALIAS sinew_all)
set_target_properties(sinew_all PROPERTIES EXPORT_NAME sinew)
set(module_targets "")
foreach(module IN LISTS built_modules)
    target_link_libraries(sinew_all INTERFACE Sinew::${module})
    list(APPEND module_targets sinew_${module})
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Sinew")
install(TARGETS sinew_all ${module_targets} EXPORT SinewTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT SinewTargets NAMESPACE Sinew:: DESTINATION ${package_dir})
install(DIRECTORY cmake/deps DESTINATION ${package_dir})
configure_package_config_file(cmake/SinewConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/SinewConfig.cmake"
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/SinewConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/SinewConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/SinewConfigVersion.cmake" DESTINATION ${package_dir})
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sinew)
if(TARGET sinew)
    install(TARGETS sinew RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
