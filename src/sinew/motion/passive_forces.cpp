#include "sinew/motion/passive_forces.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

// Forces that need no activation: ligaments, stops of coordinates, springs, bushings. Each law is
// that of the program the model comes from (OpenSim, Simbody), with its smoothing, since models are
// tuned to them. Ligaments are paths like muscles and share their code.
//
// add_moments() gives generalised forces by virtual work; add_loads() gives forces on bodies, for
// joint reactions. Both describe the same forces.

namespace sinew {

namespace {

// From 0 to 1 over [0, 1] with two derivatives that vanish at both ends, as Simbody has it.
double smooth_step(double x) {
    const double t = std::clamp(x, 0.0, 1.0);
    return t * t * t * (10.0 + t * (6.0 * t - 15.0));
}

// How much of a stop has been reached, `beyond` its beginning.
double reached(double beyond, double transition) {
    if (beyond <= 0.0) {
        return 0.0;
    }
    return transition > 0.0 ? smooth_step(beyond / transition) : 1.0;
}

// Velocity of a body: angular, and linear of its point that is now in the world's origin.
MotionColumn velocity_of(const KinematicTree& tree, const ModelPlacement& placement, Index body,
                         std::span<const double> speed) {
    MotionColumn v;
    for (const Index d : tree.chain(body)) {
        const double u = speed[at(tree.dofs()[at(d)].coordinate)];
        v.angular += u * placement.columns[at(d)].angular;
        v.linear += u * placement.columns[at(d)].linear;
    }
    return v;
}

Placement frame_in_world(const ModelPlacement& placement, Index body, const Placement& frame) {
    return body < 0 ? frame : placement.bodies[at(body)] * frame;
}

}  // namespace

MusculoskeletalModel ligaments_as_muscles(const MusculoskeletalModel& model) {
    MusculoskeletalModel out;
    out.wraps = model.wraps;
    for (const Ligament& ligament : model.ligaments) {
        out.muscles.push_back(
            {.name = ligament.name, .points = ligament.points, .wraps = ligament.wraps});
    }
    return out;
}

double ligament_tension(const Ligament& ligament, double length, double speed) {
    const double strain = length / ligament.slack - 1.0;
    if (!(strain > 0.0)) {
        return 0.0;
    }
    switch (ligament.law) {
        case Ligament::Law::Curve:
            return std::max(
                0.0,
                ligament.force * FunctionEvaluator(ligament.curve)(length / ligament.slack).value);
        case Ligament::Law::Toe: {
            // F = k e^2 / (2 e_t) below the strain e_t, k (e - e_t / 2) above [Blankevoort1991].
            // Departs: damping while it lengthens, eased in over a strain of 0.01, as in OpenSim.
            constexpr double kEase = 0.01;
            const double spring = strain < ligament.toe
                                      ? 0.5 * ligament.force * strain * strain / ligament.toe
                                      : ligament.force * (strain - 0.5 * ligament.toe);
            const double rate = std::max(speed, 0.0) / ligament.slack;
            return spring + ligament.damping * rate * smooth_step(strain / kEase);
        }
        case Ligament::Law::Spring:
            return std::max(
                0.0, ligament.force * (length - ligament.slack) * (1.0 + ligament.damping * speed));
    }
    return 0.0;
}

// Stiffness and damping fade in together over `transition` beyond the limit.
double limit_force(const CoordinateLimit& limit, double q, double speed) {
    const double above = reached(q - limit.high, limit.transition);
    const double below = reached(limit.low - q, limit.transition);
    return -above * limit.high_stiffness * (q - limit.high) +
           below * limit.low_stiffness * (limit.low - q) - (above + below) * limit.damping * speed;
}

PassiveForces::PassiveForces(const MusculoskeletalModel& model, const KinematicTree& tree)
    : tree_(&tree),
      ligaments_(model.ligaments),
      limits_(model.limits),
      springs_(model.springs),
      bushings_(model.bushings),
      paths_(ligaments_as_muscles(model), tree) {}

std::vector<double> PassiveForces::tensions(const ModelPlacement& placement,
                                            std::span<const double> speed,
                                            const PathState& state) const {
    const std::vector<double> u = tree_->coupled_speeds(placement, speed);
    std::vector<double> out;
    for (std::size_t k = 0; k < ligaments_.size(); ++k) {
        const auto columns = paths_.coordinates(k);
        double lengthening = 0.0;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            lengthening += state.jacobian[paths_.row_start(k) + c] * u[at(columns[c])];
        }
        out.push_back(ligament_tension(ligaments_[k], state.length[k], lengthening));
    }
    return out;
}

