#include "bench/trial_bench.h"

#include "sinew/base/error.h"
#include "sinew/io/external_loads_file.h"
#include "sinew/io/ik_setup_file.h"
#include "sinew/io/motion_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/osim.h"
#include "sinew/io/trc.h"
#include "sinew/motion/ground_contact.h"
#include "sinew/motion/inverse_kinematics.h"
#include "sinew/motion/load_wrench.h"
#include "sinew/motion/static_optimisation.h"

#include <cmath>
#include <ctime>

namespace sinew::bench {

namespace {

// Seconds of this process's own time: others on the machine do not count.
double cpu_seconds() {
    return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

TrialBench::Named errors_of(const MotionTable& ours, const MotionTable& reference,
                            bool is_relative) {
    TrialBench::Named out;
    for (std::size_t c = 0; c < reference.columns.size(); ++c) {
        const Index column = find_column(ours, reference.columns[c]);
        double sum = 0.0;
        double peak = 0.0;
        for (std::size_t r = 0; column >= 0 && r < reference.times.size(); ++r) {
            sum += std::pow(ours.at(r, static_cast<std::size_t>(column)) - reference.at(r, c), 2);
            peak = std::max(peak, std::abs(reference.at(r, c)));
        }
        const double rms = std::sqrt(sum / static_cast<double>(reference.times.size()));
        out.emplace_back(reference.columns[c], is_relative ? rms / peak : rms);
    }
    return out;
}

// RMS of followed markers in a motion that is given, degrees and m.
double rms_in(const MusculoskeletalModel& model, const MotionTable& motion, const MarkerData& data,
              const IkSetup& setup) {
    const KinematicTree tree(model);
    const CoordinateMotion m = coordinate_motion(model, motion, 0.0);
    const std::size_t n = model.coordinates.size();
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t r = 0; r < m.times.size(); ++r) {
        const ModelPlacement placed = tree.place(std::span(m.q).subspan(r * n, n));
        for (const auto& [name, weight] : setup.markers) {
            const Index column = find_marker(data, name);
            for (const ModelMarker& marker : model.markers) {
                if (weight > 0.0 && column >= 0 && marker.name == name) {
                    const Vec3 x = placed.bodies[at(marker.body)] * marker.position;
                    sum += (x - data.at(r, static_cast<std::size_t>(column))).squaredNorm();
                    ++count;
                }
            }
        }
    }
    return std::sqrt(sum / static_cast<double>(count));
}

// A person of 23 coordinates swinging about, with three markers on every body.
void time_gait2392(const std::filesystem::path& file, TrialBench& out) {
    if (!std::filesystem::exists(file)) {
        return;
    }
    MusculoskeletalModel model = read_osim(file);
    model.markers.clear();
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        for (int k = 0; k < 3; ++k) {
            model.markers.push_back({model.bodies[b].name + std::to_string(k),
                                     static_cast<Index>(b), Vec3(0.08 * Vec3::Unit(k))});
        }
    }
    const KinematicTree tree(model);
    MotionTable motion;
    MarkerData data;
    for (const ModelMarker& m : model.markers) {
        data.names.push_back(m.name);
    }
    for (const Coordinate& c : model.coordinates) {
        motion.columns.push_back(c.name);
    }
    constexpr int kFrames = 500;
    for (int f = 0; f < kFrames; ++f) {
        const double t = f / 100.0;
        data.times.push_back(t);
        std::vector<double> q = rest_coordinates(model);
        for (std::size_t c = 0; c < q.size(); ++c) {
            const double swing = model.coordinates[c].is_rotation ? 0.3 : 0.05;
            q[c] += swing * std::sin(5.0 * t + static_cast<double>(c));
        }
        motion.values.insert(motion.values.end(), q.begin(), q.end());
        const ModelPlacement placed = tree.place(q);
        for (std::size_t k = 0; k < model.markers.size(); ++k) {
            // Skin slides by millimetres, elsewhere differently.
            const ModelMarker& m = model.markers[k];
            const double phase = 7.0 * t + static_cast<double>(k);
            const Vec3 slip =
                3e-3 * Vec3(std::sin(phase), std::cos(1.3 * phase), std::sin(2.0 * phase));
            data.positions.push_back(placed.bodies[at(m.body)] * m.position + slip);
        }
    }
    motion.times = data.times;
    const double begin = cpu_seconds();
    const IkResult done = follow_markers(model, data);
    out.gait2392_frames_per_s = kFrames / (cpu_seconds() - begin);
    out.gait2392_ik_rms_m = done.rms;
    const double begin_optimisation = cpu_seconds();
    optimise_motion(model, motion);
    out.gait2392_optimisation_frames_per_s = kFrames / (cpu_seconds() - begin_optimisation);
}

// When muscles of the right leg peak in its stance that is whole, as a share of it.
void find_peaks(const StaticOptimisation& done, const ExternalLoads& loads, TrialBench& out) {
    const ExternalLoad& right = loads.loads.at(0);
    constexpr double kTouch = 20.0;  // N
    double begin = -1.0;
    double end = -1.0;
    for (std::size_t i = 1; i < right.times.size() && end < 0.0; ++i) {
        const bool was = right.force[i - 1].y() > kTouch;
        const bool is = right.force[i].y() > kTouch;
        begin = !was && is ? right.times[i] : begin;
        end = was && !is && begin >= 0.0 ? right.times[i] : end;
    }
    for (const char* name : {"soleus_r", "gastroc_r", "vasti_r"}) {
        const Index column = find_column(done.forces, name);
        std::pair<double, double> best = {-1.0, 0.0};
        for (std::size_t r = 0; column >= 0 && r < done.forces.times.size(); ++r) {
            const double t = done.forces.times[r];
            if (t >= begin && t <= end) {
                best = std::max(best, {done.forces.at(r, static_cast<std::size_t>(column)),
                                       (t - begin) / (end - begin)});
            }
        }
        out.peak_of_stance.emplace_back(name, best.second);
    }
}

}  // namespace

