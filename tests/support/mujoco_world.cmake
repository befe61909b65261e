# MuJoCo moves models for tests and timings; the library itself does not link it. Included by both.
include_guard(GLOBAL)
sinew_find(mujoco)
add_library(sinew_mujoco_world STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/support/mujoco_world.cpp")
target_include_directories(sinew_mujoco_world PUBLIC "${PROJECT_SOURCE_DIR}")
target_precompile_headers(sinew_mujoco_world REUSE_FROM sinew_pch)
target_link_libraries(sinew_mujoco_world PUBLIC Sinew::motion PRIVATE sinew_dep_mujoco sinew_flags sinew_arch)
