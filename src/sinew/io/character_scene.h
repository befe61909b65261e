#pragma once

#include "sinew/body/recording.h"
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
/// the skin has weights, joints that hold nothing are left out at either end (a root on the floor,
/// targets and poles of inverse kinematics), and a joint without children that holds vertices gets
/// a tip ("_end") beyond their middle, so that a hand is more than the end of a forearm. The
/// weights are not used otherwise. Names that appear again get numbers.
/// @throws InputError  when there is no joint
CharacterSkeleton skeleton_of(const GltfScene& scene, const std::string& where);

/// The number of an animation that moves nodes: the one of that name ("Walk" is "Armature|Walk"
/// too), or the first where the name is empty.
/// @throws InputError  naming those that there are
std::size_t find_animation(const GltfScene& scene, std::string_view name, const std::string& where);

/// An animation of the scene, against the pose in which its joints were bound. Scales are left out.
/// @param animation  number; 0 is the first
/// @throws InputError  when there is no such animation
Recording recording_of(const GltfScene& scene, std::size_t animation, const std::string& where);

}  // namespace sinew
