#include "sinew/pipeline/activations_job.h"

#include "sinew/base/error.h"
#include "sinew/io/external_loads_file.h"
#include "sinew/motion/load_wrench.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// From a motion to muscle activations: loads from a file, from a set-up or estimated from contact;
// inverse dynamics; static optimisation. Moments that no person has are named, for they tell of
// wrong units or masses.

namespace sinew {

ExternalLoads loads_for(const MusculoskeletalModel& model, const MotionTable& motion,
                        const LoadsJob& job, double filter) {
    const bool has_files = !job.loads.empty() || !job.loads_setup.empty();
    if (has_files && job.contact) {
        throw InputError({.where = "--contact",
                          .found = "measured loads beside it",
                          .needs = "either loads that were measured or an estimate",
                          .remedy = "leave out --contact"});
    }
    if (!job.loads.empty() && job.loads_setup.empty()) {
        throw InputError({.where = "--loads",
                          .found = fmt::format("'{}' without a set-up", job.loads),
                          .needs = "which of its columns act on which body",
                          .remedy = "name OpenSim's ExternalLoads (.xml) or a JSON with "
                                    "--loads-setup (docs/trials.md)"});
    }
    if (has_files) {
        return read_external_loads(model, job.loads_setup, job.loads);
    }
    if (job.contact) {
        return estimate_ground_loads(model, coordinate_motion(model, motion, filter),
                                     {.feet = job.feet});
    }
    return {};
}

std::vector<std::string> impossible_moments(const MusculoskeletalModel& model,
                                            const MotionTable& moments) {
    double mass = 0.0;
    for (const RigidBody& body : model.bodies) {
        mass += body.mass;
    }
    std::vector<std::string> out;
    const std::vector<Index> root = root_coordinates(model);
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        if (!model.coordinates[c].is_rotation ||
            std::find(root.begin(), root.end(), static_cast<Index>(c)) != root.end()) {
            continue;
        }
        double peak = 0.0;
        for (std::size_t r = 0; r < moments.times.size(); ++r) {
            peak = std::max(peak, std::abs(moments.at(r, c)));
        }
        if (peak > kGreatestMoment * std::max(mass, 1.0)) {
            out.push_back(fmt::format(
                "{} has a moment of {:.3g} N m, which nobody of {:.1f} kg can have: check units, "
                "filter and loads",
                model.coordinates[c].name, peak, mass));
        }
    }
    return out;
}

Activations run_activations(const MusculoskeletalModel& model, const MotionTable& motion,
                            const ActivationsJob& job, const Progress& progress) {
    if (std::all_of(model.bodies.begin(), model.bodies.end(),
                    [](const RigidBody& body) { return body.mass == 0.0; })) {
        throw InputError({.where = fmt::format("model '{}'", model.name),
                          .found = "bodies that weigh nothing",
                          .needs = "masses, for moments of a motion",
                          .remedy = "give the bodies their masses; kinematics and moment arms "
                                    "('sinew muscles', 'sinew ik') need none"});
    }
    StaticOptimisationOptions options = job.options;
    std::vector<std::string> notes = motion.notes;
    if (!job.reserves.empty()) {
        ReserveActuators read = read_reserve_actuators(job.reserves);
        // Those of the job override the file's.
        read.coordinates.insert(read.coordinates.end(), options.reserve_for.begin(),
                                options.reserve_for.end());
        options.reserve_for = std::move(read.coordinates);
        notes.insert(notes.end(), read.notes.begin(), read.notes.end());
        if (!read.root.empty()) {
            notes.push_back(
                fmt::format("{} actuators of the root: residuals are taken without a "
                            "bound and reported",
                            read.root.size()));
        }
    }
    Activations out;
    out.loads = loads_for(model, motion, job.loads, options.filter);
    out.result = optimise_motion(model, motion, options, progress, out.loads);
    out.result.notes.insert(out.result.notes.begin(), notes.begin(), notes.end());
    out.warnings = residual_warnings(out.result.residuals, !out.loads.loads.empty());
    const bool has_residuals = !out.warnings.empty();
    const std::vector<std::string> wild = impossible_moments(model, out.result.moments);
    out.warnings.insert(out.warnings.end(), wild.begin(), wild.end());
    out.is_usable =
        out.result.unsolved_frames == 0 && wild.empty() && !(job.strict && has_residuals);
    return out;
}

MotionTable table_of_loads(const ExternalLoads& loads, const MusculoskeletalModel& model,
                           const MotionTable& motion) {
    MotionTable out{.name = "External Loads", .times = motion.times};
    constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};
    for (const ExternalLoad& load : loads.loads) {
        for (const char* part : {"force_v", "force_p", "torque_"}) {
            for (const char axis : kAxes) {
                out.columns.push_back(fmt::format("{}_{}{}", load.name, part, axis));
            }
        }
    }
    const KinematicTree tree(model);
    const CoordinateMotion m = coordinate_motion(model, motion, 0.0);
    const std::size_t n = model.coordinates.size();
    std::vector<BodyLoad> wrenches;
    for (std::size_t r = 0; r < m.times.size(); ++r) {
        const ModelPlacement placement = tree.place(std::span(m.q).subspan(r * n, n));
        for (const ExternalLoad& load : loads.loads) {
            wrenches.clear();
            add_loads_at({.loads = {load}}, placement, m.times[r], wrenches);
            const BodyLoad at = wrenches.empty() ? BodyLoad{} : wrenches.front();
            // A force and the point on the ground where it acts; the rest is torque.
            const Vec3 up =
                model.gravity.norm() > 0.0 ? Vec3(-model.gravity.normalized()) : Vec3::UnitY();
            const double vertical = at.force.dot(up);
            const Vec3 point =
                std::abs(vertical) > 1e-9 ? Vec3(up.cross(at.moment) / vertical) : Vec3::Zero();
            const Vec3 torque = at.moment - point.cross(at.force);
            for (const Vec3& v : {at.force, point, torque}) {
                out.values.insert(out.values.end(), {v.x(), v.y(), v.z()});
            }
        }
    }
    return out;
}

}  // namespace sinew
