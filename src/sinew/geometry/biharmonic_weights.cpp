#include "sinew/geometry/biharmonic_weights.h"

#include "sinew/base/error.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/linalg/cholesky.h"
#include "sinew/mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sinew {

namespace {

constexpr int kMostSets = 30;        // active sets tried
constexpr double kOutside = 1e-9;    // of a bound, that counts as inside
constexpr double kSmallMass = 1e-3;  // of the mean: smaller areas would rule the energy

// Q = L M^-1 L, without unit: areas are divided by their mean.
SparseSymmetric bilaplacian(const TriangleMesh& mesh) {
    const Eigen::SparseMatrix<double> L = cotangent_laplacian(mesh.points, mesh.triangles);
    const Eigen::VectorXd mass = lumped_mass(mesh.points, mesh.triangles);
    const double mean = mass.mean();
    Triplets triplets(static_cast<int>(L.cols()));
    std::vector<int> index;
    std::vector<double> entries;
    // The sum over vertices of (row of L)^T (row of L) / mass; L is symmetric.
    for (int k = 0; k < L.outerSize(); ++k) {
        index.clear();
        entries.clear();
        for (Eigen::SparseMatrix<double>::InnerIterator it(L, k); it; ++it) {
            index.push_back(static_cast<int>(it.row()));
            entries.push_back(it.value());
        }
        triplets.add_outer(index, entries, 1.0 / std::max(kSmallMass, mass[k] / mean));
    }
    return assemble(triplets);
}

enum class Hold : signed char { Free, AtZero, AtOne, Given };

// Minimises w^T Q w / 2 with some values given and all in [0, 1].
Eigen::VectorXd bounded_minimum(const SparseSymmetric& Q, std::vector<Hold> side,
                                Eigen::VectorXd w) {
    Eigen::VectorXd gradient(w.size());
    const auto measure = [&] {
        multiply(Q, {w.data(), at(w.size())}, 1, {gradient.data(), at(w.size())});
    };
    for (int round = 0; round < kMostSets; ++round) {
        std::vector<int> free;
        for (Eigen::Index i = 0; i < w.size(); ++i) {
            if (side[at(i)] == Hold::Free) {
                free.push_back(static_cast<int>(i));
                w[i] = 0.0;
            } else if (side[at(i)] != Hold::Given) {
                w[i] = side[at(i)] == Hold::AtOne ? 1.0 : 0.0;
            }
        }
        // Q_ff w_f = -Q_fa w_a
        measure();
        std::vector<double> values(free.size());
        for (std::size_t k = 0; k < free.size(); ++k) {
            values[k] = -gradient[free[k]];
        }
        if (!free.empty()) {
            const SparseSymmetric inner = submatrix(Q, free);
            SparseCholesky factor(inner, {.store_double = true});
            if (!factor.factor(inner).is_positive_definite) {
                break;
            }
            SparseCholesky::Workspace workspace = factor.make_workspace();
            factor.solve(values, 1, values, workspace);
        }
        for (std::size_t k = 0; k < free.size(); ++k) {
            w[free[k]] = values[k];
        }
        // What left its bounds is held there; what pulls away from them is let go.
        measure();
        bool changes = false;
        for (Eigen::Index i = 0; i < w.size(); ++i) {
            Hold& s = side[at(i)];
            const Hold before = s;
            if (s == Hold::Free && w[i] < -kOutside) {
                s = Hold::AtZero;
            } else if (s == Hold::Free && w[i] > 1.0 + kOutside) {
                s = Hold::AtOne;
            } else if ((s == Hold::AtZero && gradient[i] < -kOutside) ||
                       (s == Hold::AtOne && gradient[i] > kOutside)) {
                s = Hold::Free;
            }
            changes = changes || s != before;
        }
        if (!changes) {
            break;
        }
    }
    return w.cwiseMax(0.0).cwiseMin(1.0);
}

// Vertices of pieces without any handle are given the handle nearest to the piece's first vertex,
// those that no triangle uses the one nearest to themselves.
std::vector<Index> with_lone_pieces(const TriangleMesh& mesh, std::span<const Index> handle_of) {
    std::vector<Index> result(handle_of.begin(), handle_of.end());
    const Eigen::Index vertices = mesh.points.rows();
    const Components pieces = connected_components(mesh.triangles, vertices);
    std::vector<Index> piece(at(vertices), -1);
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            piece[at(mesh.triangles(t, k))] = pieces.of_triangle[at(t)];
        }
    }
    std::vector<bool> is_held(at(pieces.count), false);
    for (std::size_t v = 0; v < piece.size(); ++v) {
        if (piece[v] >= 0 && handle_of[v] >= 0) {
            is_held[at(piece[v])] = true;
        }
    }
    const auto nearest = [&](std::size_t v) {
        double least = 1e300;
        Index handle = 0;
        for (std::size_t o = 0; o < handle_of.size(); ++o) {
            const double d = (mesh.points.row(static_cast<Eigen::Index>(o)) -
                              mesh.points.row(static_cast<Eigen::Index>(v)))
                                 .squaredNorm();
            if (handle_of[o] >= 0 && d < least) {
                least = d;
                handle = handle_of[o];
            }
        }
        return handle;
    };
    std::vector<Index> handle_of_piece(at(pieces.count), -1);
    for (std::size_t v = 0; v < piece.size(); ++v) {
        if (result[v] >= 0 || (piece[v] >= 0 && is_held[at(piece[v])])) {
            continue;
        }
        if (piece[v] < 0) {
            result[v] = nearest(v);
            continue;
        }
        Index& handle = handle_of_piece[at(piece[v])];
        handle = handle < 0 ? nearest(v) : handle;
        result[v] = handle;
    }
    return result;
}

}  // namespace