std::vector<double> PassiveForces::tensions(const ModelPlacement& placement,
                                            std::span<const double> speed) const {
    return tensions(placement, speed, paths_.evaluate(placement));
}

void PassiveForces::add_moments(const ModelPlacement& placement, std::span<const double> speed,
                                std::span<double> moments) const {
    const std::vector<double> u = tree_->coupled_speeds(placement, speed);
    // Virtual work: a tension T does -T dl/dq.
    if (!ligaments_.empty()) {
        const PathState state = paths_.evaluate(placement);
        const std::vector<double> tension = tensions(placement, speed, state);
        for (std::size_t k = 0; k < ligaments_.size(); ++k) {
            const auto columns = paths_.coordinates(k);
            for (std::size_t c = 0; c < columns.size(); ++c) {
                moments[at(columns[c])] -= tension[k] * state.jacobian[paths_.row_start(k) + c];
            }
        }
    }
    for (const CoordinateLimit& limit : limits_) {
        const Index c = limit.coordinate;
        moments[at(c)] += limit_force(limit, placement.q[at(c)], u[at(c)]);
    }
    for (const CoordinateSpring& spring : springs_) {
        const Index c = spring.coordinate;
        moments[at(c)] -=
            spring.stiffness * (placement.q[at(c)] - spring.rest) + spring.viscosity * u[at(c)];
    }
    std::vector<BodyLoad> loads;
    for (const Bushing& bushing : bushings_) {
        add_bushing(bushing, placement, u, loads);
    }
    for (const BodyLoad& load : loads) {
        for (const Index d : tree_->chain(load.body)) {
            const MotionColumn& column = placement.columns[at(d)];
            moments[at(tree_->dofs()[at(d)].coordinate)] +=
                column.linear.dot(load.force) + column.angular.dot(load.moment);
        }
    }
}

void PassiveForces::add_loads(const ModelPlacement& placement, std::span<const double> speed,
                              std::vector<BodyLoad>& out) const {
    if (!ligaments_.empty()) {
        const std::vector<double> tension = tensions(placement, speed);
        for (std::size_t k = 0; k < ligaments_.size(); ++k) {
            paths_.add_pull(k, placement, tension[k], out);
        }
    }
    const std::vector<double> u = tree_->coupled_speeds(placement, speed);
    for (const Bushing& bushing : bushings_) {
        add_bushing(bushing, placement, u, out);
    }
}

// Simbody's linear bushing: with a, b, c the angles of the second frame M in the first F,
// R_FM = Rx(a) Ry(b) Rz(c), and p the origin of M in F, each of the six numbers x has the force
// -k x - d x'. Angles' speeds are E^-1 w with E = [e_x, Rx e_y, Rx Ry e_z], so their moments m act
// as the torque E^-T m.
void PassiveForces::add_bushing(const Bushing& bushing, const ModelPlacement& placement,
                                std::span<const double> speed, std::vector<BodyLoad>& out) const {
    const Placement F = frame_in_world(placement, bushing.first, bushing.first_frame);
    const Placement M = frame_in_world(placement, bushing.second, bushing.second_frame);
    const Placement FM = F.inverse() * M;
    const Vec3 angles = xyz_from_rotation(FM.rotation);
    const Mat3 Rx = rotation_from_xyz(Vec3(angles.x(), 0.0, 0.0));
    const Mat3 Rxy = rotation_from_xyz(Vec3(angles.x(), angles.y(), 0.0));
    Mat3 E;
    E << Vec3::UnitX(), Rx.col(1), Rxy.col(2);
    const MotionColumn a = velocity_of(*tree_, placement, bushing.first, speed);
    const MotionColumn b = velocity_of(*tree_, placement, bushing.second, speed);
    const Mat3 to_F = F.rotation.transpose();
    const Vec3 w = to_F * (b.angular - a.angular);
    const Vec3 v =
        to_F * (b.linear + b.angular.cross(M.position) - a.linear - a.angular.cross(M.position));
    const Vec3 turning = -bushing.turning_stiffness.cwiseProduct(angles) -
                         bushing.turning_damping.cwiseProduct(E.inverse() * w);
    const Vec3 shift =
        -bushing.shift_stiffness.cwiseProduct(FM.position) - bushing.shift_damping.cwiseProduct(v);
    const Vec3 force = F.rotation * shift;
    const Vec3 torque = F.rotation * (E.inverse().transpose() * turning);
    const Vec3 moment = torque + M.position.cross(force);
    if (bushing.second >= 0) {
        out.push_back({bushing.second, force, moment});
    }
    if (bushing.first >= 0) {
        out.push_back({bushing.first, -force, -moment});
    }
}

}  // namespace sinew
