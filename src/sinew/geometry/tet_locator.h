#pragma once

#include "sinew/mesh/tet_mesh.h"

#include <limits>
#include <memory>
#include <vector>

namespace sinew {

/// Where a point lies in a tetrahedral mesh.
struct TetLocation {
    Index tet = -1;                   ///< -1: outside (or beyond the reach asked for)
    Vec4 barycentric = Vec4::Zero();  ///< of the nearest point of the tetrahedron, >= 0, sum 1
    double distance = std::numeric_limits<double>::infinity();  ///< from the mesh, m; 0 inside
};

/// Finds the tetrahedron that holds a point, in O(log n). Slivers, inverted and flat tetrahedra are
/// treated as the solids that they are: of several that hold a point (on a common face, or where
/// the mesh overlaps) the first with positive volume is named, then the first. Queries may run on
/// many threads at once.
class TetLocator {
public:
    /// Copies what it needs.
    /// @throws InputError  when a coordinate is not finite or an index is out of range
    explicit TetLocator(const TetMesh& mesh);
    TetLocator(const Points& points, const Tets& tets);
    ~TetLocator();
    TetLocator(TetLocator&&) noexcept;
    TetLocator& operator=(TetLocator&&) noexcept;

    const Points& points() const;
    const Tets& tets() const;

    /// The tetrahedron that holds p, or tet = -1 outside. Points within 1e-12 of the mesh's size of
    /// it count as inside: rounding leaves no cracks between neighbours.
    /// @throws InputError  when p is not finite
    TetLocation find(const Vec3& p) const;
    /// The tetrahedron that holds p or is nearest to it, up to `max_distance` (m).
    TetLocation nearest(const Vec3& p,
                        double max_distance = std::numeric_limits<double>::infinity()) const;
    /// The same for every row, in parallel.
    std::vector<TetLocation> find_all(const Points& points) const;
    std::vector<TetLocation> nearest_all(
        const Points& points, double max_distance = std::numeric_limits<double>::infinity()) const;

    /// Numbers of all tetrahedra within `distance` (m) of p, ascending.
    std::vector<Index> within(const Vec3& p, double distance) const;

private:
    TetLocation search(const Vec3& p, double radius) const;
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace sinew
