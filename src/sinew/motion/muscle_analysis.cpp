#include "sinew/motion/muscle_analysis.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/load_wrench.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/rigid_dynamics.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// What muscles do over a motion: lengths, velocities, forces, powers and moment arms per frame,
// joint moments and work, contact forces in joints. All from the same placement of the model per
// frame, by the functions that the other tools use, so that tables agree with each other. Work is
// the integral of power by the trapezium rule, positive and negative parts apart.

namespace sinew {

namespace {

std::vector<std::size_t> named_muscles(const MusculoskeletalModel& model,
                                       const std::vector<std::string>& parts) {
    std::vector<std::size_t> out;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const std::string name = lower(model.muscles[m].name);
        if (parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
                return name.find(lower(part)) != std::string::npos;
            })) {
            out.push_back(m);
        }
    }
    return out;
}

// Values of one column at any time, linear between rows.
double column_at(const MotionTable& table, std::size_t column, double time) {
    const auto above = std::upper_bound(table.times.begin(), table.times.end(), time);
    if (above == table.times.begin()) {
        return table.at(0, column);
    }
    const auto low = static_cast<std::size_t>(above - table.times.begin()) - 1;
    if (low + 1 >= table.times.size()) {
        return table.at(table.times.size() - 1, column);
    }
    const double t = (time - table.times[low]) / (table.times[low + 1] - table.times[low]);
    return (1.0 - t) * table.at(low, column) + t * table.at(low + 1, column);
}

// Positive and negative parts of an integral over time, by the trapezium rule.
void add_work(const MotionTable& powers, std::size_t column, MuscleAnalysis::Work& work) {
    for (std::size_t r = 1; r < powers.times.size(); ++r) {
        const double dt = powers.times[r] - powers.times[r - 1];
        const double a = powers.at(r - 1, column);
        const double b = powers.at(r, column);
        if (a * b >= 0.0) {
            (a + b >= 0.0 ? work.positive : work.negative) += 0.5 * (a + b) * dt;
            continue;
        }
        const double zero = a / (a - b);
        (a > 0.0 ? work.positive : work.negative) += 0.5 * a * zero * dt;
        (b > 0.0 ? work.positive : work.negative) += 0.5 * b * (1.0 - zero) * dt;
    }
}

class MotionAnalyser {
public:
    MotionAnalyser(const MusculoskeletalModel& model, const MuscleAnalysisOptions& options,
                   const MotionTable& activations)
        : model_(model),
          options_(options),
          activations_(activations),
          tree_(model),
          paths_(model, tree_),
          dynamics_(model, tree_),
          chosen_(named_muscles(model, options.only)),
          dense_(model.coordinates.size()) {}

    void name_columns(MuscleAnalysis& out) {
        for (const std::size_t m : chosen_) {
            const std::string& name = model_.muscles[m].name;
            for (const char* what :
                 {"length", "velocity", "fibre_length", "fibre_velocity", "pennation",
                  "tendon_length", "active_force", "passive_force", "force", "power"}) {
                out.muscles.columns.push_back(fmt::format("{}_{}", name, what));
            }
            arms_.push_back(arms_of(m));
            for (const std::size_t c : arms_.back()) {
                out.muscles.columns.push_back(
                    fmt::format("{}_moment_arm_{}", name, model_.coordinates[c].name));
            }
            columns_.push_back(activations_.times.empty()
                                   ? -1
                                   : find_column(activations_, model_.muscles[m].name));
        }
        for (const Coordinate& c : model_.coordinates) {
            out.moments.columns.push_back(c.name + (c.is_rotation ? "_moment" : "_force"));
            out.powers.columns.push_back(c.name + "_power");
        }
        for (const ModelJoint& joint : model_.joints) {
            for (const char* what : {"fx", "fy", "fz", "mx", "my", "mz"}) {
                out.reactions.columns.push_back(fmt::format("{}_{}", joint.name, what));
            }
        }
    }

    void add_frame(double time, std::span<const double> q, std::span<const double> speed,
                   std::span<const double> acceleration, const ExternalLoads& loads,
                   MuscleAnalysis& out) {
        tree_.place(q, placement_);
        paths_.evaluate(placement_, state_);
        wrenches_.clear();
        add_loads_at(loads, placement_, time, wrenches_);
        const std::vector<double> tau =
            dynamics_.inverse(placement_, speed, acceleration, wrenches_);
        const std::vector<double> u = tree_.coupled_speeds(placement_, speed);
        for (std::size_t c = 0; c < tau.size(); ++c) {
            out.moments.values.push_back(tau[c]);
            out.powers.values.push_back(tau[c] * speed[c]);
        }
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            add_muscle(i, time, u, out);
        }
        add_reactions(speed, acceleration, out);
    }

