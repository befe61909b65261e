#pragma once

#include "sinew/skinning/flesh_prisms.h"

#include <vector>

namespace sinew {

/// A skin at rest and the bones below it: all that contacts of a skin with itself ask for, whatever
/// the flesh in between is made of.
struct SkinOnBones {
    SkinOnBones() = default;
    /// The skin of prisms. Converts, so that both kinds of flesh are asked alike.
    SkinOnBones(const FleshPrisms& flesh);

    Points points = Points(0, 3);
    Triangles triangles = Triangles(0, 3);
    std::vector<Index> bone = {};       ///< that moves each vertex
    Points base_points = Points(0, 3);  ///< of each vertex, in the middle of its limb, m
};

/// Of the edges of the skin at rest, m.
double mean_edge(const SkinOnBones& skin);

}  // namespace sinew
