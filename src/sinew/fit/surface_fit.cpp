#include "sinew/fit/surface_fit.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/linalg/svd3.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>

// A surface that follows pulls and keeps its shape otherwise [Komaritzan, eqs. 4.1-4.3], see the
// header for the energy. With the rotations R_i held fixed it is quadratic: one sparse solve per
// step, three right-hand sides, the pattern analysed once. Rotations come from the edges around a
// vertex [Sorkine2007].
//
// Weights are given as wavelengths: for a sheet with bending weight b, what is shorter than 2 pi
// b^(1/4) is smoothed, hence b = (l / 2 pi)^4, whatever the mesh.

namespace sinew {
namespace {

constexpr std::size_t kFitPiece = 512;

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

// Cotangents that are not below a little more than 0: obtuse triangles keep the energy convex.
Rows safe_laplacian(const Points& x, const Triangles& triangles) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Index i = triangles(t, (k + 1) % 3);
            const Index j = triangles(t, (k + 2) % 3);
            const Vec3 a = point(x, i) - point(x, triangles(t, k));
            const Vec3 b = point(x, j) - point(x, triangles(t, k));
            const double across = a.cross(b).norm();
            const double limit = 1e-6 * a.norm() * b.norm();
            const double cot = a.dot(b) / std::max(across, limit + 1e-300);
            const double w = 0.5 * std::clamp(cot, 0.02, 20.0);
            entries.emplace_back(i, j, -w);
            entries.emplace_back(j, i, -w);
            entries.emplace_back(i, i, w);
            entries.emplace_back(j, j, w);
        }
    }
    Rows L(x.rows(), x.rows());
    L.setFromTriplets(entries.begin(), entries.end());
    return L;
}

double power(double wavelength, int exponent) {
    return std::pow(wavelength / (2.0 * kPi), exponent);
}

}  // namespace

struct SurfaceFit::Data {
    Points start;
    Triangles triangles;
    std::vector<double> stiffening;
    Rows L;
    Rows stretch;  // sum_ij c_ij (m_i + m_j) / 2, as a Laplacian
    Rows bend;     // L^T A^-1 m L
    Eigen::VectorXd area_inverse;
    Points laplacian;  // L x0
    SparseSymmetric A;
    std::vector<double> stretch_value;      // in A's pattern
    std::vector<std::int64_t> corner_slot;  // of triangle t, pair (a, b): 9 t + 3 a + b
    std::unique_ptr<SparseCholesky> cholesky;
    std::unique_ptr<SparseCholesky::Workspace> workspace;
    Points rhs;

    std::int64_t slot(int i, int j) const {
        const auto begin = A.column.begin() + A.start[at(i)];
        const auto end = A.column.begin() + A.start[at(i + 1)];
        return std::lower_bound(begin, end, j) - A.column.begin();
    }
    std::vector<Mat3> rotations(const Points& x) const;
    void fill_right_side(const Points& x, const SurfaceStiffness& stiffness);
    Points rotated_laplacian(const std::vector<Mat3>& R) const;
};

