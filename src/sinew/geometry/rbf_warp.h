#pragma once

#include "sinew/base/progress.h"
#include "sinew/mesh/arrays.h"

#include <memory>

namespace sinew {

struct RbfOptions {
    /// 0: every centre reaches its target exactly. Larger values trade closeness for smoothness:
    /// the weight of the bending energy, relative to the size of the centres' box cubed, >= 0.
    double smoothing = 0.0;
};

/// The smoothest map of space that takes given points to given points:
///
///   f(x) = x + A x + b + sum_j w_j |x - c_j|^3,   sum_j w_j = 0,  sum_j w_j c_j^T = 0
///
/// The kernel r^3 is triharmonic away from its centre, and f is the smoothest interpolant in the
/// third-order semi-norm that is blind to affine maps [Duchon1977]: those are reproduced exactly
/// and extended to everywhere.
/// Fitting takes O(n^3) time and 8 n^2 bytes (4000 centres: a second and 128 MB); evaluating takes
/// O(n) per point, in parallel.
class RbfWarp {
public:
    /// Takes source row i to target row i.
    /// @throws InputError  when the two differ in number, a number is not finite, there are fewer
    ///                     than 4 centres, they lie in one plane, or two (nearly) coincide
    RbfWarp(const Points& source, const Points& target, const RbfOptions& options = {},
            const Progress& progress = {});

    Vec3 at(const Vec3& p) const;
    Points apply(const Points& points) const;

    Eigen::Index centre_count() const {
        return centres_.rows();
    }
    /// Largest distance between where a centre goes and its target, m.
    double largest_residual() const {
        return largest_residual_;
    }

private:
    friend class RbfSystem;
    RbfWarp() = default;

    // One row per coordinate: the inner loops run along centres.
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3>;

    /// Displacements of `count` points, x y z each, in the inner frame.
    void displace(const double* points, double* out, std::size_t count) const;

    Rows centres_;  // moved and scaled to the unit box
    Rows weights_;
    Eigen::Matrix<double, 4, 3> affine_ = Eigen::Matrix<double, 4, 3>::Zero();
    Vec3 origin_ = Vec3::Zero();
    double scale_ = 1.0;  // inner = scale * (outer - origin)
    double largest_residual_ = 0.0;
};

/// What a warp owes to its centres alone, factorised once: for many targets of the same centres,
/// each then takes O(n^2).
class RbfSystem {
public:
    /// @throws InputError  as RbfWarp does; Cancelled
    explicit RbfSystem(const Points& source, const RbfOptions& options = {},
                       const Progress& progress = {});
    ~RbfSystem();
    RbfSystem(RbfSystem&&) noexcept;
    RbfSystem& operator=(RbfSystem&&) noexcept;

    const Points& source() const;
    /// The warp that takes source row i to target row i.
    /// @throws InputError  when the two differ in number or a number is not finite
    RbfWarp to(const Points& target) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
