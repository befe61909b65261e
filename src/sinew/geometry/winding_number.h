#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <memory>

namespace sinew {

struct WindingOptions {
    /// A cluster of triangles is replaced by its expansion when the query is further than this
    /// many cluster radii from it, >= 1. The error falls with its fourth power: some 5e-3 at 2,
    /// 1e-3 at 3, 1e-5 at 8; the time grows with its square.
    double accuracy = 3.0;
};

/// Generalised winding number of a triangle surface, closed or not [Jacobson2013]:
///
///   w(q) = 1/(4 pi) sum over triangles of the solid angle seen from q
///
/// 1 inside, 0 outside a closed surface with outward triangles; near a hole, or where sheets are
/// doubled or intersect, it degrades gracefully. More than 0.5 means inside.
/// Evaluated in O(log n) by replacing far clusters of triangles by their expansion to second order
/// [Barill2018].
class WindingNumber {
public:
    /// Copies what it needs.
    /// @throws InputError  when a coordinate is not finite, an index or the option out of range
    explicit WindingNumber(const TriangleMesh& mesh, const WindingOptions& options = {});
    WindingNumber(const Points& points, const Triangles& triangles,
                  const WindingOptions& options = {});
    ~WindingNumber();
    WindingNumber(WindingNumber&&) noexcept;
    WindingNumber& operator=(WindingNumber&&) noexcept;

    double at(const Vec3& p) const;
    /// For every row, in parallel.
    Eigen::VectorXd at_all(const Points& points) const;
    /// The sum over all triangles, O(n): exact up to rounding.
    double exact_at(const Vec3& p) const;

    /// Whether at(p) > 0.5, decided by the exact sum where the fast value is too near to call.
    bool is_inside(const Vec3& p) const;

private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace sinew
