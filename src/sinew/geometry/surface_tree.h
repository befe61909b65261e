#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <limits>
#include <memory>
#include <vector>

namespace sinew {

/// The point of a surface nearest to some other point.
struct ClosestPoint {
    Vec3 point = Vec3::Zero();        ///< on the surface, m
    Index triangle = -1;              ///< -1: no triangle within reach
    Vec3 barycentric = Vec3::Zero();  ///< of `point` in `triangle`, >= 0, sum 1
    double distance = std::numeric_limits<double>::infinity();  ///< m, >= 0
};

/// origin + t direction with t in [t_min, t_max]; the direction need not have length 1.
struct Ray {
    Vec3 origin = Vec3::Zero();
    Vec3 direction = Vec3::UnitZ();
    double t_min = 0.0;
    double t_max = std::numeric_limits<double>::infinity();
};

struct RayHit {
    Index triangle = -1;  ///< -1: nothing was hit
    double t = std::numeric_limits<double>::infinity();
    Vec3 point = Vec3::Zero();
    Vec3 barycentric = Vec3::Zero();  ///< >= 0, sum 1
};

/// Answers nearest-point and ray queries on a triangle surface, each in O(log n), in full double
/// precision: the answers are those of testing every triangle. Of triangles at the same distance
/// the one with the lowest number is named. Queries may run on many threads at once.
class SurfaceTree {
public:
    /// Copies what it needs. Any triangles will do: open, intersecting, without area.
    /// @throws InputError  when a coordinate is not finite or an index is out of range
    explicit SurfaceTree(const TriangleMesh& mesh);
    SurfaceTree(const Points& points, const Triangles& triangles);
    ~SurfaceTree();
    SurfaceTree(SurfaceTree&&) noexcept;
    SurfaceTree& operator=(SurfaceTree&&) noexcept;

    Eigen::Index triangle_count() const;

    /// Nearest point within `max_distance` (m, inclusive); triangle = -1 where there is none.
    /// @throws InputError  when p is not finite
    ClosestPoint closest_point(const Vec3& p,
                               double max_distance = std::numeric_limits<double>::infinity()) const;
    /// The same for every row, in parallel.
    std::vector<ClosestPoint> closest_points(
        const Points& points, double max_distance = std::numeric_limits<double>::infinity()) const;

    /// The hit with the smallest t. Rays through an edge or a corner that triangles share never
    /// slip through [Woop2013].
    /// @throws InputError  when the ray is not finite or has no direction
    RayHit first_hit(const Ray& ray) const;
    std::vector<RayHit> first_hits(const std::vector<Ray>& rays) const;
    /// All hits by ascending t, then triangle. A ray through a shared edge hits both triangles.
    std::vector<RayHit> all_hits(const Ray& ray) const;
    std::size_t count_hits(const Ray& ray) const;

private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace sinew
