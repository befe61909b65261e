// Tetrahedra from a surface, and elasticity: a rubber beam, held at one end, hangs under its
// weight.
#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/masses.h"
#include "sinew/io/vtu.h"
#include "sinew/material/stable_neo_hookean.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/tetrahedralise.h"
#include "sinew/solver/newton.h"

#include <algorithm>
#include <cstdio>

using namespace sinew;

namespace {

constexpr double kHalfLength = 0.1;  // m, along x
constexpr double kRadius = 0.02;     // m

// A beam of round section with round ends.
TriangleMesh beam_surface() {
    const auto distance = [](const Points& at, Eigen::VectorXd& d) {
        d.resize(at.rows());
        for (Eigen::Index i = 0; i < at.rows(); ++i) {
            Vec3 p = at.row(i).transpose();
            p.x() -= std::clamp(p.x(), -kHalfLength, kHalfLength);
            d[i] = p.norm() - kRadius;
        }
    };
    const Bounds box{.low = Vec3(-0.13, -0.03, -0.03), .high = Vec3(0.13, 0.03, 0.03)};
    return LevelSet::from_function(distance, box, {.voxel = 0.008}).to_mesh();
}

}  // namespace

int main() try {
    TetMesh beam = tetrahedralise({beam_surface()});

    // Terms of the energy: the rubber, and its weight.
    const auto law = std::make_shared<StableNeoHookean>(lame_from_young(2e5, 0.45));
    const std::vector<double> density(static_cast<std::size_t>(beam.tets.rows()), 1000.0);
    const Points weight = gravity_forces(lumped_masses(beam, density), Vec3(0.0, -kGravity, 0.0));
    const EnergyTerms terms = {std::make_shared<FemElastic>(beam, law),
                               std::make_shared<ConstantForces>(weight)};

    // Vertices at one end stay where they are.
    VertexConstraints held;
    for (Index v = 0; v < static_cast<Index>(beam.points.rows()); ++v) {
        if (beam.points(v, 0) < -kHalfLength) {
            held.fix(v, point(beam.points, v));
        }
    }

    // Not converging is no exception: the report says how it ended, the caller decides.
    const NewtonResult result = minimise(terms, held, beam.points);
    const double sag = beam.points.col(1).minCoeff() - result.x.col(1).minCoeff();
    std::printf("%lld tetrahedra, %d iterations, residual %.1e, the end sags by %.0f mm\n",
                static_cast<long long>(beam.tets.rows()), result.report.iterations,
                result.report.last_residual(), 1e3 * sag);
    beam.points = result.x;
    write_vtu("beam.vtu", beam);
    return result.report.status == SolverStatus::Converged && sag > 0.01 ? 0 : 1;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
