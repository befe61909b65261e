#include "sinew/linalg/svd3.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Turns columns p and q of A = F V until they are orthogonal. False when they already were.
bool orthogonalise(Matrix3d& A, Matrix3d& V, int p, int q) {
    const double along = A.col(p).dot(A.col(q));
    const double pp = A.col(p).squaredNorm();
    const double qq = A.col(q).squaredNorm();
    if (std::abs(along) <= std::numeric_limits<double>::epsilon() * std::sqrt(pp) * std::sqrt(qq)) {
        return false;
    }
    const double d = pp - qq;
    const double h = std::hypot(d, 2.0 * along);
    const double t = 2.0 * along / (d + std::copysign(h, d));
    const double c = 1.0 / std::sqrt(1.0 + t * t);
    const double s = c * t;
    for (Matrix3d* M : {&A, &V}) {
        const Vector3d u = M->col(p);
        const Vector3d v = M->col(q);
        M->col(p) = c * u + s * v;
        M->col(q) = c * v - s * u;
    }
    return true;
}

// Swaps two columns and turns one round, so that the determinant stays.
void swap_columns(Matrix3d& M, int p, int q) {
    const Vector3d u = M.col(p);
    M.col(p) = M.col(q);
    M.col(q) = -u;
}

Vector3d any_perpendicular(const Vector3d& u) {
    int axis = 0;
    u.cwiseAbs().minCoeff(&axis);
    return u.cross(Vector3d::Unit(axis)).normalized();
}

}  // namespace

SignedSvd signed_svd(const Matrix3d& F) {
    SignedSvd svd{Matrix3d::Identity(), Vector3d::Zero(), Matrix3d::Identity()};
    const double scale = F.cwiseAbs().maxCoeff();
    if (!(scale > 0.0) || !std::isfinite(scale)) {
        return svd;
    }
    Matrix3d A = F / scale;

    // Cyclic sweeps converge quadratically; a handful is the rule, the limit is never met.
    constexpr int kMaxSweeps = 30;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        const bool turned01 = orthogonalise(A, svd.V, 0, 1);
        const bool turned02 = orthogonalise(A, svd.V, 0, 2);
        const bool turned12 = orthogonalise(A, svd.V, 1, 2);
        if (!turned01 && !turned02 && !turned12) {
            break;
        }
    }

    // Longest column first.
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
        if (A.col(p).squaredNorm() < A.col(q).squaredNorm()) {
            swap_columns(A, p, q);
            swap_columns(svd.V, p, q);
        }
    }

    // U from the columns; the third by its sense alone, which carries the sign.
    const Vector3d u0 = A.col(0).normalized();
    Vector3d u1 = A.col(1) - u0 * u0.dot(A.col(1));
    const double size1 = u1.norm();
    u1 = size1 > std::numeric_limits<double>::min() ? (u1 / size1).eval() : any_perpendicular(u0);
    u1 = (u1 - u0 * u0.dot(u1)).normalized();
    svd.U << u0, u1, u0.cross(u1);
    const double s0 = A.col(0).norm();
    svd.s = scale * Vector3d(s0, std::min(s0, A.col(1).norm()), svd.U.col(2).dot(A.col(2)));
    return svd;
}

Matrix3d nearest_rotation(const Matrix3d& F) {
    const SignedSvd svd = signed_svd(F);
    return svd.U * svd.V.transpose();
}

Vector3d volume_singular_values(const Vector3d& s, double ratio) {
    // Unknown: the smallest value p2. Optimality gives m = p2 (p2 - s2) and
    // p_i = (s_i + sqrt(s_i^2 + 4 m)) / 2 for i = 0, 1; what remains is log(p0 p1 p2 / ratio) = 0.
    const double size = std::cbrt(ratio);
    const Vector3d g(s[1] * s[2], s[0] * s[2], s[0] * s[1]);
    const double gg = g.squaredNorm();
    double p2 = gg > 0.0 ? s[2] - (s.prod() - ratio) / gg * g[2] : size;
    p2 = std::max(p2, 0.25 * std::min(size, std::max(s[2], 0.5 * size)));
    Vector3d p = s;
    constexpr int kMaxSteps = 60;
    for (int step = 0; step < kMaxSteps; ++step) {
        const double m = p2 * (p2 - s[2]);
        double slope = 1.0 / p2;
        for (int i = 0; i < 2; ++i) {
            const double root = std::sqrt(std::max(s[i] * s[i] + 4.0 * m, 0.0));
            p[i] = 0.5 * (s[i] + root);
            slope += (2.0 * p2 - s[2]) / std::max(p[i] * root, std::numeric_limits<double>::min());
        }
        p[2] = p2;
        const double miss = p.prod() / ratio;
        const double change = slope > 0.0 ? -std::log(miss) / slope : -p2;
        const double next = std::clamp(p2 + change, 0.5 * p2, 4.0 * p2);
        if (std::abs(miss - 1.0) < 4.0 * std::numeric_limits<double>::epsilon()) {
            break;
        }
        p2 = next;
    }
    return p;
}

Matrix3d nearest_with_determinant(const Matrix3d& F, double ratio) {
    const SignedSvd svd = signed_svd(F);
    return svd.U * volume_singular_values(svd.s, ratio).asDiagonal() * svd.V.transpose();
}

}  // namespace sinew
