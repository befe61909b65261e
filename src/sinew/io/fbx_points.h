#pragma once

#include "sinew/io/gltf.h"

#include <string_view>
#include <vector>

namespace sinew {

// Meshes of FBX files as the program that wrote them has them. Libraries hand out one point per
// corner of a face, split by normals and materials; what moves such points (a point cache) fits the
// program's own mesh only by its number and order of points.

/// The points of every geometry of a binary FBX file, in its order. Nothing for text files; what is
/// damaged or too large is left out.
std::vector<Points> fbx_geometry_points(std::string_view bytes);

/// What a part of a scene had before it was placed.
struct SplitPart {
    Points points = Points(0, 3);  ///< as the file has them, in single precision
    Eigen::Affine3d T_scene_file =
        Eigen::Affine3d::Identity();  ///< that the part's points have seen
};

/// Joins parts of the same node, and gives them the points of the geometry that holds all of
/// theirs. Parts without such a geometry stay as they are.
/// @param split  one per part of the scene, in its order
void restore_points(GltfScene& scene, const std::vector<SplitPart>& split,
                    const std::vector<Points>& geometries);

}  // namespace sinew
