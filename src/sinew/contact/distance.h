#pragma once

#include "sinew/mesh/arrays.h"

namespace sinew {

/// How far two simple shapes with four corners in all are apart, and how that changes.
///
/// The nearest points are affine combinations of the corners, so what lies between them is
/// r = sum_k coefficients[k] x_k. Where the nearest points change from a face to an edge or from an
/// edge to a corner the second derivative jumps; the value and the first derivative do not.
struct PairDistance {
    using Gradient = Eigen::Matrix<double, 12, 1>;
    using Hessian = Eigen::Matrix<double, 12, 12>;

    double squared = 0.0;              ///< |r|^2, m^2
    Vec3 between = Vec3::Zero();       ///< r, from the second shape to the first, m
    Vec4 coefficients = Vec4::Zero();  ///< of the corners, summing to 0

    // How the coefficients may still vary: derivatives along the 0, 1 or 2 free directions of the
    // face, edges or corners on which the nearest points lie.
    int freedom = 0;
    Eigen::Matrix<double, 4, 2> free_directions = Eigen::Matrix<double, 4, 2>::Zero();
};

/// A point (corner 0) and a triangle (corners 1 to 3), which may have no area.
PairDistance point_triangle_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

/// Edge from corner 0 to 1 and edge from corner 2 to 3, also parallel ones or without length.
PairDistance edge_edge_distance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

/// Of the squared distance by the corners x y z, corner by corner: 2 c_k r.
PairDistance::Gradient squared_distance_gradient(const PairDistance& d);

/// Second derivative of the squared distance; the corners as they were given.
PairDistance::Hessian squared_distance_hessian(const PairDistance& d, const Vec3& x0,
                                               const Vec3& x1, const Vec3& x2, const Vec3& x3);

}  // namespace sinew
