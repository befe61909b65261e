#include "sinew/energy/projective_prisms.h"

#include "sinew/energy/projective_checks.h"
#include "sinew/linalg/dense.h"
#include "sinew/linalg/svd3.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>

namespace sinew {

namespace {

constexpr double kFlatPrism = 1e-8;  // smallest over largest moment, below which F is not known
constexpr int kMostProjections = 40;
constexpr double kSameStretch = 1e-12;

}  // namespace

ProjectivePrisms::ProjectivePrisms(const Points& rest, std::span<const Prism> prisms,
                                   const Stretch& stretch)
    : ProjectiveConstraints(3), stretch_(stretch) {
    for (std::size_t i = 0; i < prisms.size(); ++i) {
        Eigen::Matrix<double, 3, 6, Eigen::RowMajor> X;
        for (int k = 0; k < 6; ++k) {
            X.col(k) = point(rest, prisms[i].corners[at(k)]);
        }
        const Vec3 normal = Vec3(X.col(1) - X.col(0)).cross(Vec3(X.col(2) - X.col(0)));
        X.colwise() -= X.rowwise().mean().eval();
        // F = sum_k x_k X_k^T A^-1 with A = sum_k X_k X_k^T, so F^T = A^-1 X x.
        const Mat3 A = X * X.transpose();
        const Vec3 moments = symmetric_eigen(A).values;
        if (!(moments[0] > kFlatPrism * moments[2]) || !(normal.norm() > 0.0)) {
            continue;
        }
        const Eigen::Matrix<double, 3, 6, Eigen::RowMajor> Q = A.inverse() * X;
        add(prisms[i].corners, {Q.data(), 18},
            detail::checked_weight("prisms", i, prisms[i].weight));
        normal_.push_back(normal.normalized());
    }
    finish();
}

// Alternates between the best rotation for a stretch and the best stretch for a rotation; each
// lowers the distance.
void ProjectivePrisms::project(std::size_t i, const Rows& q, Rows& p) const {
    const Mat3 F = q.transpose();
    const Vec3& n = normal_[i];
    double alpha = std::clamp((F * n).norm(), stretch_.least, stretch_.most);
    Mat3 R = Mat3::Identity();
    for (int step = 0; step < kMostProjections; ++step) {
        // S = I + (alpha - 1) n n^T.
        R = nearest_rotation(F + (alpha - 1.0) * (F * n) * n.transpose());
        const double next = std::clamp((R * n).dot(F * n), stretch_.least, stretch_.most);
        const bool is_same = std::abs(next - alpha) < kSameStretch;
        alpha = next;
        if (is_same) {
            break;
        }
    }
    p = (R + (alpha - 1.0) * (R * n) * n.transpose()).transpose();
}

}  // namespace sinew
