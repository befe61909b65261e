include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
set(prefix "${SCRATCH}/prefix with space")
set(configure "${CMAKE_COMMAND}" -S "${SOURCE}" -G Ninja "-DCMAKE_PREFIX_PATH=${prefix}" -DCMAKE_BUILD_TYPE=Release)

file(REMOVE_RECURSE "${prefix}" "${SCRATCH}/consumer" "${SCRATCH}/all" "${SCRATCH}/few" "${SCRATCH}/lacking" "${SCRATCH}/unknown")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

# Two modules, without all that only others need: what the command and the studio use, pictures, rigid bodies.
set(absent -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
set(absent_too -DCMAKE_DISABLE_FIND_PACKAGE_Freetype=ON -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON)
set(inside BEAST_INCLUDE_DIR,XSIMD_INCLUDE_DIR,MUJOCO_LIBRARY)
run(${configure} -B "${SCRATCH}/consumer" -DCOMPONENTS=meshing,io -DNOT_LOOKED_FOR=${inside} ${absent} ${absent_too})
run("${CMAKE_COMMAND}" --build "${SCRATCH}/consumer")
run("${SCRATCH}/consumer/consumer" "${SCRATCH}/ball.ply")
must_contain("data in ${prefix}/share/sinew\n")
run("${prefix}/bin/sinew" info "${SCRATCH}/ball.ply")

# All modules, without what none of them needs.
run(${configure} -B "${SCRATCH}/all" -DNOT_LOOKED_FOR=${inside} ${absent})
run("${CMAKE_COMMAND}" --build "${SCRATCH}/all")
run("${SCRATCH}/all/consumer" "${SCRATCH}/ball.ply")

# One module at the ground needs next to nothing; what a module does need is asked for; a name that does not exist is refused.
run(${configure} -B "${SCRATCH}/few" -DCOMPONENTS=mesh -DBUILD_PROGRAM=OFF -DCMAKE_DISABLE_FIND_PACKAGE_embree=ON
    -DCMAKE_DISABLE_FIND_PACKAGE_assimp=ON -DNOT_LOOKED_FOR=${inside},OPENVDB_LIBRARY,METIS_LIBRARY ${absent} ${absent_too})
try(${configure} -B "${SCRATCH}/lacking" -DCOMPONENTS=geometry -DBUILD_PROGRAM=OFF -DCMAKE_DISABLE_FIND_PACKAGE_embree=ON)
if(code EQUAL 0)
    message(FATAL_ERROR "geometry was found without Embree")
endif()
must_contain("embree")
try(${configure} -B "${SCRATCH}/unknown" -DCOMPONENTS=meshes -DBUILD_PROGRAM=OFF)
if(code EQUAL 0)
    message(FATAL_ERROR "a component that does not exist was found")
endif()
must_contain("no component 'meshes'.*base, linalg, mesh")
