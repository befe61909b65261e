#include "sinew/material/stretches.h"

#include "sinew/linalg/dense.h"

#include <algorithm>

namespace sinew {

Mat3 without_negative_eigenvalues(const Mat3& A) {
    const SymmetricEigen3 eigen = symmetric_eigen(A);
    const Vec3 values = eigen.values.cwiseMax(0.0);
    return eigen.vectors * values.asDiagonal() * eigen.vectors.transpose();
}

Mat9 tangent_from_stretches(const SignedSvd& s, const StretchDerivatives& d, Tangent kind) {
    using Vec9 = Eigen::Matrix<double, 9, 1>;
    const bool clamp = kind == Tangent::PositiveSemidefinite;
    const auto mode = [&](int i, int j) -> Mat3 { return s.U.col(i) * s.V.col(j).transpose(); };

    // Stretching modes: sum_ij psi_ij d_i d_j^T with d_i = vec(u_i v_i^T).
    Eigen::Matrix<double, 9, 3> D;
    for (int i = 0; i < 3; ++i) {
        D.col(i) = mode(i, i).reshaped();
    }
    const Mat3 A = clamp ? without_negative_eigenvalues(d.stretch) : d.stretch;
    const Eigen::Matrix<double, 9, 3> DA = D * A;
    Mat9 H = DA.lazyProduct(D.transpose());

    // Flips and twists in the three planes.
    for (int k = 0; k < 3; ++k) {
        const Mat3 ij = mode((k + 1) % 3, (k + 2) % 3);
        const Mat3 ji = mode((k + 2) % 3, (k + 1) % 3);
        const Vec9 flip = (ij + ji).reshaped();
        const Vec9 twist = (ij - ji).reshaped();
        const double flip_value = 0.5 * (clamp ? std::max(d.flip[k], 0.0) : d.flip[k]);
        const double twist_value = 0.5 * (clamp ? std::max(d.twist[k], 0.0) : d.twist[k]);
        H.noalias() += (flip_value * flip) * flip.transpose();
        H.noalias() += (twist_value * twist) * twist.transpose();
    }
    return H;
}

}  // namespace sinew
