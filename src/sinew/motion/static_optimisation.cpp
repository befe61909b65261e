#include "sinew/motion/static_optimisation.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/load_wrench.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Muscle forces of a recorded motion, frame by frame: coordinates are smoothed and differentiated
// (smoothing.h), inverse dynamics gives the moments (rigid_dynamics.h), and coordinate_muscles()
// spreads them over muscles. Strength is what a muscle can do at its length and velocity at full
// activation, so the problem stays linear in activations.
//
// Frames do not depend on each other but for the start of the search, which never changes the
// result beyond the tolerance. What muscles cannot make goes to reserves, and both are reported: a
// reserve is a defect of model or data, not a muscle.

namespace sinew {

namespace {

std::span<const double> row_of(const std::vector<double>& values, std::size_t row,
                               std::size_t count) {
    return std::span(values).subspan(row * count, count);
}

std::string moment_name(const Coordinate& coordinate) {
    return coordinate.name + (coordinate.is_rotation ? "_moment" : "_force");
}

MotionTable empty_table(std::string name, const std::vector<double>& times) {
    MotionTable table;
    table.name = std::move(name);
    table.times = times;
    return table;
}

// Coordinates with a reserve of their own.
std::vector<double> reserves_of(const MusculoskeletalModel& model,
                                const StaticOptimisationOptions& options) {
    std::vector<double> out(model.coordinates.size(), 0.0);
    for (const auto& [name, force] : options.reserve_for) {
        const Index c = find_coordinate(model, name);
        if (c < 0) {
            std::vector<std::string> all;
            for (const Coordinate& coordinate : model.coordinates) {
                all.push_back(coordinate.name);
            }
            throw InputError({.where = fmt::format("reserve of '{}'", name),
                              .found = "no such coordinate" + did_you_mean(name, all),
                              .needs = "a coordinate of the model",
                              .remedy = "correct the name"});
        }
        out[at(c)] = force;
    }
    return out;
}

// Everything that is the same in all frames.
class FrameSolver {
public:
    FrameSolver(const MusculoskeletalModel& model, const StaticOptimisationOptions& options,
                const ExternalLoads& loads)
        : model_(model),
          options_(options),
          loads_(loads),
          tree_(model),
          paths_(model, tree_),
          dynamics_(model, tree_),
          free_(muscle_driven_coordinates(model, paths_)),
          dense_(model.coordinates.size()),
          position_(model.coordinates.size(), -1) {
        for (std::size_t k = 0; k < free_.size(); ++k) {
            position_[at(free_[k])] = static_cast<Index>(k);
        }
        const auto n = static_cast<Eigen::Index>(free_.size());
        problem_.reserve = Eigen::MatrixXd::Identity(n, n) * options.reserve * options.reserve;
        const std::vector<double> own = reserves_of(model, options);
        for (std::size_t k = 0; k < free_.size(); ++k) {
            const double force = own[at(free_[k])];
            if (force > 0.0) {
                const auto i = static_cast<Eigen::Index>(k);
                problem_.reserve(i, i) = force * force;
            }
        }
        for (std::size_t c = 0; c < own.size(); ++c) {
            if (own[c] > 0.0 && position_[c] < 0) {
                alone_.push_back(static_cast<Index>(c));
            }
        }
        problem_.exponent = options.exponent;
        for (const MuscleUnit& unit : model.muscles) {
            problem_.low.push_back(
                std::min(std::max(unit.least_activation, options.low), options.high));
            problem_.high.push_back(options.high);
        }
    }

    const std::vector<Index>& free() const {
        return free_;
    }

    // Coordinates with a reserve that no muscle crosses: the reserve does all of it.
    const std::vector<Index>& alone() const {
        return alone_;
    }

    std::vector<double> moments(double time, std::span<const double> q,
                                std::span<const double> speed,
                                std::span<const double> acceleration) {
        tree_.place(q, placement_);
        wrenches_.clear();
        add_loads_at(loads_, placement_, time, wrenches_);
        return dynamics_.inverse(placement_, speed, acceleration, wrenches_);
    }

