#include "sinew/base/error.h"
#include "sinew/geometry/uv_charts.h"
#include "sinew/linalg/cholesky.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

// From a disk of triangles in space to the plane, without a flip: the border goes to a circle and
// every inner vertex to the mean of its neighbours [Tutte1963]; then the symmetric Dirichlet energy
// falls by steps of scalable locally injective mappings [Rabinovich2017]. Each step minimises
//
//   sum_t A_t |W_t (J_t - R_t)|^2,   W_t = U diag(sqrt((s - s^-3) / (s - 1))) U^T,
//
// with J = U diag(s) V^T and R = U V^T, whose gradient is that of the energy where it starts, and
// goes along the line to it as far as the energy falls and no triangle loses its area.

namespace sinew {

namespace {

using Mat2 = Eigen::Matrix2d;
using Slopes = Eigen::Matrix<double, 3, 2>;  // of the three hat functions, 1/m

/// A triangle at rest, laid into the plane.
struct Rest {
    Slopes slope;
    double area;
};

std::vector<Rest> rest_of(const UvChart& chart, const Points& points) {
    std::vector<Rest> rest(chart.rows.size());
    for (std::size_t t = 0; t < rest.size(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        const auto p = [&](int k) {
            return point(points, chart.vertex[at(chart.triangles(row, k))]);
        };
        const Vec3 a = p(1) - p(0);
        const Vec3 b = p(2) - p(0);
        const double length = a.norm();
        const double height = a.cross(b).norm() / length;
        if (!(length > 0.0) || !(height > 1e-9 * length)) {
            throw InputError({.where = fmt::format("triangle {}", chart.rows[t]),
                              .found = "no area",
                              .needs = "triangles with area",
                              .remedy = "remesh or repair the surface"});
        }
        Mat2 E;
        E << length, a.dot(b) / length, 0.0, height;
        const Mat2 inverse = E.inverse();
        rest[t].slope << -inverse.colwise().sum(), inverse;
        rest[t].area = 0.5 * length * height;
    }
    return rest;
}

Mat2 jacobian(const UvChart& chart, const Rest& rest, std::size_t t, const FlatPoints& p) {
    Mat2 J = Mat2::Zero();
    for (int k = 0; k < 3; ++k) {
        J +=
            p.row(chart.triangles(static_cast<Eigen::Index>(t), k)).transpose() * rest.slope.row(k);
    }
    return J;
}

/// J = U diag(s) V^T for det J > 0: what is needed of it, in closed form.
struct Svd2 {
    Mat2 R;                                    // U V^T, a rotation
    Eigen::Vector2d s;                         // the larger one first
    Mat2 of(const Eigen::Vector2d& w) const {  // U diag(w) U^T
        Mat2 M = Mat2::Identity() * (0.5 * (w[0] + w[1]));
        M(0, 0) += 0.5 * (w[0] - w[1]) * cosine;
        M(1, 1) -= 0.5 * (w[0] - w[1]) * cosine;
        M(0, 1) += 0.5 * (w[0] - w[1]) * sine;
        M(1, 0) += 0.5 * (w[0] - w[1]) * sine;
        return M;
    }
    double cosine, sine;  // of twice the angle of the first column of U
};

Svd2 svd(const Mat2& J) {
    // In the plane J is a rotation times s plus a reflection times t, and its values are s +- t.
    const double p = 0.5 * (J(0, 0) + J(1, 1));
    const double q = 0.5 * (J(1, 0) - J(0, 1));
    const double s = std::hypot(p, q);
    Svd2 result;
    result.R << p / s, -q / s, q / s, p / s;
    const Mat2 S = J * result.R.transpose();  // U diag(s) U^T
    const double x = 0.5 * (S(0, 0) - S(1, 1));
    const double y = 0.5 * (S(0, 1) + S(1, 0));
    const double t = std::hypot(x, y);
    result.cosine = t > 0.0 ? x / t : 1.0;
    result.sine = t > 0.0 ? y / t : 0.0;
    result.s = {s + t, s - t};
    return result;
}

double energy(const UvChart& chart, const std::vector<Rest>& rest, const FlatPoints& p) {
    double sum = 0.0;
    for (std::size_t t = 0; t < rest.size(); ++t) {
        const Mat2 J = jacobian(chart, rest[t], t, p);
        const double d = J.determinant();
        if (!(d > 0.0)) {
            return std::numeric_limits<double>::infinity();
        }
        // |J^-1|^2 = |J|^2 / det^2 in the plane.
        const double square = J.squaredNorm();
        sum += rest[t].area * square * (1.0 + 1.0 / (d * d));
    }
    return sum;
}

/// Solves A x = b for three interleaved right-hand sides.
std::vector<double> solved(const SparseSymmetric& A, std::vector<double> b) {
    SparseCholesky factor(A, {.store_double = true});
    [[maybe_unused]] const FactorResult result = factor.factor(A);
    SINEW_ASSERT(result.is_positive_definite, "pivot {} of {}", result.pivot, A.size);
    SparseCholesky::Workspace workspace = factor.make_workspace();
    factor.solve(b, 3, b, workspace);
    return b;
}

/// Border on a circle, all others at the mean of their neighbours.
FlatPoints convex_embedding(const UvChart& chart, const Points& points, double radius) {
    const auto count = static_cast<Eigen::Index>(chart.vertex.size());
    FlatPoints p = FlatPoints::Zero(count, 2);
    const std::vector<Index> border = boundary_loops(chart.triangles)[0];
    std::vector<double> along = {0.0};
    for (std::size_t i = 0; i < border.size(); ++i) {
        const Index a = chart.vertex[at(border[i])];
        const Index b = chart.vertex[at(border[(i + 1) % border.size()])];
        along.push_back(along.back() + (points.row(a) - points.row(b)).norm());
    }
    std::vector<Index> unknown(chart.vertex.size(), 0);
    for (std::size_t i = 0; i < border.size(); ++i) {
        const double angle = 2.0 * M_PI * along[i] / along.back();
        p.row(border[i]) << radius * std::cos(angle), radius * std::sin(angle);
        unknown[at(border[i])] = -1;
    }
    Index next = 0;
    for (Index& u : unknown) {
        u = u < 0 ? -1 : next++;
    }
    if (next == 0) {
        return p;
    }
    Triplets entries(next);
    std::vector<double> b(3 * at(next), 0.0);
    const Edges edges = unique_edges(chart.triangles);
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        for (const int k : {0, 1}) {
            const Index i = unknown[at(edges(e, k))];
            const Index j = unknown[at(edges(e, 1 - k))];
            if (i < 0) {
                continue;
            }
            entries.add(i, i, 1.0);
            if (j < 0) {
                b[3 * at(i)] += p(edges(e, 1 - k), 0);
                b[3 * at(i) + 1] += p(edges(e, 1 - k), 1);
            } else if (k == 0) {
                entries.add(i, j, -1.0);
            }
        }
    }
    const std::vector<double> x = solved(assemble(entries), std::move(b));
    for (std::size_t v = 0; v < unknown.size(); ++v) {
        if (unknown[v] >= 0) {
            p.row(static_cast<Eigen::Index>(v)) << x[3 * at(unknown[v])], x[3 * at(unknown[v]) + 1];
        }
    }
    return p;
}

/// The matrices of a chart's proxies have one pattern, which is analysed once.
struct KeptFactor {
    std::optional<SparseAssembly> assembly = {};
    std::optional<SparseCholesky> factor = {};