TrialBench run_trial_bench(const std::filesystem::path& data, const Progress& progress) {
    const std::filesystem::path folder = data / "trials" / "gait10dof18musc";
    const MusculoskeletalModel model = read_osim(folder / "subject01.osim");
    const MotionTable motion = read_model_motion(folder / "subject01_walk_IK.mot", model).motion;
    const ExternalLoads loads = read_external_loads(model, folder / "subject01_walk_grf.xml");
    const MotionTable reference = read_motion_table(folder / "subject01_walk_ID.sto");
    TrialBench out;
    out.moment_error = errors_of(inverse_dynamics(model, motion, 6.0, loads), reference, true);
    const ExternalLoads guess = estimate_ground_loads(model, coordinate_motion(model, motion, 6.0));
    out.estimated_moment_error =
        errors_of(inverse_dynamics(model, motion, 6.0, guess), reference, true);
    const KinematicTree tree(model);
    const ModelPlacement rest = tree.place(rest_coordinates(model));
    double sum = 0.0;
    for (const double time : motion.times) {
        std::vector<BodyLoad> a;
        std::vector<BodyLoad> b;
        add_loads_at(loads, rest, time, a);
        add_loads_at(guess, rest, time, b);
        for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) {
            sum += std::pow(a[k].force.y() - b[k].force.y(), 2);
        }
    }
    out.estimated_force_error = std::sqrt(sum / (2.0 * static_cast<double>(motion.times.size()))) /
                                (RigidDynamics(model, tree).total_mass() * model.gravity.norm());
    const double begin = cpu_seconds();
    const StaticOptimisation done = optimise_motion(model, motion, {}, progress, loads);
    out.optimisation_frames_per_s =
        static_cast<double>(motion.times.size()) / (cpu_seconds() - begin);
    for (const Residual& r : done.residuals) {
        out.residual_share.emplace_back(r.coordinate, r.share);
    }
    find_peaks(done, loads, out);
    const IkSetup setup = read_ik_setup(folder / "walk_Setup_IK.xml");
    const MarkerData markers = read_trc(folder / "subject01_walk.trc");
    const double begin_ik = cpu_seconds();
    const IkResult ik = follow_markers(
        model, markers, {.weights = setup.markers, .weight = setup.weight}, progress);
    out.ik_frames_per_s = static_cast<double>(markers.times.size()) / (cpu_seconds() - begin_ik);
    out.ik_rms_m = ik.rms;
    const MotionTable reference_motion = read_motion_table(folder / "subject01_walk_IK.mot");
    out.reference_rms_m = rms_in(model, reference_motion, markers, setup);
    out.coordinate_error = errors_of(ik.motion, reference_motion, false);
    time_gait2392(data / "opensim" / "gait2392_thelen2003muscle.osim", out);
    return out;
}

}  // namespace sinew::bench
