#include "sinew/growth/gravity_preview.h"

#include "sinew/energy/masses.h"
#include "sinew/solver/local_global.h"
#include "sinew/tissue/tissue_terms.h"

#include <fmt/format.h>

#include <cmath>

// Flesh under gravity, for pictures and reports. Growth itself knows no gravity, as in [Saito2015,
// section 3.3]: what simulates the grown body later brings its own. Nothing of this enters the rest
// shape.
//
// Terms are those of growth: tetrahedra and springs to bones, with the forces m g on the vertices
// (lumped masses). At rest it is one minimisation; in a jump implicit Euler by local/global steps
// [Bouaziz2014], two per frame.

namespace sinew {

namespace {

// Hanging flesh is solved until forces are a thousandth; in motion eight iterations a step are what
// a preview can afford, and what they leave is reported.
constexpr double kPush = 0.25;  // s, of the push-off
constexpr LocalGlobalOptions kHanging = {.max_iterations = 100, .tolerance = 1e-3};
constexpr LocalGlobalOptions kInMotion = {.max_iterations = 8, .tolerance = 1e-2};
// Forces that may be left in a frame of the jump, against those at its start: above that the flesh
// lags visibly behind where it should be.
constexpr double kVisibleResidual = 0.1;
constexpr int kStepsPerFrame = 2;

struct Flesh {
    std::shared_ptr<Pins> springs;
    std::vector<double> masses;
    LocalGlobal solver;
    Points targets;

    explicit Flesh(const Body& body, const Vec3& gravity)
        : springs(make_attachment_term(body)),
          masses(lumped_masses(body.tets, densities_of_tets(body))),
          solver(body.tets.points.rows(), {make_tet_term(body), springs}),
          targets(positions_of(body.attachments.points, body.tets.points, body.tets.tets)) {
        solver.set_external_forces(gravity_forces(masses, gravity));
    }
};

}  // namespace

SaggedFlesh sagged_flesh(const Body& body, const Vec3& gravity, const Progress& progress) {
    Flesh flesh(body, gravity);
    SaggedFlesh result = {.points = body.tets.points};
    result.report = flesh.solver.minimise(result.points, kHanging, progress);
    return result;
}

double jump_height_at(double time, const JumpOptions& options) {
    const double speed = std::sqrt(2.0 * kGravity * options.height);
    const double flight = 2.0 * speed / kGravity;
    // Push-off: down and up again, h = speed (q^3 - q^2) kPush for q = time / kPush, which leaves
    // h = 0 with the speed of the flight.
    const double q = time / kPush;
    if (q < 1.0) {
        return speed * kPush * q * q * (q - 1.0);
    }
    const double t = time - kPush;
    if (t < flight) {
        return speed * t - 0.5 * kGravity * t * t;
    }
    // Landing: critically damped, with the speed of the fall.
    const double s = t - flight;
    const double knee = 25.0;  // 1/s
    return -speed * s * std::exp(-knee * s);
}

std::vector<Points> jump_preview(const Body& body, const JumpOptions& options,
                                 const Progress& progress, const IterationCallback& callback) {
    check_ranges(options, "jump");
    const Vec3 gravity(0.0, -kGravity, 0.0);
    Flesh flesh(body, gravity);

    // The jump starts from flesh that hangs still.
    Points x = body.tets.points;
    int visible = flesh.solver.minimise(x, kHanging).last_residual() > kVisibleResidual ? 1 : 0;

    // Then the bones move as one, and every frame takes a few steps in time.
    Points v = Points::Zero(x.rows(), 3);
    const int frames = static_cast<int>(std::round(options.seconds * options.frames)) + 1;
    const double step = 1.0 / (options.frames * kStepsPerFrame);
    flesh.solver.set_dynamics(flesh.masses, step);
    std::vector<Points> result;
    auto stage = progress.stage("jump", static_cast<std::uint64_t>(frames));
    for (int frame = 0; frame < frames; ++frame) {
        for (int k = 0; k < kStepsPerFrame && frame > 0; ++k) {
            const double time = ((frame - 1) * kStepsPerFrame + k + 1) * step;
            Points targets = flesh.targets;
            targets.col(1).array() += jump_height_at(time, options);
            flesh.springs->set_targets(targets);
            const LocalGlobalReport report = flesh.solver.advance(x, v, options.damping, kInMotion);
            visible += report.last_residual() > kVisibleResidual ? 1 : 0;
        }
        result.push_back(positions_of(body.skin, x));
        if (callback) {
            callback(frame, x);
        }
        stage.advance();
    }
    if (visible > 0) {
        progress.warn(fmt::format("jump: {} of {} steps did not converge; the flesh lags there",
                                  visible, 1 + (frames - 1) * kStepsPerFrame));
    }
    return result;
}

}  // namespace sinew