    // After moments(): what each muscle can do here and now, N.
    CoordinationResult solve(const std::vector<double>& moments, std::span<const double> speed,
                             std::vector<double>& strength) {
        // Lengths and moment arms here, and how fast coupled coordinates move.
        paths_.evaluate(placement_, paths_state_);
        const std::vector<double> u = tree_.coupled_speeds(placement_, speed);
        problem_.start.assign(1, 0);
        problem_.row.clear();
        problem_.value.clear();
        strength.resize(model_.muscles.size());
        // One sparse column per muscle: the moments that it makes at full activation.
        for (std::size_t m = 0; m < model_.muscles.size(); ++m) {
            paths_.scatter(paths_state_, m, dense_);
            double velocity = 0.0;
            for (std::size_t c = 0; c < dense_.size(); ++c) {
                velocity += dense_[c] * u[c];
            }
            const MuscleUnit& unit = model_.muscles[m];
            // A muscle's column is its moment arms times what it can bear here; activation scales
            // it linearly.
            strength[m] = muscle_strength(unit, paths_state_.length[m], velocity, options_.strength,
                                          model_.osim_version);
            tree_.fold_couplers(placement_, dense_);
            for (std::size_t c = 0; c < dense_.size(); ++c) {
                if (position_[c] >= 0 && dense_[c] != 0.0) {
                    problem_.row.push_back(position_[c]);
                    problem_.value.push_back(-dense_[c] * strength[m]);
                }
            }
            problem_.start.push_back(static_cast<Index>(problem_.row.size()));
        }
        problem_.tau.resize(static_cast<Eigen::Index>(free_.size()));
        for (std::size_t k = 0; k < free_.size(); ++k) {
            problem_.tau[static_cast<Eigen::Index>(k)] = moments[at(free_[k])];
        }
        // The multipliers of the last frame are a good start for this one.
        CoordinationResult result = coordinate_muscles(problem_, guess_);
        guess_ = result.multiplier;
        return result;
    }

private:
    const MusculoskeletalModel& model_;
    StaticOptimisationOptions options_;
    const ExternalLoads& loads_;
    KinematicTree tree_;
    MusclePaths paths_;
    RigidDynamics dynamics_;
    std::vector<Index> free_;
    std::vector<double> dense_;
    std::vector<Index> position_;
    CoordinationProblem problem_ = {};
    ModelPlacement placement_ = {};
    PathState paths_state_ = {};
    Eigen::VectorXd guess_ = {};
    std::vector<Index> alone_ = {};
    std::vector<BodyLoad> wrenches_ = {};
};

// Says which moments muscles could not make.
void note_reserves(const MusculoskeletalModel& model, const std::vector<Index>& free,
                   double tolerated, StaticOptimisation& out) {
    for (std::size_t k = 0; k < free.size(); ++k) {
        const auto c = static_cast<std::size_t>(free[k]);
        double peak = 0.0;
        double reserve = 0.0;
        double when = 0.0;
        for (std::size_t r = 0; r < out.moments.times.size(); ++r) {
            peak = std::max(peak, std::abs(out.moments.at(r, c)));
            if (std::abs(out.reserves.at(r, k)) > reserve) {
                reserve = std::abs(out.reserves.at(r, k));
                when = out.moments.times[r];
            }
        }
        if (reserve > tolerated * peak) {
            out.notes.push_back(fmt::format(
                "muscles cannot make the moment of {}: a reserve of {:.3g} is needed at {:.3f} s, "
                "peak moment {:.3g}",
                model.coordinates[c].name, reserve, when, peak));
        }
    }
}

// Frames of the motion for which no load is known.
void note_uncovered(const ExternalLoads& loads, const std::vector<double>& times,
                    std::vector<std::string>& notes) {
    const auto missing =
        std::count_if(times.begin(), times.end(), [&](double t) { return !covers_time(loads, t); });
    if (missing > 0) {
        notes.push_back(
            fmt::format("the loads cover {} of {} frames; outside their time there is none",
                        static_cast<std::ptrdiff_t>(times.size()) - missing, times.size()));
    }
}

}  // namespace

std::vector<Index> muscle_driven_coordinates(const MusculoskeletalModel& model,
                                             const MusclePaths& paths) {
    // Those that a muscle crosses; of coupled ones, the one that leads.
    std::vector<bool> is_crossed(model.coordinates.size(), false);
    for (std::size_t m = 0; m < paths.muscle_count(); ++m) {
        for (const Index c : paths.coordinates(m)) {
            is_crossed[at(c)] = true;
        }
    }
    for (const CoordinateCoupler& coupler : model.couplers) {
        if (is_crossed[at(coupler.dependent)]) {
            is_crossed[at(coupler.independent)] = true;
        }
        is_crossed[at(coupler.dependent)] = false;
    }
    std::vector<Index> free;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        if (is_crossed[c] && !model.coordinates[c].is_locked) {
            free.push_back(static_cast<Index>(c));
        }
    }
    return free;
}

