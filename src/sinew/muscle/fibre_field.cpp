#include "sinew/muscle/fibre_field.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/finite_volume.h"
#include "sinew/geometry/measure.h"
#include "sinew/linalg/cholesky.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

// Fibres as a flow: the Laplace equation between origin and insertion with no flow through the rest
// of the surface [Saito2015, section 3.1.1], by linear finite elements. The direction is constant
// in a tetrahedron and never crosses the surface in the limit; flow through every section is the
// same, which is what strengths are made from (muscle_volume.h).
//
//   flow = integral of |grad u|^2 = integral over a section of du/dn, for u from 0 to 1

namespace sinew {

namespace {

/// Gradients of the four shape functions of a tetrahedron, 1/m.
std::array<Vec3, 4> shape_gradients(const FiniteVolumeTets& elements, Eigen::Index t) {
    const Mat3 B = elements.normals(t) / elements.volume(t);
    return {Vec3(-B.rowwise().sum()), B.col(0), B.col(1), B.col(2)};
}

[[noreturn]] void refuse_end(const char* found) {
    throw InputError({.where = "fibres of a muscle",
                      .found = found,
                      .needs = "vertices at the origin and at the insertion in every piece",
                      .remedy = "widen the ends, or remove loose pieces of the mesh"});
}

}  // namespace

Points fibre_directions(const FibreField& field, const TetMesh& mesh) {
    Points direction(mesh.tets.rows(), 3);
    parallel_for(static_cast<std::size_t>(mesh.tets.rows()), 256,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t k = begin; k < end; ++k) {
                         const auto t = static_cast<Eigen::Index>(k);
                         Vec3 centre = Vec3::Zero();
                         for (int c = 0; c < 4; ++c) {
                             centre += 0.25 * point(mesh.points, mesh.tets(t, c));
                         }
                         direction.row(t) = field.direction(centre).transpose();
                     }
                 });
    return direction;
}

FibreDifference compare_fibres(const Points& a, const Points& b, const TetMesh& mesh) {
    const Eigen::VectorXd volumes = tet_volumes(mesh);
    std::vector<double> angle(static_cast<std::size_t>(a.rows()));
    FibreDifference d;
    for (Eigen::Index t = 0; t < a.rows(); ++t) {
        const double cosine = std::clamp(a.row(t).dot(b.row(t)), -1.0, 1.0);
        angle[static_cast<std::size_t>(t)] = std::acos(cosine);
        d.mean += volumes[t] * std::acos(cosine);
    }
    if (angle.empty()) {
        return d;
    }
    d.mean /= volumes.sum();
    std::sort(angle.begin(), angle.end());
    d.median = angle[angle.size() / 2];
    d.p95 = angle[std::min(angle.size() - 1, angle.size() * 95 / 100)];
    return d;
}

LaplaceFibres::LaplaceFibres(const TetMesh& mesh, std::span<const Index> origin,
                             std::span<const Index> insertion)
    : locator_(mesh) {
    if (origin.empty() || insertion.empty()) {
        refuse_end(origin.empty() ? "no vertex at the origin" : "no vertex at the insertion");
    }
    // Dirichlet values: 0 at the origin, 1 at the insertion; all other vertices are unknowns.
    const FiniteVolumeTets elements(mesh);
    const auto vertices = static_cast<std::size_t>(mesh.points.rows());
    constexpr double kFree = -1.0;
    std::vector<double> held(vertices, kFree);
    for (const Index v : origin) {
        held[static_cast<std::size_t>(v)] = 0.0;
    }
    for (const Index v : insertion) {
        held[static_cast<std::size_t>(v)] = 1.0;
    }
    // Held vertices have the row u = value; what they mean to others goes to the right-hand side.
    Triplets triplets(static_cast<int>(vertices));
    std::vector<double> rhs(vertices, 0.0);
    for (std::size_t v = 0; v < vertices; ++v) {
        if (held[v] != kFree) {
            triplets.add(static_cast<int>(v), static_cast<int>(v), 1.0);
            rhs[v] = held[v];
        }
    }
    // Stiffness of linear elements: L_ij = sum_t V_t grad N_i . grad N_j.
    for (Eigen::Index t = 0; t < elements.count(); ++t) {
        const std::array<Vec3, 4> g = shape_gradients(elements, t);
        for (int a = 0; a < 4; ++a) {
            const Index i = mesh.tets(t, a);
            if (held[static_cast<std::size_t>(i)] != kFree) {
                continue;
            }
            for (int b = 0; b < 4; ++b) {
                const Index j = mesh.tets(t, b);
                const double L = elements.volume(t) *
                                 g[static_cast<std::size_t>(a)].dot(g[static_cast<std::size_t>(b)]);
                if (held[static_cast<std::size_t>(j)] != kFree) {
                    rhs[static_cast<std::size_t>(i)] -= L * held[static_cast<std::size_t>(j)];
                } else if (j <= i) {
                    triplets.add(i, j, L);
                }
            }
        }
    }
    // A piece without an end leaves the matrix singular.
    const SparseSymmetric A = assemble(triplets);
    SparseCholesky factor(A, {.store_double = true});
    if (!factor.factor(A).is_positive_definite) {
        refuse_end("a piece of the mesh without either end");
    }
    auto workspace = factor.make_workspace();
    potential_.resize(vertices);
    factor.solve(rhs, 1, potential_, workspace);

    // The gradient is constant in a tetrahedron; its square summed up is the flow.
    gradient_.resize(mesh.tets.rows(), 3);
    for (Eigen::Index t = 0; t < elements.count(); ++t) {
        const std::array<Vec3, 4> g = shape_gradients(elements, t);
        Vec3 sum = Vec3::Zero();
        for (int a = 0; a < 4; ++a) {
            sum += potential_[static_cast<std::size_t>(mesh.tets(t, a))] *
                   g[static_cast<std::size_t>(a)];
        }
        gradient_.row(t) = sum.transpose();
        flow_ += elements.volume(t) * sum.squaredNorm();
    }
}

Vec3 LaplaceFibres::direction(const Vec3& at) const {
    const TetLocation where = locator_.nearest(at);
    const Vec3 g = point(gradient_, where.tet);
    const double length = g.norm();
    return length > 0.0 ? Vec3(g / length) : Vec3(Vec3::UnitY());
}

}  // namespace sinew