SurfaceFit::SurfaceFit(const TriangleMesh& start, std::vector<double> stiffening)
    : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    d.start = start.points;
    d.triangles = start.triangles;
    d.stiffening = std::move(stiffening);
    d.L = safe_laplacian(d.start, d.triangles);
    Eigen::VectorXd area = Eigen::VectorXd::Zero(d.start.rows());
    for (Eigen::Index t = 0; t < d.triangles.rows(); ++t) {
        const Vec3 a = point(d.start, d.triangles(t, 0));
        const Vec3 n =
            (point(d.start, d.triangles(t, 1)) - a).cross(point(d.start, d.triangles(t, 2)) - a);
        for (int k = 0; k < 3; ++k) {
            area[d.triangles(t, k)] += n.norm() / 6.0;
        }
    }
    // Slivers must not make single vertices stiff: no area far below the mean.
    const double mean = area.mean();
    d.area_inverse = area.cwiseMax(0.1 * mean).cwiseInverse();
    d.laplacian = d.L * d.start;
    Eigen::VectorXd weight = d.area_inverse;
    for (Eigen::Index i = 0; i < weight.size(); ++i) {
        weight[i] *= d.stiffening[at(i)];
    }
    d.bend = d.L.transpose() * weight.asDiagonal() * d.L;
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < d.L.outerSize(); ++i) {
        for (Rows::InnerIterator it(d.L, i); it; ++it) {
            const auto j = static_cast<int>(it.col());
            if (j > i) {
                const double w = -it.value() * 0.5 * (d.stiffening[at(i)] + d.stiffening[at(j)]);
                entries.emplace_back(i, j, -w);
                entries.emplace_back(j, i, -w);
                entries.emplace_back(i, i, w);
                entries.emplace_back(j, j, w);
            }
        }
    }
    d.stretch = Rows(d.start.rows(), d.start.rows());
    d.stretch.setFromTriplets(entries.begin(), entries.end());
    // The pattern of the bending term holds that of all others.
    d.bend.makeCompressed();
    d.A.size = static_cast<int>(d.start.rows());
    d.A.start.assign(d.bend.outerIndexPtr(), d.bend.outerIndexPtr() + d.A.size + 1);
    d.A.column.assign(d.bend.innerIndexPtr(), d.bend.innerIndexPtr() + d.bend.nonZeros());
    d.A.value.assign(d.A.column.size(), 0.0);
    d.stretch_value.assign(d.A.column.size(), 0.0);
    for (int i = 0; i < d.stretch.outerSize(); ++i) {
        for (Rows::InnerIterator it(d.stretch, i); it; ++it) {
            d.stretch_value[at(d.slot(i, static_cast<int>(it.col())))] = it.value();
        }
    }
    d.corner_slot.resize(9 * at(d.triangles.rows()));
    for (Eigen::Index t = 0; t < d.triangles.rows(); ++t) {
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                d.corner_slot[at(9 * t + 3 * a + b)] = d.slot(d.triangles(t, a), d.triangles(t, b));
            }
        }
    }
    d.cholesky = std::make_unique<SparseCholesky>(d.A, CholeskyOptions{.store_double = true});
    d.rhs.resize(d.start.rows(), 3);
}

SurfaceFit::~SurfaceFit() = default;

// The rotation nearest to sum_j c_ij (x_i - x_j) (x0_i - x0_j)^T [Sorkine2007].
std::vector<Mat3> SurfaceFit::Data::rotations(const Points& x) const {
    std::vector<Mat3> R(at(x.rows()));
    parallel_for(R.size(), kFitPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<int>(i);
            Mat3 S = Mat3::Zero();
            for (Rows::InnerIterator it(L, row); it; ++it) {
                const auto j = static_cast<Eigen::Index>(it.col());
                if (j != row) {
                    S -= it.value() * (point(x, row) - point(x, j)) *
                         (point(start, row) - point(start, j)).transpose();
                }
            }
            R[i] = nearest_rotation(S);
        }
    });
    return R;
}

Points SurfaceFit::Data::rotated_laplacian(const std::vector<Mat3>& R) const {
    Points wanted(start.rows(), 3);
    for (std::size_t i = 0; i < R.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        wanted.row(row) = (R[i] * point(laplacian, row)).transpose();
    }
    return wanted;
}

