#include "sinew/energy/fem_symmetric_arap.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/finite_volume.h"
#include "sinew/energy/tet_assembly.h"
#include "sinew/material/symmetric_arap.h"

#include <fmt/format.h>

namespace sinew {

namespace {

constexpr std::size_t kArapGrain = 1024;

void require_one_per_tet(std::size_t found, const TetMesh& rest) {
    if (found != static_cast<std::size_t>(rest.tets.rows())) {
        throw InputError({.where = "symmetric as-rigid-as-possible term",
                          .found = fmt::format("{} stiffnesses", found),
                          .needs = fmt::format("one per tetrahedron, {}", rest.tets.rows()),
                          .remedy = "give a stiffness for every tetrahedron"});
    }
}

}  // namespace

FemSymmetricArap::FemSymmetricArap(const TetMesh& rest, std::vector<double> stiffness)
    : tets_(rest.tets), stiffness_(std::move(stiffness)) {
    require_one_per_tet(stiffness_.size(), rest);
    rest_edges_.reserve(stiffness_.size());
    for (Eigen::Index t = 0; t < tets_.rows(); ++t) {
        rest_edges_.push_back(edge_matrix(rest.points, tets_, t));
    }
}

double FemSymmetricArap::value(const Points& x) const {
    const auto sum_of = [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t k = begin; k < end; ++k) {
            const Mat3 D_S = edge_matrix(x, tets_, static_cast<Eigen::Index>(k));
            sum += symmetric_arap::energy(D_S, rest_edges_[k], stiffness_[k]);
        }
        return sum;
    };
    return parallel_reduce(stiffness_.size(), kArapGrain, 0.0, sum_of,
                           [](double a, double b) { return a + b; });
}

void FemSymmetricArap::add_gradient(const Points& x, Points& gradient) const {
    std::vector<Mat3> G(stiffness_.size());
    parallel_for(G.size(), kArapGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Mat3 D_S = edge_matrix(x, tets_, static_cast<Eigen::Index>(k));
            G[k] = symmetric_arap::gradient(D_S, rest_edges_[k], stiffness_[k]);
        }
    });
    for (std::size_t k = 0; k < G.size(); ++k) {
        const auto t = static_cast<Eigen::Index>(k);
        gradient.row(tets_(t, 0)) -= G[k].rowwise().sum().transpose();
        for (int c = 0; c < 3; ++c) {
            gradient.row(tets_(t, c + 1)) += G[k].col(c).transpose();
        }
    }
}

void FemSymmetricArap::add_pattern(BlockPattern& pattern) const {
    for (Eigen::Index t = 0; t < tets_.rows(); ++t) {
        pattern.couple({&tets_(t, 0), 4});
    }
}

void FemSymmetricArap::add_hessian(const Points& x, Tangent kind, BlockHessian& H) const {
    // D_S = sum_a x_a b_a^T with b_a the unit vectors.
    detail::assemble_tets(
        tets_,
        [&](Eigen::Index t) {
            const auto k = static_cast<std::size_t>(t);
            const Mat9 C = symmetric_arap::hessian(edge_matrix(x, tets_, t), rest_edges_[k],
                                                   stiffness_[k], kind);
            return detail::tet_blocks(C, Mat3::Identity());
        },
        H);
}

void FemSymmetricArap::add_quadratic(Triplets& A) const {
    // 2 k sum over the three edges of q q^T.
    constexpr double kDifference[2] = {-1.0, 1.0};
    for (Eigen::Index t = 0; t < tets_.rows(); ++t) {
        for (int c = 1; c < 4; ++c) {
            const Index edge[2] = {tets_(t, 0), tets_(t, c)};
            A.add_outer(edge, kDifference, 2.0 * stiffness_[at(t)]);
        }
    }
}

std::vector<double> symmetric_arap_stiffness(const TetMesh& rest,
                                             const std::vector<double>& shear_modulus) {
    require_one_per_tet(shear_modulus.size(), rest);
    std::vector<double> k(shear_modulus.size());
    for (std::size_t t = 0; t < k.size(); ++t) {
        k[t] = symmetric_arap::stiffness(
            edge_matrix(rest.points, rest.tets, static_cast<Eigen::Index>(t)), shear_modulus[t]);
    }
    return k;
}

}  // namespace sinew
