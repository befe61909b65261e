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
/// joints that an animation turns, where their nodes stand. Nodes in between are passed over,
/// unless they move a mesh that has no skin. Where the skin has weights, joints that hold nothing
/// are left out at either end (a root on the floor, targets and poles of inverse kinematics), and a
/// joint without children that holds vertices gets a tip ("_end") beyond their middle, so that a
/// hand is more than the end of a forearm. Names that appear again get numbers.
/// @throws InputError  when there is no joint
CharacterSkeleton skeleton_of(const GltfScene& scene, const std::string& where);

/// What a rigged file says of its points: one row for each, of all parts in their order.
struct PointBinding {
    Joints4 joints = Joints4(0, 4);     ///< of `skeleton_of`
    Weights4 weights = Weights4(0, 4);  ///< sum to 1; 0 where the file says nothing
    std::vector<char> is_rigid = {};    ///< of a mesh without a skin that hangs on a joint
};
/// Meshes that hang on a joint move with it as a whole: helmets, bolts, a bow. In files without
/// skins they do where several joints carry some.
PointBinding point_binding(const GltfScene& scene);

/// The number of an animation that moves nodes: the one of that name ("Walk" is "Armature|Walk"
/// too), or the first where the name is empty.
/// @throws InputError  naming those that there are
std::size_t find_animation(const GltfScene& scene, std::string_view name, const std::string& where);

/// An animation of the scene, against the pose in which its joints were bound. It begins at 0 s:
/// before its first key it stands still [Khronos2021, section 3.11]. Scales are left out.
/// @param animation  number; 0 is the first
/// @throws InputError  when there is no such animation
Recording recording_of(const GltfScene& scene, std::size_t animation, const std::string& where);

}  // namespace sinew
