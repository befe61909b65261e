#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/io/motion_files.h"

#include <filesystem>
#include <string_view>

namespace sinew {

/// Reads a skeleton (docs/skinning.md):
///
///   { "joints": [ { "name": "hip", "parent": null, "position": [0, 1, 0] },
///                 { "name": "knee", "parent": "hip", "position": [0, 0.5, 0] } ] }
///
/// `parent` is a name, a number (from 0) or null; joints may stand in any order. Optional:
/// `radius`, `bone_radius` (in the file's unit), `stiffness`, `mass`, `virtual`. A .bvh file gives
/// the skeleton of its motion, a .glb, .gltf or .fbx file that of its skins; .skel files are read
/// too (io/skel_files.h).
/// @throws InputError
CharacterSkeleton read_character_skeleton(const std::filesystem::path& path,
                                          const ReadOptions& options = {});
CharacterSkeleton parse_character_skeleton(std::string_view json, const std::string& where,
                                           const ReadOptions& options = {});

/// Reads a motion for that skeleton: a .bvh file, an animation of a .glb, .gltf or .fbx file, an
/// .anim file (io/skel_files.h), or key frames
///
///   { "keys": [ { "time": 0 },
///               { "time": 1, "shift": [0, 0, 0.5], "joints": { "knee": [1.57, 0, 0] } } ] }
///
/// Three numbers turn about an axis by its length (rad), four are a quaternion x y z w. Joints that
/// a key does not name are at rest there. Recordings and animations are retargeted
/// (body/retarget.h); keys are about the character's own rest.
/// @throws InputError
RetargetedCharacter read_character_motion(const std::filesystem::path& path,
                                          const CharacterSkeleton& skeleton,
                                          const MotionOptions& options = {});
CharacterMotion parse_character_motion(std::string_view json, const std::string& where,
                                       const CharacterSkeleton& skeleton,
                                       const ReadOptions& options = {});

}  // namespace sinew
