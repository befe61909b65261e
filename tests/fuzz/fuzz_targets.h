#pragma once

#include <cstddef>
#include <cstdint>

namespace sinew::fuzz {

/// Each feeds bytes to one kind of reader: the function of fuzz_<name>.cpp. It returns 0 whatever
/// the bytes are; a broken promise ends the program.
int feed_bvh(const std::uint8_t* data, std::size_t size);
int feed_c3d(const std::uint8_t* data, std::size_t size);
int feed_documents(const std::uint8_t* data, std::size_t size);
int feed_fbx_points(const std::uint8_t* data, std::size_t size);
int feed_formula(const std::uint8_t* data, std::size_t size);
int feed_gltf(const std::uint8_t* data, std::size_t size);
int feed_mass(const std::uint8_t* data, std::size_t size);
int feed_medit(const std::uint8_t* data, std::size_t size);
int feed_mjcf(const std::uint8_t* data, std::size_t size);
int feed_motion_table(const std::uint8_t* data, std::size_t size);
int feed_msh(const std::uint8_t* data, std::size_t size);
int feed_obj(const std::uint8_t* data, std::size_t size);
int feed_off(const std::uint8_t* data, std::size_t size);
int feed_osim(const std::uint8_t* data, std::size_t size);
int feed_ply(const std::uint8_t* data, std::size_t size);
int feed_point_cache(const std::uint8_t* data, std::size_t size);
int feed_settings(const std::uint8_t* data, std::size_t size);
int feed_skel(const std::uint8_t* data, std::size_t size);
int feed_stl(const std::uint8_t* data, std::size_t size);
int feed_studio(const std::uint8_t* data, std::size_t size);
int feed_tetgen(const std::uint8_t* data, std::size_t size);
int feed_trc(const std::uint8_t* data, std::size_t size);
int feed_trial_setups(const std::uint8_t* data, std::size_t size);
int feed_vtu(const std::uint8_t* data, std::size_t size);

}  // namespace sinew::fuzz
