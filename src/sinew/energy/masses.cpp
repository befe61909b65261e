#include "sinew/energy/masses.h"

#include "sinew/base/error.h"
#include "sinew/energy/finite_volume.h"

#include <Eigen/LU>

namespace sinew {

namespace {
double quarter_volume(const TetMesh& rest, Eigen::Index t) {
    return edge_matrix(rest.points, rest.tets, t).determinant() / 24.0;
}
}  // namespace

std::vector<double> lumped_masses(const TetMesh& rest, std::span<const double> density) {
    SINEW_ASSERT(density.size() == static_cast<std::size_t>(rest.tets.rows()),
                 "{} densities for {} tetrahedra", density.size(), rest.tets.rows());
    std::vector<double> masses(static_cast<std::size_t>(rest.points.rows()), 0.0);
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        const double share = density[at(t)] * quarter_volume(rest, t);
        for (int c = 0; c < 4; ++c) {
            masses[at(rest.tets(t, c))] += share;
        }
    }
    return masses;
}

Points gravity_forces(std::span<const double> masses, const Vec3& gravity) {
    Points forces(static_cast<Eigen::Index>(masses.size()), 3);
    for (std::size_t v = 0; v < masses.size(); ++v) {
        forces.row(static_cast<Eigen::Index>(v)) = masses[v] * gravity.transpose();
    }
    return forces;
}

Points body_forces(const TetMesh& rest, const Points& force_density) {
    SINEW_ASSERT(force_density.rows() == rest.tets.rows(), "{} force densities for {} tetrahedra",
                 force_density.rows(), rest.tets.rows());
    Points forces = Points::Zero(rest.points.rows(), 3);
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        for (int c = 0; c < 4; ++c) {
            forces.row(rest.tets(t, c)) += quarter_volume(rest, t) * force_density.row(t);
        }
    }
    return forces;
}

}  // namespace sinew
