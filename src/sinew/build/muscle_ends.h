#pragma once

#include "sinew/body/anatomy.h"

#include <cstdint>
#include <vector>

namespace sinew {

/// What a triangle of a muscle's surface belongs to: the epimysium, or one of the ends where fibres
/// begin and finish.
enum class MuscleEnd : std::uint8_t { None = 0, Origin = 1, Insertion = 2 };

/// How far each vertex lies along the muscle: 0 at the origin, 1 at the insertion. Where the mesh
/// carries the point data "share", that. Else estimated piece by piece from the two vertices that
/// lie furthest from each other along the surface, a and b:  share = d_a / (d_a + d_b), d the
/// length of the shortest path along edges; the end nearer to the bone of origin, if known, is 0.
std::vector<double> muscle_shares(const Muscle& muscle, const std::vector<Bone>& bones);

/// The point data "tendon" where the mesh carries it; else 1 outside [belly_begin, belly_end] of
/// the way and 0 within; 1 everywhere on passive parts.
std::vector<double> muscle_tendon(const Muscle& muscle, const std::vector<double>& shares);

struct MuscleEndOptions {
    double reach = 0.01;  ///< of the path that counts as an end, (0, 0.4]
    double area = 0.005;  ///< of the surface that an end has at least, per piece, (0, 0.4]
};

/// Ends by the path along the muscle: triangles in the first and the last `reach` of it. Every
/// connected piece of the surface has both.
/// @param shares  one per vertex
/// @return one per triangle
std::vector<MuscleEnd> find_muscle_ends(const TriangleMesh& mesh, const std::vector<double>& shares,
                                        const MuscleEndOptions& options = {});

}  // namespace sinew
