#include "sinew/energy/pressure.h"

#include "sinew/base/error.h"

#include <Eigen/Geometry>

#include <array>

namespace sinew {

namespace {

/// Shape functions of a triangle and their derivatives at one point.
struct FaceShape {
    std::array<double, 6> N;
    std::array<double, 6> by_xi;
    std::array<double, 6> by_eta;
    double weight;  // sum 1/2
};

// Corners 1 - xi - eta, xi, eta; for linear triangles one point suffices, since N is then
// integrated exactly; six nodes take the rule of six points, exact to degree 4: N times two
// derivatives.
std::vector<FaceShape> face_shapes(Eigen::Index nodes) {
    const double dl[3][2] = {{-1.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}};
    std::vector<FaceShape> shapes;
    if (nodes == 3) {
        FaceShape s{};
        for (std::size_t i = 0; i < 3; ++i) {
            s.N[i] = 1.0 / 3.0;
            s.by_xi[i] = dl[i][0];
            s.by_eta[i] = dl[i][1];
        }
        s.weight = 0.5;
        return {s};
    }
    constexpr double kRule[2][2] = {{0.445948490915965, 0.223381589678011},
                                    {0.091576213509771, 0.109951743655322}};
    for (const auto& [b, w] : kRule) {
        for (int k = 0; k < 3; ++k) {
            std::array<double, 3> l;
            for (int i = 0; i < 3; ++i) {
                l[at(i)] = (i == k ? 1.0 - 2.0 * b : b);
            }
            FaceShape s{};
            for (std::size_t i = 0; i < 3; ++i) {
                s.N[i] = l[i] * (2.0 * l[i] - 1.0);
                s.by_xi[i] = (4.0 * l[i] - 1.0) * dl[i][0];
                s.by_eta[i] = (4.0 * l[i] - 1.0) * dl[i][1];
                const std::size_t j = (i + 1) % 3;
                s.N[3 + i] = 4.0 * l[i] * l[j];
                s.by_xi[3 + i] = 4.0 * (l[i] * dl[j][0] + l[j] * dl[i][0]);
                s.by_eta[3 + i] = 4.0 * (l[i] * dl[j][1] + l[j] * dl[i][1]);
            }
            s.weight = 0.5 * w;
            shapes.push_back(s);
        }
    }
    return shapes;
}

Mat3 cross_product_matrix(const Vec3& a) {
    Mat3 m;
    // clang-format off
    m <<      0, -a.z(),  a.y(),
          a.z(),      0, -a.x(),
         -a.y(),  a.x(),      0;
    // clang-format on
    return m;
}

/// Tangents x_,xi and x_,eta of one triangle at one point.
struct Tangents {
    Vec3 xi = Vec3::Zero();
    Vec3 eta = Vec3::Zero();
};

Tangents tangents(const SurfaceNodes& triangles, Eigen::Index t, const FaceShape& s,
                  const Points& x) {
    Tangents d;
    for (Eigen::Index i = 0; i < triangles.cols(); ++i) {
        const Vec3 p = point(x, triangles(t, i));
        d.xi += s.by_xi[at(i)] * p;
        d.eta += s.by_eta[at(i)] * p;
    }
    return d;
}

}  // namespace

Pressure::Pressure(SurfaceNodes triangles, std::vector<double> pressure)
    : triangles_(std::move(triangles)), pressure_(std::move(pressure)) {
    SINEW_ASSERT(pressure_.size() == static_cast<std::size_t>(triangles_.rows()),
                 "{} pressures for {} triangles", pressure_.size(), triangles_.rows());
}

double Pressure::value(const Points& /*x*/) const {
    return 0.0;
}

// Along a straight step the force is a polynomial of degree 2: Simpson's rule is exact.
double Pressure::work(const Points& from, const Points& to) const {
    Points sum = Points::Zero(from.rows(), 3);
    Points g = sum;
    add_gradient(from, g);
    sum += g / 6.0;
    g.setZero();
    add_gradient(0.5 * (from + to), g);
    sum += g * (4.0 / 6.0);
    g.setZero();
    add_gradient(to, g);
    sum += g / 6.0;
    return -sum.cwiseProduct(to - from).sum();
}

void Pressure::add_gradient(const Points& x, Points& gradient) const {
    const std::vector<FaceShape> shapes = face_shapes(triangles_.cols());
    for (Eigen::Index t = 0; t < triangles_.rows(); ++t) {
        const double p = factor_ * pressure_[at(t)];
        for (const FaceShape& s : shapes) {
            const Tangents d = tangents(triangles_, t, s, x);
            const Vec3 n = p * s.weight * d.xi.cross(d.eta);
            for (Eigen::Index i = 0; i < triangles_.cols(); ++i) {
                gradient.row(triangles_(t, i)) += s.N[at(i)] * n.transpose();
            }
        }
    }
}

void Pressure::add_pattern(BlockPattern& pattern) const {
    for (Eigen::Index t = 0; t < triangles_.rows(); ++t) {
        pattern.couple({&triangles_(t, 0), static_cast<std::size_t>(triangles_.cols())});
    }
}

void Pressure::add_hessian(const Points& x, Tangent kind, BlockHessian& H) const {
    if (kind == Tangent::PositiveSemidefinite) {
        return;
    }
    const std::vector<FaceShape> shapes = face_shapes(triangles_.cols());
    const Eigen::Index nodes = triangles_.cols();
    std::array<std::array<Mat3, 6>, 6> K;
    for (Eigen::Index t = 0; t < triangles_.rows(); ++t) {
        for (auto& row : K) {
            row.fill(Mat3::Zero());
        }
        for (const FaceShape& s : shapes) {
            const Tangents d = tangents(triangles_, t, s, x);
            const double p = factor_ * pressure_[at(t)] * s.weight;
            const Mat3 by_xi = cross_product_matrix(d.eta);
            const Mat3 by_eta = cross_product_matrix(d.xi);
            for (Eigen::Index j = 0; j < nodes; ++j) {
                // d(x_xi x x_eta) = N_j,eta x_xi x dx_j - N_j,xi x_eta x dx_j
                const Mat3 D = p * (s.by_eta[at(j)] * by_eta - s.by_xi[at(j)] * by_xi);
                for (Eigen::Index i = 0; i < nodes; ++i) {
                    K[at(i)][at(j)] += s.N[at(i)] * D;
                }
            }
        }
        for (Eigen::Index i = 0; i < nodes; ++i) {
            for (Eigen::Index j = 0; j <= i; ++j) {
                const Mat3 symmetric = 0.5 * (K[at(i)][at(j)] + K[at(j)][at(i)].transpose());
                H.add(triangles_(t, i), triangles_(t, j), symmetric);
            }
        }
    }
}

std::vector<double> surface_areas(const SurfaceNodes& triangles, const Points& x) {
    std::vector<double> areas;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const Vec3 o = point(x, triangles(t, 0));
        areas.push_back(
            0.5 * (point(x, triangles(t, 1)) - o).cross(point(x, triangles(t, 2)) - o).norm());
    }
    return areas;
}

Points traction_forces(const SurfaceNodes& triangles, const Points& rest, const Points& traction) {
    Points forces = Points::Zero(rest.rows(), 3);
    const std::vector<double> areas = surface_areas(triangles, rest);
    const Eigen::Index first = triangles.cols() == 6 ? 3 : 0;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (Eigen::Index i = first; i < first + 3; ++i) {
            forces.row(triangles(t, i)) += areas[at(t)] / 3.0 * traction.row(t);
        }
    }
    return forces;
}

}  // namespace sinew
