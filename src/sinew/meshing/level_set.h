#pragma once

#include "sinew/geometry/measure.h"
#include "sinew/mesh/triangle_mesh.h"

#include <functional>
#include <memory>

namespace sinew {

struct LevelSetOptions {
    double voxel = 0.005;  ///< edge of a grid cell, m, > 0
    double half_width =
        3.0;  ///< band on either side of the surface with known distance, voxels, >= 2
    double max_voxels = 6e7;  ///< refuse to make more than this many, >= 1
};

/// Signed distances (m, negative inside) for many points at once. Must not change faster than
/// distance does (|f(x) - f(y)| <= |x - y|): space is skipped on that ground.
using DistanceFunction = std::function<void(const Points& at, Eigen::VectorXd& distance)>;

/// A closed surface as the zero set of a function on a sparse grid (OpenVDB), good for joining,
/// thickening and smoothing shapes regardless of how their meshes look. Values are distances in a
/// band around the surface. Cheap to copy; operations return a new one. All operands of an
/// operation must have the same voxel size. Results do not depend on the number of threads.
class LevelSet {
public:
    /// The solid inside a surface: where its generalised winding number is beyond 1/2. The mesh may
    /// intersect itself, consist of several pieces that overlap (they become one) or lie in each
    /// other (one that looks inward bounds a void), be a soup of unjoined triangles or have small
    /// holes, as long as its triangles have one orientation.
    /// @throws InputError when the mesh is invalid or empty, or when it takes too many voxels
    static LevelSet from_mesh(const TriangleMesh& mesh, const LevelSetOptions& options);

    /// The part of {distance < 0} inside `box`. @throws InputError as above, and when a value is
    /// not finite
    static LevelSet from_function(const DistanceFunction& distance, const Bounds& box,
                                  const LevelSetOptions& options);

    /// Without a surface: nothing is inside.
    explicit LevelSet(const LevelSetOptions& options);

    double voxel() const;
    double half_width() const;  ///< voxels
    std::size_t voxel_count() const;
    bool is_empty() const;

    /// Joins, cuts, subtracts; near where the surfaces meet a fillet of size `blend` (m, 0: sharp):
    ///   smin(a, b) = min(a, b) - h^2 k / 4,  h = max(k - |a - b|, 0) / k,  k = blend
    /// the quadratic polynomial blend. The bands must reach 1.25 k: the operands are recomputed
    /// with a wider one where they do not.
    LevelSet united(const LevelSet& other, double blend = 0.0) const;
    LevelSet intersected(const LevelSet& other, double blend = 0.0) const;
    LevelSet without(const LevelSet& other, double blend = 0.0) const;

    /// Grown by `distance` (m) on all sides, shrunk when negative.
    LevelSet offset(double distance) const;
    /// Grown then shrunk: gaps and creases narrower than 2 * radius are filled.
    LevelSet closed(double radius) const;
    /// Shrunk then grown: sheets and spikes thinner than 2 * radius go.
    LevelSet opened(double radius) const;
    /// Values averaged with a Gaussian of this deviation (m): smooths, and shrinks convex parts.
    LevelSet smoothed(double sigma) const;

    /// The value at a position, trilinear, m; clamped to the width of the band.
    double value(const Vec3& at) const;
    /// Enclosed by the surface, m^3.
    double volume() const;

    /// The zero set as a closed, oriented two-manifold with edges of about a voxel: marching cubes
    /// with one rule for ambiguous faces. Empty when nothing is inside.
    TriangleMesh to_mesh() const;

private:
    struct Impl;
    explicit LevelSet(std::shared_ptr<const Impl> impl);
    std::shared_ptr<const Impl> impl_;
    friend class LevelSetTool;
};

}  // namespace sinew
