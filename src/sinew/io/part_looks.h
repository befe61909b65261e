#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

// How parts of bodies look in scenes (.glb, .usda): groups by kind, tendons by colour.

/// The group of each part: "muscles" (with tendons), "bones" (with cartilages) or its kind with an
/// s, where several of them stand one after the other in the list; "" for a part that is alone of
/// its kind, has none, or whose kind is scattered over the list.
std::vector<std::string> part_groups(std::span<const MeshPart> parts);

/// Vertex colours of muscles whose points know their fraction of tendon (attribute "tendon", [0,
/// 1]): belly red, tendon pale, mixed where one becomes the other. Other meshes stay as they are.
void colour_by_tendon(TriangleMesh& mesh);

}  // namespace sinew
