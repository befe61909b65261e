#pragma once

#include "sinew/io/gltf.h"

#include <string_view>
#include <vector>

namespace sinew {

// The pose in which a character was bound to its bones. Files keep it in the inverse bind matrices
// of their skins; their nodes often stand in another one (the first frame of an animation).

/// T_world_node of every node in that pose: T_j = M B_j^-1 for the joints of a skin, with M, which
/// takes its points into the world, such that the joints stand as near to where the nodes have them
/// as the file allows. A joint of several skins stands where the one of most joints has it; other
/// nodes follow their parents. Without skins, or where nodes stand as bound, world_transforms.
std::vector<Eigen::Affine3d> bind_transforms(const GltfScene& scene);

/// The parts in that pose.
/// @throws InputError  naming `where` and a part that is thrown out of bounds
std::vector<MeshPart> bound_parts(const GltfScene& scene, std::string_view where);

}  // namespace sinew