Eigen::MatrixXd biharmonic_weights(const TriangleMesh& mesh, std::span<const Index> handle_of,
                                   Index handles) {
    SINEW_ASSERT(handle_of.size() == at(mesh.points.rows()), "{} vertices, {} handles",
                 mesh.points.rows(), handle_of.size());
    if (std::none_of(handle_of.begin(), handle_of.end(), [](Index h) { return h >= 0; })) {
        throw InputError({.where = "handles of a surface",
                          .found = fmt::format("none of {} vertices in one", handle_of.size()),
                          .needs = "a vertex in the region of a handle",
                          .remedy = "widen the regions"});
    }
    const std::vector<Index> region = with_lone_pieces(mesh, handle_of);
    const SparseSymmetric Q = bilaplacian(mesh);
    Eigen::MatrixXd weights(mesh.points.rows(), handles);
    // The last of two is what the first leaves.
    const Index solved = handles <= 2 ? handles - 1 : handles;
    for (Index h = 0; h < solved; ++h) {
        std::vector<Hold> side(region.size(), Hold::Free);
        Eigen::VectorXd w = Eigen::VectorXd::Zero(mesh.points.rows());
        for (std::size_t v = 0; v < region.size(); ++v) {
            if (region[v] >= 0) {
                side[v] = Hold::Given;
                w[static_cast<Eigen::Index>(v)] = region[v] == h ? 1.0 : 0.0;
            }
        }
        weights.col(h) = bounded_minimum(Q, std::move(side), std::move(w));
    }
    if (handles <= 2) {
        weights.col(handles - 1).setOnes();
        for (Index h = 0; h < handles - 1; ++h) {
            weights.col(handles - 1) -= weights.col(h);
        }
        return weights;
    }
    for (Eigen::Index v = 0; v < weights.rows(); ++v) {
        const double sum = weights.row(v).sum();
        weights.row(v) /= sum > 0.0 ? sum : 1.0;
    }
    return weights;
}

}  // namespace sinew