void SurfaceFit::Data::fill_right_side(const Points& x, const SurfaceStiffness& stiffness) {
    const std::vector<Mat3> R = rotations(x);
    Points wanted = rotated_laplacian(R);
    for (Eigen::Index i = 0; i < wanted.rows(); ++i) {
        wanted.row(i) *= area_inverse[i] * stiffening[at(i)];
    }
    rhs = power(stiffness.bending, 4) * (L.transpose() * wanted);
    // sum_j c_ij (R_i + R_j) / 2 (x0_i - x0_j)
    const double s = power(stiffness.stretch, 2);
    parallel_for(R.size(), kFitPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<int>(i);
            Vec3 sum = Vec3::Zero();
            for (Rows::InnerIterator it(stretch, row); it; ++it) {
                const auto j = static_cast<Eigen::Index>(it.col());
                if (j != row) {
                    sum -= it.value() *
                           (0.5 * (R[i] + R[at(j)]) * (point(start, row) - point(start, j)));
                }
            }
            rhs.row(row) += s * sum.transpose();
        }
    });
}

bool SurfaceFit::step(const std::vector<SurfacePull>& pulls, const SurfaceStiffness& stiffness,
                      Points& x) {
    Data& d = *data_;
    d.fill_right_side(x, stiffness);
    const double b = power(stiffness.bending, 4);
    const double s = power(stiffness.stretch, 2);
    const double* bend = d.bend.valuePtr();
    for (std::size_t k = 0; k < d.A.value.size(); ++k) {
        d.A.value[k] = b * bend[k] + s * d.stretch_value[k];
    }
    for (const SurfacePull& pull : pulls) {
        for (int i = 0; i < 3; ++i) {
            const double w = pull.weight * pull.barycentric[i];
            if (w == 0.0) {
                continue;
            }
            d.rhs.row(d.triangles(pull.triangle, i)) += w * pull.target.transpose();
            for (int j = 0; j < 3; ++j) {
                d.A.value[at(d.corner_slot[at(9 * pull.triangle + 3 * i + j)])] +=
                    w * pull.barycentric[j];
            }
        }
    }
    // A surface that nothing pulls stays where it is.
    const double hold = 1e-9 / d.area_inverse.mean();
    for (int i = 0; i < d.A.size; ++i) {
        d.A.value[at(d.slot(i, i))] += hold;
        d.rhs.row(i) += hold * x.row(i);
    }
    if (!d.cholesky->factor(d.A).is_positive_definite) {
        return false;
    }
    if (!d.workspace) {
        d.workspace = std::make_unique<SparseCholesky::Workspace>(d.cholesky->make_workspace());
    }
    const auto n = static_cast<std::size_t>(3 * x.rows());
    d.cholesky->solve({d.rhs.data(), n}, 3, {x.data(), n}, *d.workspace);
    return true;
}

double SurfaceFit::energy(const std::vector<SurfacePull>& pulls, const SurfaceStiffness& stiffness,
                          const Points& x_at, const Points& x) const {
    const Data& d = *data_;
    const std::vector<Mat3> R = d.rotations(x_at);
    const Points bend = d.L * x - d.rotated_laplacian(R);
    double sum = 0.0;
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        sum += power(stiffness.bending, 4) * d.area_inverse[i] * d.stiffening[at(i)] *
               bend.row(i).squaredNorm();
    }
    double stretch = 0.0;
    for (int i = 0; i < d.stretch.outerSize(); ++i) {
        for (Rows::InnerIterator it(d.stretch, i); it; ++it) {
            const auto j = static_cast<Eigen::Index>(it.col());
            if (j != i) {
                const Vec3 now = point(x, i) - point(x, j);
                const Vec3 then = point(d.start, i) - point(d.start, j);
                // Each edge is met from both ends.
                stretch -= 0.5 * it.value() *
                           (0.5 * (now - R[at(i)] * then).squaredNorm() +
                            0.5 * (now - R[at(j)] * then).squaredNorm());
            }
        }
    }
    sum += power(stiffness.stretch, 2) * stretch;
    for (const SurfacePull& pull : pulls) {
        Vec3 p = -pull.target;
        for (int k = 0; k < 3; ++k) {
            p += pull.barycentric[k] * point(x, d.triangles(pull.triangle, k));
        }
        sum += pull.weight * p.squaredNorm();
    }
    return sum;
}

}  // namespace sinew
