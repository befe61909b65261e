#include "sinew/muscle/spline_solid.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Tensor products of cubic B-splines with clamped uniform knots, their derivative, and the inverse
// by Newton's method [Teran2003, section 6]. Clamped knots make the solid end at its outermost
// control points. The inverse starts from the four nearest of a coarse grid of samples; steps are
// halved until the distance falls, and parameters stay within the domain, give or take 2 %.

namespace sinew {

namespace {

constexpr int kSplineDegree = 3;
/// Beyond the domain by this much the outermost polynomial still serves.
constexpr double kSlack = 0.02;

double knot(int i, int n) {
    return std::clamp(static_cast<double>(i - kSplineDegree) / (n - kSplineDegree), 0.0, 1.0);
}

/// The four basis functions that are not zero at t, and their derivatives.
struct Basis {
    int first = 0;
    std::array<double, 4> value = {};
    std::array<double, 4> slope = {};
};

// Derivative of a cubic B-spline: differences of quadratic ones over their knot spans.
Basis basis_at(double t, int n) {
    const int span =
        std::clamp(static_cast<int>(std::floor(t * (n - kSplineDegree))), 0, n - kSplineDegree - 1);
    const int k = span + kSplineDegree;
    // Cox-de Boor, degree by degree; the quadratic ones give the derivative.
    std::array<double, 4> N = {1.0, 0.0, 0.0, 0.0};
    std::array<double, 4> quadratic = {};
    for (int d = 1; d <= kSplineDegree; ++d) {
        if (d == kSplineDegree) {
            quadratic = N;
        }
        std::array<double, 4> next = {};
        for (int j = 0; j < d; ++j) {
            const double left = knot(k - d + 1 + j, n);
            const double right = knot(k + 1 + j, n);
            const double share = N[at(j)] / (right - left);
            next[at(j)] += share * (right - t);
            next[static_cast<std::size_t>(j) + 1] += share * (t - left);
        }
        N = next;
    }
    Basis b{.first = k - kSplineDegree, .value = N};
    for (int j = 0; j < 3; ++j) {
        const double width = knot(k + 1 + j, n) - knot(k - 2 + j, n);
        const double s = kSplineDegree * quadratic[at(j)] / width;
        b.slope[at(j)] -= s;
        b.slope[static_cast<std::size_t>(j) + 1] += s;
    }
    return b;
}

/// Number of the first of four control points along u, in row j and layer k of those that count.
Eigen::Index first_control(const Basis& u, const Basis& v, const Basis& w, std::size_t j,
                           std::size_t k, const std::array<int, 3>& counts) {
    const auto layer = static_cast<Eigen::Index>(w.first + static_cast<int>(k));
    return (layer * counts[1] + v.first + static_cast<int>(j)) * counts[0] + u.first;
}

}  // namespace

double SplineSolid::greville(int i, int n) {
    return (knot(i + 1, n) + knot(i + 2, n) + knot(i + 3, n)) / 3.0;
}

SplineSolid::SplineSolid(std::array<int, 3> counts, Points control)
    : counts_(counts), control_(std::move(control)) {
    const bool is_valid =
        *std::min_element(counts.begin(), counts.end()) >= 4 &&
        control_.rows() == static_cast<Eigen::Index>(counts[0]) * counts[1] * counts[2] &&
        control_.allFinite();
    if (!is_valid) {
        throw InputError({.where = "spline solid",
                          .found = fmt::format("{} control points for {} x {} x {}",
                                               control_.rows(), counts[0], counts[1], counts[2]),
                          .needs = "finite control points, at least 4 along each axis",
                          .remedy = "give as many as the product of the counts"});
    }
    const std::array<int, 3> size = {5, 5, 3 * counts[2]};
    samples_.resize(static_cast<Eigen::Index>(size[0]) * size[1] * size[2], 3);
    for (int k = 0; k < size[2]; ++k) {
        for (int j = 0; j < size[1]; ++j) {
            for (int i = 0; i < size[0]; ++i) {
                const Vec3 at((i + 0.5) / size[0], (j + 0.5) / size[1], (k + 0.5) / size[2]);
                samples_.row(static_cast<Eigen::Index>(sample_uvw_.size())) =
                    position(at).transpose();
                sample_uvw_.push_back(at);
            }
        }
    }
}

Vec3 SplineSolid::position(const Vec3& uvw) const {
    const Basis u = basis_at(uvw.x(), counts_[0]);
    const Basis v = basis_at(uvw.y(), counts_[1]);
    const Basis w = basis_at(uvw.z(), counts_[2]);
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t j = 0; j < 4; ++j) {
            const Eigen::Index row = first_control(u, v, w, j, k, counts_);
            for (std::size_t i = 0; i < 4; ++i) {
                sum += u.value[i] * v.value[j] * w.value[k] *
                       point(control_, row + static_cast<Eigen::Index>(i));
            }
        }
    }
    return sum;
}