double muscle_strength(const MuscleUnit& unit, double length, double velocity, MuscleStrength kind,
                       int version) {
    constexpr int kVersion3 = 30000;
    if (kind == MuscleStrength::AsFile) {
        const bool is_older = unit.is_deprecated || (version > 0 && version < kVersion3);
        kind = is_older ? MuscleStrength::Isokinetic : MuscleStrength::RigidTendon;
    }
    if (kind == MuscleStrength::Constant) {
        return unit.fmax;
    }
    if (kind == MuscleStrength::Isokinetic && unit.law == MuscleLaw::Thelen2003) {
        return isokinetic_strength(unit, length, velocity);
    }
    return rigid_tendon_force(unit, length, velocity, 1.0).active;
}

MotionTable inverse_dynamics(const MusculoskeletalModel& model, const MotionTable& motion,
                             double filter, const ExternalLoads& loads) {
    const CoordinateMotion m = coordinate_motion(model, motion, filter);
    const KinematicTree tree(model);
    const RigidDynamics dynamics(model, tree);
    const std::size_t n = model.coordinates.size();
    MotionTable out = empty_table("Inverse Dynamics", m.times);
    for (const Coordinate& c : model.coordinates) {
        out.columns.push_back(moment_name(c));
    }
    ModelPlacement placement;
    std::vector<BodyLoad> wrenches;
    for (std::size_t r = 0; r < m.times.size(); ++r) {
        tree.place(row_of(m.q, r, n), placement);
        wrenches.clear();
        add_loads_at(loads, placement, m.times[r], wrenches);
        const std::vector<double> tau = dynamics.inverse(placement, row_of(m.speed, r, n),
                                                         row_of(m.acceleration, r, n), wrenches);
        out.values.insert(out.values.end(), tau.begin(), tau.end());
    }
    return out;
}

