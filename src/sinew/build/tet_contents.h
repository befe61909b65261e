#pragma once

#include "sinew/build/muscle_field.h"
#include "sinew/build/part_lines.h"
#include "sinew/mesh/tet_mesh.h"

#include <vector>

namespace sinew {

/// How much of a tetrahedron a part fills.
struct TetContent {
    Index part = 0;              ///< muscles first, then bones
    double fraction = 0.0;       ///< overlaps shared equally
    double tendon = 0.0;         ///< fraction of that which is tendon
    Vec3 centre = Vec3::Zero();  ///< middle of the part in the tetrahedron, m
};

/// Tetrahedron t has the entries start[t] .. start[t+1], by part.
struct TetContents {
    std::vector<Index> start = {0};
    std::vector<TetContent> entries = {};
};

/// Measures the parts in every tetrahedron along the lines. A tetrahedron that fewer than
/// `min_lines` lines hit is cut by more, which take their parts from the nearest line.
/// @param is_flesh  tetrahedra with 0 stay empty
/// @param fields    of the parts that have one: parts 0, 1, ...
TetContents measure_tets(const TetMesh& tets, const std::vector<char>& is_flesh,
                         const PartLines& lines, const std::vector<MuscleField>& fields,
                         int min_lines);

/// Changes fractions until the parts have their volumes, see sample_tissues.
/// @param tet_volume  m^3, one per tetrahedron
/// @param target      m^3, one per part
/// @return rounds
int correct_volumes(TetContents& contents, const Eigen::VectorXd& tet_volume,
                    const std::vector<double>& target, int max_rounds, double tolerance);

/// Sum of fraction * volume per part, m^3.
std::vector<double> part_volumes(const TetContents& contents, const Eigen::VectorXd& tet_volume,
                                 std::size_t parts);

}  // namespace sinew