    std::vector<double> solved(const Triplets& entries, std::vector<double> b) {
        if (assembly) {
            assembly->refill(entries);
        } else {
            assembly.emplace(entries);
            factor.emplace(assembly->matrix(), CholeskyOptions{.store_double = true});
        }
        [[maybe_unused]] const FactorResult result = factor->factor(assembly->matrix());
        SINEW_ASSERT(result.is_positive_definite, "pivot {}", result.pivot);
        SparseCholesky::Workspace workspace = factor->make_workspace();
        factor->solve(b, 1, b, workspace);
        return b;
    }
};

/// Where the quadratic proxy at p is least.
FlatPoints proxy_minimum(const UvChart& chart, const std::vector<Rest>& rest, const FlatPoints& p,
                         KeptFactor& kept) {
    const auto count = static_cast<int>(p.rows());
    Triplets entries(2 * count);
    std::vector<double> b(2 * at(count), 0.0);
    for (std::size_t t = 0; t < rest.size(); ++t) {
        const Svd2 J = svd(jacobian(chart, rest[t], t, p));
        Eigen::Vector2d w;
        for (int k = 0; k < 2; ++k) {
            // (s - s^-3) / (s - 1) = (1 + s)(1 + s^2) / s^3
            const double s = J.s[k];
            w[k] = (1.0 + s) * (1.0 + s * s) / (s * s * s);
        }
        const Mat2 W = rest[t].area * J.of(w);
        const Mat2 WR = W * J.R;
        for (int k = 0; k < 3; ++k) {
            const Index i = chart.triangles(static_cast<Eigen::Index>(t), k);
            const Eigen::Vector2d force = WR * rest[t].slope.row(k).transpose();
            b[2 * at(i)] += force[0];
            b[2 * at(i) + 1] += force[1];
            for (int l = 0; l <= k; ++l) {
                const Index j = chart.triangles(static_cast<Eigen::Index>(t), l);
                const Mat2 block = rest[t].slope.row(k).dot(rest[t].slope.row(l)) * W;
                entries.add(2 * i, 2 * j, block(0, 0));
                entries.add(2 * i + 1, 2 * j + 1, block(1, 1));
                entries.add(2 * i, 2 * j + 1, block(0, 1));
                if (k != l) {
                    entries.add(2 * i + 1, 2 * j, block(1, 0));
                }
            }
        }
    }
    // A pull to where it is fixes the position in the plane.
    constexpr double kPull = 1e-6;  // of the stiffness of a triangle, which has no unit
    for (int i = 0; i < 2 * count; ++i) {
        entries.add(i, i, kPull);
        b[at(i)] += kPull * p.data()[i];
    }
    const std::vector<double> x = kept.solved(entries, std::move(b));
    return Eigen::Map<const FlatPoints>(x.data(), count, 2);
}

/// The longest step along d at which some triangle loses its area; infinity where none does.
double first_collapse(const UvChart& chart, const FlatPoints& p, const FlatPoints& d) {
    double first = std::numeric_limits<double>::infinity();
    for (Eigen::Index t = 0; t < chart.triangles.rows(); ++t) {
        const auto edges = [&](const FlatPoints& of) {
            Mat2 E;
            E << (of.row(chart.triangles(t, 1)) - of.row(chart.triangles(t, 0))).transpose(),
                (of.row(chart.triangles(t, 2)) - of.row(chart.triangles(t, 0))).transpose();
            return E;
        };
        const Mat2 E = edges(p);
        const Mat2 D = edges(d);
        // det(E + s D) = c + b s + a s^2
        const double a = D.determinant();
        const double c = E.determinant();
        const double b = (E + D).determinant() - a - c;
        const double root = b * b - 4.0 * a * c;
        if (root < 0.0) {
            continue;
        }
        const double q = -0.5 * (b + std::copysign(std::sqrt(root), b));
        for (const double s : {a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0}) {
            if (s > 0.0) {
                first = std::min(first, s);
            }
        }
    }
    return first;
}

}  // namespace

FlatPoints flatten(const UvChart& chart, const Points& points, int iterations) {
    const std::vector<Rest> rest = rest_of(chart, points);
    double area = 0.0;
    for (const Rest& r : rest) {
        area += r.area;
    }
    FlatPoints p = convex_embedding(chart, points, std::sqrt(area / M_PI));
    double now = energy(chart, rest, p);
    if (!std::isfinite(now)) {
        throw InputError({.where = "charts of a surface",
                          .found = fmt::format("a chart of {} triangles that has no convex "
                                               "embedding in double precision",
                                               rest.size()),
                          .needs = "charts that are flatter",
                          .remedy = "give its parts labels of their own"});
    }
    // A chart without stretch has 4 times its area.
    constexpr double kEnough = 0.03;  // of what the energy has above that
    KeptFactor kept;
    for (int i = 0; i < iterations; ++i) {
        const FlatPoints d = proxy_minimum(chart, rest, p, kept) - p;
        double step = std::min(1.0, 0.8 * first_collapse(chart, p, d));
        const double before = now;
        for (; step > 1e-8; step *= 0.5) {
            const FlatPoints there = p + step * d;
            if (const double value = energy(chart, rest, there); value < now) {
                p = there;
                now = value;
                break;
            }
        }
        if (!(before - now > kEnough * (now - 4.0 * area))) {
            break;
        }
    }
    return p;
}

std::vector<double> stretches(const UvChart& chart, const Points& points, const FlatPoints& flat) {
    const std::vector<Rest> rest = rest_of(chart, points);
    std::vector<double> stretch(rest.size());
    for (std::size_t t = 0; t < rest.size(); ++t) {
        const Mat2 J = jacobian(chart, rest[t], t, flat);
        const Eigen::Vector2d s = svd(J).s;
        stretch[t] = J.determinant() > 0.0 ? std::max(s[0], 1.0 / s[1])
                                           : std::numeric_limits<double>::infinity();
    }
    return stretch;
}

}  // namespace sinew