Mat3 SplineSolid::derivative(const Vec3& uvw) const {
    const Basis u = basis_at(uvw.x(), counts_[0]);
    const Basis v = basis_at(uvw.y(), counts_[1]);
    const Basis w = basis_at(uvw.z(), counts_[2]);
    Mat3 D = Mat3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t j = 0; j < 4; ++j) {
            const Eigen::Index row = first_control(u, v, w, j, k, counts_);
            for (std::size_t i = 0; i < 4; ++i) {
                const Vec3 q = point(control_, row + static_cast<Eigen::Index>(i));
                D.col(0) += u.slope[i] * v.value[j] * w.value[k] * q;
                D.col(1) += u.value[i] * v.slope[j] * w.value[k] * q;
                D.col(2) += u.value[i] * v.value[j] * w.slope[k] * q;
            }
        }
    }
    return D;
}

// Steps are clamped to the domain: outside, the outermost polynomial may fold back.
SplineSolid::Inverse SplineSolid::invert(const Vec3& x, double tolerance) const {
    Inverse result;
    // A few seeds: where a solid bends, the nearest sample may lie on the wrong side.
    constexpr int kSeeds = 4;
    std::vector<std::pair<double, Eigen::Index>> order;
    for (Eigen::Index s = 0; s < samples_.rows(); ++s) {
        order.emplace_back((point(samples_, s) - x).squaredNorm(), s);
    }
    std::partial_sort(order.begin(), order.begin() + kSeeds, order.end());
    for (int seed = 0; seed < kSeeds; ++seed) {
        Vec3 t = sample_uvw_[at(order[at(seed)].second)];
        Vec3 r = position(t) - x;
        constexpr int kMost = 40;
        for (int i = 0; i < kMost && r.norm() > 0.01 * tolerance; ++i) {
            ++result.iterations;
            const Vec3 step = derivative(t).fullPivLu().solve(r);
            double share = 1.0;
            bool is_better = false;
            for (; share > 1e-3 && !is_better; share *= 0.5) {
                const Vec3 there = (t - share * step).cwiseMax(-kSlack).cwiseMin(1.0 + kSlack);
                const Vec3 rest = position(there) - x;
                if (rest.norm() < r.norm()) {
                    t = there;
                    r = rest;
                    is_better = true;
                }
            }
            if (!is_better) {
                break;
            }
        }
        if (seed == 0 || r.norm() < result.error) {
            result.error = r.norm();
            result.uvw = t;
        }
        if (result.error <= tolerance) {
            result.has_converged = true;
            break;
        }
    }
    return result;
}

InverseMapReport check_inverse_map(const SplineSolid& solid, const TetMesh& mesh) {
    const auto count = static_cast<std::size_t>(mesh.tets.rows());
    std::vector<SplineSolid::Inverse> found(count);
    parallel_for(count, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            Vec3 centre = Vec3::Zero();
            for (int c = 0; c < 4; ++c) {
                centre += 0.25 * point(mesh.points, mesh.tets(static_cast<Eigen::Index>(t), c));
            }
            found[t] = solid.invert(centre);
        }
    });
    InverseMapReport report;
    for (const SplineSolid::Inverse& f : found) {
        report.converged += f.has_converged ? 1.0 : 0.0;
        report.largest_error = std::max(report.largest_error, f.has_converged ? f.error : 0.0);
        report.mean_iterations += f.iterations;
    }
    report.converged /= static_cast<double>(std::max<std::size_t>(1, count));
    report.mean_iterations /= static_cast<double>(std::max<std::size_t>(1, count));
    return report;
}

}  // namespace sinew
