#pragma once

#include <Eigen/Core>

namespace sinew {

/// F = U diag(s) V^T with U and V both rotations (det = +1): a mirror image shows as s[2] < 0.
/// Ordered s[0] >= s[1] >= |s[2]|.
struct SignedSvd {
    Eigen::Matrix3d U;
    Eigen::Vector3d s;
    Eigen::Matrix3d V;
};

/// Signed singular value decomposition by one-sided Jacobi rotations. Accurate to rounding of
/// |F| for any finite F: inverted, flat, rank one, zero, very large or very small.
SignedSvd signed_svd(const Eigen::Matrix3d& F);

/// The rotation nearest to F in the Frobenius norm: U V^T [Saito2015, eq. 2]. Where several are
/// equally near (F of rank one or zero) one of them, always the same.
Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& F);

/// Signed singular values with product `ratio` nearest to `s` (ordered s0 >= s1 >= |s2|):
///
///   argmin_p |s - p|^2   subject to  p0 p1 p2 = ratio > 0      [Saito2015, eq. 4]
///
/// Departs: the paper takes one linearised step. Ours starts with that step and then repeats it
/// on the optimality condition p_i (p_i - s_i) = m, so that the product is met to rounding. Where
/// all of s is swollen to more than about 1.9 times the target several stationary points exist; one
/// of them is taken.
Eigen::Vector3d volume_singular_values(const Eigen::Vector3d& s, double ratio);

/// The matrix of determinant `ratio` nearest to F: U diag(volume_singular_values(s)) V^T.
Eigen::Matrix3d nearest_with_determinant(const Eigen::Matrix3d& F, double ratio);

}  // namespace sinew
