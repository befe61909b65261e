#pragma once

#include "sinew/mesh/arrays.h"

#include <map>

namespace sinew {

/// Positions that vertices must keep exactly: points, lines and planes. What a constraint takes
/// away leaves the unknowns of the solver. Several constraints on one vertex meet: two planes make
/// a line, three a point.
class VertexConstraints {
public:
    /// Keeps vertex v at `position`, m. Replaces what was said about v before.
    void fix(Index v, const Vec3& position);
    /// Keeps vertex v in the plane through `origin`, free to slide.
    /// @throws InputError  when the normal has no length, or earlier constraints on v exclude it
    void keep_in_plane(Index v, const Vec3& origin, const Vec3& normal);
    /// Keeps vertex v on the line through `origin`, free to slide.
    /// @throws InputError  as keep_in_plane
    void keep_on_line(Index v, const Vec3& origin, const Vec3& direction);

    /// x_v = origin + basis.leftCols(dimension) * y with y free.
    struct Freedom {
        Vec3 origin;
        Mat3 basis;  ///< orthonormal; the first `dimension` columns are free directions
        int dimension;
    };
    /// Constrained vertices in ascending order.
    const std::map<Index, Freedom>& freedoms() const {
        return freedoms_;
    }

    /// Moves constrained vertices to the nearest position allowed to them.
    void apply(Points& x) const;
    /// The part of a force or velocity that the constraints leave; the rest is set to zero.
    void project(Points& v) const;

private:
    std::map<Index, Freedom> freedoms_;
};

}  // namespace sinew
