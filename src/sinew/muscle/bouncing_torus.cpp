#include "sinew/muscle/bouncing_torus.h"

#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/planes.h"
#include "sinew/geometry/measure.h"
#include "sinew/material/corotated.h"
#include "sinew/muscle/muscle_volume.h"
#include "sinew/solver/time_stepping.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

// The example of [Teran2003, section 4.4], for comparing the explicit scheme with what the paper
// shows: a ring falls on a floor and bounces. The floor is a plane per vertex.

namespace sinew {

TetMesh torus_tets(const TorusOptions& o) {
    // A straight bar of the same sections, bent into a ring whose ends are joined.
    const MuscleVolume bar = bench_muscle({.belly_length = 1.0,
                                           .belly_radius = o.tube_radius,
                                           .tendon_length = 0.0,
                                           .tendon_radius = o.tube_radius,
                                           .taper = 0.0,
                                           .rings = o.around,
                                           .around = o.across});
    // The bar is bent to a ring; its last section becomes the first.
    const Eigen::Index section = bar.mesh.points.rows() / (o.around + 1);
    TetMesh mesh;
    mesh.points.resize(section * o.around, 3);
    const Eigen::AngleAxisd tilt(o.tilt, Vec3::UnitX());
    for (Eigen::Index v = 0; v < mesh.points.rows(); ++v) {
        const Vec3 p = point(bar.mesh.points, v);
        const double angle = 2.0 * kPi * p.y();
        const double r = o.ring_radius + p.x();
        const Vec3 ring(r * std::cos(angle), p.z(), r * std::sin(angle));
        mesh.points.row(v) = (tilt * ring + Vec3(0.0, o.height, 0.0)).transpose();
    }
    mesh.tets = bar.mesh.tets;
    for (Eigen::Index i = 0; i < mesh.tets.size(); ++i) {
        Index& v = mesh.tets.data()[i];
        v = static_cast<Index>(v % static_cast<Index>(mesh.points.rows()));
    }
    // Bending may mirror tetrahedra.
    const Eigen::VectorXd volumes = tet_volumes(mesh);
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        if (volumes[t] < 0.0) {
            std::swap(mesh.tets(t, 2), mesh.tets(t, 3));
        }
    }
    return mesh;
}

TorusRun bounce_torus(const TorusOptions& o, const Progress& progress) {
    const Timer timer;
    TorusRun run;
    run.mesh = torus_tets(o);
    const std::vector<double> density(at(run.mesh.tets.rows()), o.density);
    const std::vector<double> masses = lumped_masses(run.mesh, density);
    const auto elastic = std::make_shared<FemElastic>(
        run.mesh, std::make_shared<Corotated>(lame_from_young(o.young, o.poisson)));
    std::vector<Planes::Plane> floor;
    for (std::size_t v = 0; v < masses.size(); ++v) {
        // Stops a vertex that falls from 1 m within a millimetre or so.
        floor.push_back(
            {static_cast<Index>(v), Vec3::Zero(), Vec3::UnitY(), masses[v] * 2e6, true});
    }
    const EnergyTerms terms = {
        elastic,
        std::make_shared<ConstantForces>(gravity_forces(masses, Vec3(0.0, -kGravity, 0.0))),
        std::make_shared<Planes>(std::move(floor))};
    // Frames are whole numbers of steps, each well below the largest stable one.
    run.stable_step = compute_stable_step({elastic}, masses, run.mesh.points);
    const int frames = std::max(1, static_cast<int>(std::lround(o.duration * o.rate)));
    const double interval = o.duration / frames;
    const int steps = static_cast<int>(std::ceil(interval / (0.4 * run.stable_step)));
    run.step = interval / steps;
    const MixedStepper stepper(terms, masses, FemViscosity(run.mesh, o.viscosity, 0.0),
                               VertexConstraints(), {.step = run.step, .tolerance = 1e-4});
    MovingPoints state{.x = run.mesh.points, .v = Points::Zero(run.mesh.points.rows(), 3)};
    const Eigen::Map<const Eigen::VectorXd> weight(masses.data(),
                                                   static_cast<Eigen::Index>(masses.size()));
    bool has_touched = false;
    auto stage = progress.stage("torus", static_cast<std::uint64_t>(frames));
    for (int f = 0; f <= frames; ++f) {
        for (int s = 0; f > 0 && s < steps; ++s) {
            stepper.advance(state);
            ++run.steps;
        }
        progress.check_cancelled();
        run.times.push_back(f * interval);
        run.frames.push_back(state.x);
        // The rebound is measured once it has touched the floor and rises again.
        const double low = state.x.col(1).minCoeff();
        const double centre = weight.dot(state.x.col(1)) / weight.sum();
        const double rise = weight.dot(state.v.col(1)) / weight.sum();
        has_touched = has_touched || low < 0.0;
        if (has_touched && rise > 0.0) {
            run.highest_rebound = std::max(run.highest_rebound, centre);
        }
        run.lowest_point = std::min(run.lowest_point, low);
        stage.advance();
    }
    run.seconds = timer.seconds();
    return run;
}

}  // namespace sinew
