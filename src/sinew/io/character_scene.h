#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/io/gltf.h"

#include <filesystem>
#include <string>

namespace sinew {

// Characters in .glb, .gltf and .fbx files: the joints of their skins and their animations.

/// By the ending of the name.
bool is_scene_file(const std::filesystem::path& path);
/// @throws InputError
GltfScene read_scene(const std::filesystem::path& path);

/// Joints that the skins of the scene name, where they were bound (io/bind_pose.h); without skins,
/// joints that an animation turns, where their nodes stand. Nodes in between are passed over. Where
/// the skin has weights, a joint without children that holds vertices gets a tip ("_end") beyond
/// their middle, so that a hand is more than the end of a forearm. The weights are not used
/// otherwise. Names that appear again get numbers.
/// @throws InputError  when there is no joint
CharacterSkeleton skeleton_of(const GltfScene& scene, const std::string& where);

/// An animation of the scene on that skeleton (body/motion_transfer.h), about the pose in which the
/// scene's joints were bound; the first joint that both
/// have shifts the character. Shifts of other joints and scales are left out.
/// @param animation  number; 0 is the first
/// @throws InputError  when there is no such animation or it moves no joint of the skeleton
CharacterMotion motion_of(const GltfScene& scene, std::size_t animation,
                          const CharacterSkeleton& skeleton, const std::string& where,
                          RestPoses rests = RestPoses::Aligned);

}  // namespace sinew