private:
    // Coordinates that a muscle has a moment about, couplers folded.
    std::vector<std::size_t> arms_of(std::size_t muscle) const {
        std::vector<bool> is_crossed(model_.coordinates.size(), false);
        for (const Index c : paths_.coordinates(muscle)) {
            is_crossed[at(c)] = true;
        }
        const auto& couplers = tree_.couplers();
        for (std::size_t k = couplers.size(); k-- > 0;) {
            const auto d = static_cast<std::size_t>(couplers[k].dependent);
            if (is_crossed[d]) {
                is_crossed[at(couplers[k].independent)] = true;
                is_crossed[d] = false;
            }
        }
        std::vector<std::size_t> out;
        for (std::size_t c = 0; c < is_crossed.size(); ++c) {
            if (is_crossed[c]) {
                out.push_back(c);
            }
        }
        return out;
    }

    void add_muscle(std::size_t i, double time, const std::vector<double>& u, MuscleAnalysis& out) {
        const std::size_t m = chosen_[i];
        const MuscleUnit& unit = model_.muscles[m];
        const double length = state_.length[m];
        paths_.scatter(state_, m, dense_);
        double velocity = 0.0;
        for (std::size_t c = 0; c < dense_.size(); ++c) {
            velocity += dense_[c] * u[c];
        }
        const double activation =
            columns_[i] < 0 ? options_.activation
                            : column_at(activations_, static_cast<std::size_t>(columns_[i]), time);
        const bool is_rigid = options_.tendon == TendonModel::Rigid;
        const MuscleForce f = is_rigid ? rigid_tendon_force(unit, length, velocity, activation)
                                       : equilibrium_force(unit, length, activation);
        // Along a rigid tendon the fibre's height is kept: l' = v cos(pennation).
        const double fibre_velocity = is_rigid ? velocity * std::cos(f.pennation) : 0.0;
        auto& values = out.muscles.values;
        values.insert(values.end(), {length, velocity, f.fibre, fibre_velocity, f.pennation,
                                     f.tendon, f.active, f.passive, f.total, -f.total * velocity});
        tree_.fold_couplers(placement_, dense_);
        for (const std::size_t c : arms_[i]) {
            values.push_back(-dense_[c]);
        }
        paths_.add_pull(m, placement_, f.total, wrenches_);
    }

    void add_reactions(std::span<const double> speed, std::span<const double> acceleration,
                       MuscleAnalysis& out) {
        const std::vector<JointLoad> passed =
            dynamics_.joint_loads(placement_, speed, acceleration, wrenches_);
        for (const ModelJoint& joint : model_.joints) {
            const auto b = static_cast<std::size_t>(joint.child);
            const Vec3 centre = placement_.bodies[b] * joint.child_frame.position;
            const Vec3 moment = passed[b].moment - centre.cross(passed[b].force);
            for (const Vec3& v : {passed[b].force, moment}) {
                out.reactions.values.insert(out.reactions.values.end(), {v.x(), v.y(), v.z()});
            }
        }
    }

    const MusculoskeletalModel& model_;
    const MuscleAnalysisOptions& options_;
    const MotionTable& activations_;
    KinematicTree tree_;
    MusclePaths paths_;
    RigidDynamics dynamics_;
    std::vector<std::size_t> chosen_;
    std::vector<double> dense_;
    std::vector<std::vector<std::size_t>> arms_ = {};
    std::vector<Index> columns_ = {};
    ModelPlacement placement_ = {};
    PathState state_ = {};
    std::vector<BodyLoad> wrenches_ = {};
};

}  // namespace

MuscleAnalysis analyse_muscles(const MusculoskeletalModel& model, const MotionTable& motion,
                               const MuscleAnalysisOptions& options, const MotionTable& activations,
                               const ExternalLoads& loads, const Progress& progress) {
    check_ranges(options, "muscle analysis");
    const CoordinateMotion m = coordinate_motion(model, motion, options.filter);
    const std::size_t n = model.coordinates.size();
    MuscleAnalysis out;
    out.notes = motion.notes;
    out.notes.insert(out.notes.end(), loads.notes.begin(), loads.notes.end());
    for (MotionTable* table : {&out.muscles, &out.moments, &out.powers, &out.reactions}) {
        table->times = m.times;
    }
    out.muscles.name = "Muscle Analysis";
    out.moments.name = "Inverse Dynamics";
    out.powers.name = "Joint Powers";
    out.reactions.name = "Joint Reactions";
    MotionAnalyser analyser(model, options, activations);
    analyser.name_columns(out);
    Progress::Stage stage = progress.stage("muscles over the motion", m.times.size());
    for (std::size_t r = 0; r < m.times.size(); ++r) {
        analyser.add_frame(m.times[r], std::span(m.q).subspan(r * n, n),
                           std::span(m.speed).subspan(r * n, n),
                           std::span(m.acceleration).subspan(r * n, n), loads, out);
        stage.advance();
    }
    for (std::size_t c = 0; c < out.muscles.columns.size(); ++c) {
        if (out.muscles.columns[c].ends_with("_power")) {
            const std::string& column = out.muscles.columns[c];
            out.muscle_work.push_back({.name = column.substr(0, column.size() - 6)});
            add_work(out.muscles, c, out.muscle_work.back());
        }
    }
    for (std::size_t c = 0; c < n; ++c) {
        out.joint_work.push_back({.name = model.coordinates[c].name});
        add_work(out.powers, c, out.joint_work.back());
    }
    return out;
}

}  // namespace sinew