StaticOptimisation optimise_motion(const MusculoskeletalModel& model, const MotionTable& motion,
                                   const StaticOptimisationOptions& options,
                                   const Progress& progress, const ExternalLoads& loads) {
    check_ranges(options, "static optimisation");
    const CoordinateMotion m = coordinate_motion(model, motion, options.filter);
    const std::size_t n = model.coordinates.size();
    FrameSolver solver(model, options, loads);
    StaticOptimisation out;
    out.moments = empty_table("Inverse Dynamics", m.times);
    out.activations = empty_table("Static Optimization", m.times);
    out.forces = empty_table("Static Optimization", m.times);
    out.reserves = empty_table("Reserves", m.times);
    for (const Coordinate& c : model.coordinates) {
        out.moments.columns.push_back(moment_name(c));
    }
    for (const MuscleUnit& unit : model.muscles) {
        out.activations.columns.push_back(unit.name);
        out.forces.columns.push_back(unit.name);
    }
    for (const std::vector<Index>* list : {&solver.free(), &solver.alone()}) {
        for (const Index c : *list) {
            out.reserves.columns.push_back(model.coordinates[at(c)].name + "_reserve");
        }
    }
    out.notes = loads.notes;
    note_uncovered(loads, m.times, out.notes);
    if (!m.missing.empty()) {
        out.notes.push_back(
            fmt::format("{} coordinates are not in the motion and stay at rest", m.missing.size()));
    }
    // Frame by frame: the moments that the motion needs, then the muscles that make them.
    Progress::Stage stage = progress.stage("static optimisation", m.times.size());
    const Timer timer;
    std::vector<double> strength;
    for (std::size_t r = 0; r < m.times.size(); ++r) {
        const auto speed = row_of(m.speed, r, n);
        const std::vector<double> tau =
            solver.moments(m.times[r], row_of(m.q, r, n), speed, row_of(m.acceleration, r, n));
        const CoordinationResult result = solver.solve(tau, speed, strength);
        out.moments.values.insert(out.moments.values.end(), tau.begin(), tau.end());
        for (std::size_t k = 0; k < result.activation.size(); ++k) {
            out.activations.values.push_back(result.activation[k]);
            out.forces.values.push_back(result.activation[k] * strength[k]);
        }
        for (const double reserve : result.reserve) {
            out.reserves.values.push_back(reserve);
        }
        for (const Index c : solver.alone()) {
            out.reserves.values.push_back(tau[at(c)]);
        }
        out.unsolved_frames += result.has_converged ? 0 : 1;
        stage.advance();
    }
    out.seconds = timer.seconds();
    note_reserves(model, solver.free(), options.tolerated, out);
    out.residuals = find_residuals(model, out.moments);
    return out;
}

AccelerationResult activations_for_acceleration(const MusculoskeletalModel& model,
                                                std::span<const double> q,
                                                std::span<const double> speed,
                                                std::span<const double> wanted, double w_reg) {
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const RigidDynamics dynamics(model, tree);
    const ModelPlacement placement = tree.place(q);
    const PathState state = paths.evaluate(placement);
    const auto n = static_cast<Eigen::Index>(q.size());
    const Eigen::MatrixXd M = dynamics.mass_matrix(placement);
    // B a + M y = tau with y = q''_wanted - q''(a); tau moves the bodies as wanted, less what
    // passive forces do by themselves.
    const std::vector<double> needed = dynamics.inverse(placement, speed, wanted);
    CoordinationProblem problem;
    problem.tau = Eigen::Map<const Eigen::VectorXd>(needed.data(), n);
    // Missing accelerations are weighed as such [Ryu2021, eq. 12]: with r = M y the cost 1/2 |y|^2
    // is that of a reserve with S = M M.
    problem.reserve = M * M;
    // Coupled coordinates have empty rows; their multiplier stays 0.
    problem.reserve.diagonal().array() += 1e-12 * M.diagonal().maxCoeff() * M.diagonal().maxCoeff();
    problem.cost = w_reg;
    // Columns of B, and passive forces to the other side.
    std::vector<double> dense(q.size());
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        paths.scatter(state, m, dense);
        double velocity = 0.0;
        for (std::size_t c = 0; c < dense.size(); ++c) {
            velocity += dense[c] * speed[c];
        }
        tree.fold_couplers(placement, dense);
        const MuscleForce f = rigid_tendon_force(model.muscles[m], state.length[m], velocity, 1.0);
        for (std::size_t c = 0; c < dense.size(); ++c) {
            if (dense[c] != 0.0) {
                problem.row.push_back(static_cast<Index>(c));
                problem.value.push_back(-dense[c] * f.active);
                problem.tau[static_cast<Eigen::Index>(c)] += dense[c] * f.passive;
            }
        }
        problem.start.push_back(static_cast<Index>(problem.row.size()));
        problem.low.push_back(0.0);
        problem.high.push_back(1.0);
    }
    const CoordinationResult solved = coordinate_muscles(problem);
    AccelerationResult out{solved.activation, {}, solved.has_converged};
    // y = M times the multiplier, by r = M y = S * multiplier.
    const Eigen::VectorXd missed = M * solved.multiplier;
    for (Eigen::Index c = 0; c < n; ++c) {
        out.acceleration.push_back(wanted[at(c)] - missed[c]);
    }
    return out;
}

}  // namespace sinew
