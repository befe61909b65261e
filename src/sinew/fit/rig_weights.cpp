#include "sinew/fit/rig_weights.h"

#include "sinew/base/error.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/linalg/cholesky.h"

#include <algorithm>
#include <array>
#include <cmath>

// Weights of skinning as harmonic functions in the tetrahedra: 1 at the bones of a group, 0 at
// those of others. Inside the flesh distance through the air does not count, so an arm that hangs
// beside the trunk has no part in it. Attachments hold by springs c, which is a thousand times the
// mean diagonal of the Laplacian.

namespace sinew {
namespace {

constexpr double kLeastWeight = 1e-2;
constexpr double kHold = 1e3;  // attachments against the Laplacian's mean diagonal

SparseSymmetric weight_system(const Body& body, double hold) {
    const auto N = static_cast<int>(body.tets.points.rows());
    Triplets triplets(N);
    const Eigen::SparseMatrix<double> L = cotangent_laplacian(body.tets.points, body.tets.tets);
    for (int k = 0; k < L.outerSize(); ++k) {
        for (Eigen::SparseMatrix<double>::InnerIterator it(L, k); it; ++it) {
            if (it.row() <= it.col()) {
                triplets.add(static_cast<int>(it.row()), static_cast<int>(it.col()), it.value());
            }
        }
    }
    const EmbeddedPoints& held = body.attachments.points;
    for (std::size_t s = 0; s < held.size(); ++s) {
        std::array<int, 4> index = {};
        std::array<double, 4> q = {};
        for (int k = 0; k < 4; ++k) {
            index[at(k)] = body.tets.tets(held.tet[s], k);
            q[at(k)] = held.weights(static_cast<Eigen::Index>(s), k);
        }
        triplets.add_outer(index, q, hold);
    }
    for (int i = 0; i < N; ++i) {
        triplets.add(i, i, 1e-9 * hold);  // points that no tetrahedron uses
    }
    return assemble(triplets);
}

void normalise(std::vector<RigWeight>& row) {
    double sum = 0.0;
    for (const RigWeight& w : row) {
        sum += w.value;
    }
    for (RigWeight& w : row) {
        w.value /= sum;
    }
}

}  // namespace

std::vector<std::vector<RigWeight>> skin_weights(const Body& body,
                                                 const std::vector<Index>& group_of_segment,
                                                 Index groups) {
    // The Laplacian's entries are lengths: the mean edge is their measure.
    const double scale = std::cbrt(volume(body.tets) / static_cast<double>(body.tets.tets.rows()));
    const double hold = kHold * scale;
    const SparseSymmetric A = weight_system(body, hold);
    SparseCholesky cholesky(A, {.store_double = true});
    if (!cholesky.factor(A).is_positive_definite) {
        throw InputError({.where = body.name,
                          .found = "tetrahedra whose Laplacian cannot be factorised",
                          .needs = "tetrahedra of positive volume",
                          .remedy = "build the body again"});
    }
    SparseCholesky::Workspace workspace = cholesky.make_workspace();
    const std::vector<Index>& skin = body.skin.tet_vertex;
    std::vector<std::vector<RigWeight>> weights(skin.size());
    std::vector<double> w(3 * at(body.tets.points.rows()));
    const EmbeddedPoints& held = body.attachments.points;
    for (Index first = 0; first < groups; first += 3) {
        std::fill(w.begin(), w.end(), 0.0);
        for (std::size_t s = 0; s < held.size(); ++s) {
            const Index segment = body.bones[at(body.attachments.bone[s])].segment;
            const Index g = group_of_segment[at(segment)] - first;
            for (int k = 0; k < 4 && g >= 0 && g < 3; ++k) {
                w[3 * at(body.tets.tets(held.tet[s], k)) + at(g)] +=
                    hold * held.weights(static_cast<Eigen::Index>(s), k);
            }
        }
        cholesky.solve(w, 3, w, workspace);
        for (std::size_t v = 0; v < skin.size(); ++v) {
            for (Index g = 0; g < std::min<Index>(3, groups - first); ++g) {
                const double value = w[3 * at(skin[v]) + at(g)];
                if (value > kLeastWeight) {
                    weights[v].push_back({first + g, value});
                }
            }
        }
    }
    for (std::vector<RigWeight>& row : weights) {
        if (row.empty()) {
            row.push_back({0, 1.0});
        }
        normalise(row);
    }
    return weights;
}

}  // namespace sinew
