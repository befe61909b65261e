#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/skinning/bone_volumes.h"

#include <span>
#include <vector>

namespace sinew {

/// The flesh between a skin and the bones under it [Komaritzan, section 3.2.1]: every triangle of
/// the skin and its copy on the bones span a prism, cut into three tetrahedra. Vertices 0 .. S-1
/// are those of the skin, S .. 2S-1 their copies. The skin may be open, noisy and intersect itself.
struct FleshPrisms {
    Index skin_vertices = 0;  ///< S
    Points points = Points(0, 3);
    Triangles triangles = Triangles(0, 3);  ///< of the skin
    /// Of positive volume: where a prism is turned inside out at rest two corners are swapped; flat
    /// ones are left out.
    Tets tets = Tets(0, 4);
    std::vector<Index> triangle_of = {};  ///< of each tetrahedron
    // Of each vertex of the skin, where its copy belongs on the line of the bones.
    std::vector<Index> bone = {};    ///< of BoneVolumes
    std::vector<double> along = {};  ///< distance from the bone's first joint, m, 0 to its length
    Points base_points = Points(0, 3);  ///< those positions, m
    int inverted_prisms = 0;            ///< with a tetrahedron turned inside out at rest
};

struct FleshOptions {
    int smoothing = 40;            ///< sweeps over the base points, >= 0
    double smoothing_speed = 0.5;  ///< lambda, (0, 1]
    /// Of each vertex of the skin, the joint that holds it by the weights of its file, so that it
    /// belongs to a bone from there; -1, or a joint without bones: to the nearest bone. Empty: all
    /// to the nearest.
    std::span<const Index> held_by = {};
    /// Of flesh below vertices that a joint holds, as a fraction of the skin's diagonal, > 0: what
    /// lies deeper goes where the weights take it.
    double held_depth = 0.02;
};

FleshPrisms build_flesh_prisms(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                               const BoneVolumes& bones, const FleshOptions& options = {});

/// Three tetrahedra per prism (outer triangle, inner triangle) with diagonals that neighbours
/// share: each goes from the outer corner of lower number to the inner corner of higher number.
/// Departs: the thesis searches directions by random flips; an order of all vertices has no cycles
/// to begin with.
std::array<std::array<Index, 4>, 3> split_prism(const std::array<Index, 3>& outer,
                                                const std::array<Index, 3>& inner);

}  // namespace sinew
