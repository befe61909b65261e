#include "sinew/fit/layers_flow.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/tet_locator.h"
#include "sinew/linalg/cholesky.h"

#include <Eigen/LU>

#include <vector>

// Starting points for the skeleton surface: from every vertex of M a line follows the gradient of a
// harmonic function down to the bones. Such lines never cross and meet the bones upright, where
// rays along normals would cross in hollows. Where the function is below a tenth they end, since
// near the solid the gradient is noise.

namespace sinew {

namespace {

constexpr double kFlowStep = 0.002;    // m
constexpr double kFlowEnd = 0.1;       // of the function, where lines end
constexpr double kFlowAbove = 0.0005;  // m over the solid, where they end at the latest
constexpr int kFlowSteps = 200;
constexpr std::size_t kFlowPiece = 64;  // lines per piece of parallel work

// phi = 1 outside, 0 in the solid, harmonic between.
std::vector<double> harmonic_function(const TetMesh& mesh, std::span<const Index> outside,
                                      const SignedDistance& solid) {
    std::vector<double> phi(at(mesh.points.rows()), 0.0);
    std::vector<int> number(phi.size(), -1);
    std::vector<char> is_outside(phi.size(), 0);
    for (const Index v : outside) {
        is_outside[at(v)] = 1;
        phi[at(v)] = 1.0;
    }
    std::vector<char> is_solid(phi.size(), 0);
    parallel_for(phi.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const Vec3 p = point(mesh.points, static_cast<Eigen::Index>(v));
            is_solid[v] = is_outside[v] == 0 && solid.is_inside(p) ? 1 : 0;
        }
    });
    int count = 0;
    for (std::size_t v = 0; v < phi.size(); ++v) {
        number[v] = is_outside[v] == 0 && is_solid[v] == 0 ? count++ : -1;
    }
    if (count == 0) {
        return phi;
    }
    const Eigen::SparseMatrix<double> L = cotangent_laplacian(mesh.points, mesh.tets);
    Triplets triplets(count);
    std::vector<double> b(at(count), 0.0);
    for (std::size_t v = 0; v < phi.size(); ++v) {
        if (number[v] < 0) {
            continue;
        }
        for (Eigen::SparseMatrix<double>::InnerIterator e(L, static_cast<Eigen::Index>(v)); e;
             ++e) {
            const int other = number[at(e.row())];
            if (other < 0) {
                b[at(number[v])] -= e.value() * phi[at(e.row())];
            } else if (other <= number[v]) {
                triplets.add(number[v], other, e.value());
            }
        }
    }
    const SparseSymmetric A = assemble(triplets);
    SparseCholesky factor(A, {.store_double = true});
    factor.factor(A);
    SparseCholesky::Workspace workspace = factor.make_workspace();
    factor.solve(b, 1, b, workspace);
    for (std::size_t v = 0; v < phi.size(); ++v) {
        phi[v] = number[v] >= 0 ? b[at(number[v])] : phi[v];
    }
    return phi;
}

// The gradient at the points: that of the tetrahedra around, weighted by volume.
Points point_gradients(const TetMesh& mesh, const std::vector<double>& phi) {
    Points gradient = Points::Zero(mesh.points.rows(), 3);
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        Mat3 D;
        Vec3 d;
        for (int k = 0; k < 3; ++k) {
            D.row(k) = mesh.points.row(mesh.tets(t, k + 1)) - mesh.points.row(mesh.tets(t, 0));
            d[k] = phi[at(mesh.tets(t, k + 1))] - phi[at(mesh.tets(t, 0))];
        }
        // D g = d; the determinant is six times the volume.
        const Vec3 g = D.determinant() * (D.inverse() * d);
        for (int k = 0; k < 4; ++k) {
            gradient.row(mesh.tets(t, k)) += g.transpose();
        }
    }
    return gradient;
}

}  // namespace

Points flow_to_solid(const TetMesh& mesh, std::span<const Index> outside,
                     const SignedDistance& solid, const Points& from, const Points& inward) {
    const std::vector<double> phi = harmonic_function(mesh, outside, solid);
    const Points gradient = point_gradients(mesh, phi);
    const TetLocator locator(mesh);
    Points ends = from;
    parallel_for(at(from.rows()), kFlowPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            Vec3 p = point(from, row);
            Vec3 direction = point(inward, row);
            const int steps = solid.is_inside(p) ? 0 : kFlowSteps;
            for (int step = 0; step < steps; ++step) {
                const double room = solid.surface().closest_point(p).distance;
                if (room < kFlowAbove) {
                    break;
                }
                const Vec3 next = p + std::min(kFlowStep, room - 0.5 * kFlowAbove) * direction;
                const TetLocation where = locator.find(next);
                if (where.tet < 0) {
                    break;
                }
                p = next;
                double value = 0.0;
                Vec3 g = Vec3::Zero();
                for (int k = 0; k < 4; ++k) {
                    const Index v = mesh.tets(where.tet, k);
                    value += where.barycentric[k] * phi[at(v)];
                    g += where.barycentric[k] * point(gradient, v).normalized();
                }
                if (value < kFlowEnd || !(g.norm() > 1e-6)) {
                    break;
                }
                direction = -g.normalized();
            }
            ends.row(row) = p.transpose();
        }
    });
    return ends;
}

}  // namespace sinew
