#include "sinew/energy/fem_elastic.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/tet_assembly.h"
#include "sinew/energy/tet_mixed.h"

#include <fmt/format.h>

namespace sinew {

namespace {
constexpr std::size_t kElasticGrain = 1024;
}

FemElastic::FemElastic(const TetMesh& rest, std::shared_ptr<const Material> law)
    : FemElastic(rest, {std::move(law)},
                 std::vector<int>(static_cast<std::size_t>(rest.tets.rows()), 0)) {}

FemElastic::FemElastic(const TetMesh& rest, std::vector<std::shared_ptr<const Material>> laws,
                       std::vector<int> law_of_tet)
    : elements_(rest), laws_(std::move(laws)), law_of_tet_(std::move(law_of_tet)) {
    if (law_of_tet_.size() != static_cast<std::size_t>(elements_.count())) {
        throw InputError({.where = "elastic term",
                          .found = fmt::format("{} law indices", law_of_tet_.size()),
                          .needs = fmt::format("one per tetrahedron, {}", elements_.count()),
                          .remedy = "give an index for every tetrahedron"});
    }
    for (std::size_t t = 0; t < law_of_tet_.size(); ++t) {
        const int k = law_of_tet_[t];
        if (k < 0 || static_cast<std::size_t>(k) >= laws_.size() || laws_[at(k)] == nullptr) {
            throw InputError({.where = fmt::format("elastic term, tetrahedron {}", t),
                              .found = fmt::format("law {} of {}", k, laws_.size()),
                              .needs = "the index of a law that exists",
                              .remedy = "give every region a material"});
        }
    }
}

double FemElastic::value(const Points& x) const {
    const auto sum_of = [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            sum += elements_.volume(t) * law(t).energy(elements_.deformation_gradient(x, t));
        }
        return sum;
    };
    return parallel_reduce(static_cast<std::size_t>(elements_.count()), kElasticGrain, 0.0, sum_of,
                           [](double a, double b) { return a + b; });
}

void FemElastic::add_gradient(const Points& x, Points& gradient) const {
    std::vector<Mat3> G(static_cast<std::size_t>(elements_.count()));
    parallel_for(G.size(), kElasticGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            G[k] = law(t).stress(elements_.deformation_gradient(x, t)) * elements_.normals(t);
        }
    });
    elements_.add_to_vertices(G, gradient);
}

void FemElastic::add_pattern(BlockPattern& pattern) const {
    for (Eigen::Index t = 0; t < elements_.count(); ++t) {
        pattern.couple({&elements_.tets()(t, 0), 4});
    }
}

void FemElastic::add_hessian(const Points& x, Tangent kind, BlockHessian& H) const {
    // dF = sum_a dx_a b_a^T / V, so the element matrix is V C : (b b) / V^2.
    detail::assemble_tets(
        elements_.tets(),
        [&](Eigen::Index t) {
            const Mat9 C = law(t).tangent(elements_.deformation_gradient(x, t), kind);
            return detail::tet_blocks(C / elements_.volume(t), elements_.normals(t));
        },
        H);
}

std::optional<std::size_t> FemElastic::parameter_count(TermParameter parameter) const {
    return parameter == TermParameter::RestShape
               ? 3 * static_cast<std::size_t>(elements_.vertices())
               : 0;
}

void FemElastic::add_mixed_product(const Points& x, TermParameter parameter,
                                   std::span<const double> dp, Points& out) const {
    if (parameter != TermParameter::RestShape) {
        return;
    }
    for (Eigen::Index t = 0; t < elements_.count(); ++t) {
        const Mat3 inverse = elements_.normals(t).transpose() / elements_.volume(t);
        const detail::TetState state{edge_matrix(x, elements_.tets(), t), inverse,
                                     elements_.volume(t)};
        const Mat3 dD_m = detail::edges_of(dp.data(), elements_.tets(), t);
        detail::add_edges(detail::rest_product(law(t), state, inverse, dD_m), elements_.tets(), t,
                          out.data());
    }
}

void FemElastic::add_mixed_adjoint(const Points& x, TermParameter parameter, const Points& w,
                                   std::span<double> out) const {
    if (parameter != TermParameter::RestShape) {
        return;
    }
    for (Eigen::Index t = 0; t < elements_.count(); ++t) {
        const Mat3 inverse = elements_.normals(t).transpose() / elements_.volume(t);
        const detail::TetState state{edge_matrix(x, elements_.tets(), t), inverse,
                                     elements_.volume(t)};
        const Mat3 W = edge_matrix(w, elements_.tets(), t);
        detail::add_edges(detail::rest_adjoint(law(t), state, inverse, W), elements_.tets(), t,
                          out.data());
    }
}

}  // namespace sinew
