#pragma once

#include "sinew/body/body.h"
#include "sinew/io/gltf.h"
#include "sinew/pipeline/skin_character.h"

#include <functional>
#include <vector>

namespace sinew {

/// How a rig moves: poses of its joints at times.
struct RigMotion {
    std::vector<double> times = {};                     ///< s, ascending; none: it stands at rest
    std::function<CharacterPose(double time)> at = {};  ///< of the joints, T_posed_rest
};

/// A character as Blender and engines take it: a node per joint, one skin with inverse bind
/// matrices, four weights per vertex, and the motion as rotations of the joints. The weights are
/// those of linear blend skinning with heat (skinning/blend_skinning.h): [Baran2007], the four
/// largest; of a rigged file its own.
/// @throws InputError
GltfScene rig_of(const Character& character, const RigMotion& motion = {});

/// The same of a body's skin. Here heat comes from the nearest point of its bones' surfaces.
GltfScene rig_of(const Body& body, const RigMotion& motion = {});

}  // namespace sinew
