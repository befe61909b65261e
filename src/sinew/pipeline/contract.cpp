#include "sinew/pipeline/contract.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/body/names.h"
#include "sinew/io/archive.h"
#include "sinew/io/motion_table.h"
#include "sinew/motion/body_model.h"
#include "sinew/muscle/muscle_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

// Contractions over time: muscles of a body, or one on the bench, with activations that are
// constant, a ramp, a table or from key frames [Teran2003, section 7]. Statics solves every frame
// to rest; in time the first frame is at rest under gravity, so that motion starts from calm.

namespace sinew {

namespace {

std::optional<double> number_in(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

[[noreturn]] void refuse_activation(const std::string& text, const std::string& where) {
    throw InputError({.where = where,
                      .found = fmt::format("'{}'", text),
                      .needs = "a number from 0 to 1, a ramp as in 0..1, keys, keys-hill, or a "
                               ".sto file",
                      .remedy = "give an activation as in 0.5"});
}

std::vector<Index> chosen_muscles(const Body& body, const std::vector<std::string>& words) {
    std::set<Index> found;
    for (const std::string& word : words) {
        for (const Index m : find_muscles(body.muscles, word, "--muscles")) {
            if (!body.muscles[static_cast<std::size_t>(m)].is_passive) {
                found.insert(m);
            }
        }
    }
    return {found.begin(), found.end()};
}

/// @throws InputError  for a table in which none of the muscles has a column
void require_columns(const MotionTable& table, const std::vector<std::string>& muscles) {
    const bool is_any = std::any_of(muscles.begin(), muscles.end(), [&](const std::string& name) {
        return find_column(table, name) >= 0;
    });
    if (!is_any) {
        throw InputError({.where = "activations",
                          .found = "a table without any of the muscles",
                          .needs = fmt::format("columns as in {}", muscles.at(0)),
                          .remedy = "name columns after muscles"});
    }
}

/// Activation of every muscle of the scene at a time.
class ActivationCourse {
public:
    ActivationCourse(const ContractJob& job, const MuscleScene& scene, const MotionTable& keys)
        : job_(job), count_(scene.names.size()) {
        const auto kind = job.activation.kind;
        if (kind == ActivationPlan::Kind::Table || kind == ActivationPlan::Kind::KeyFrames) {
            table_ = kind == ActivationPlan::Kind::Table ? job.activation.table : keys;
            require_columns(table_, scene.names);
            for (const std::string& name : scene.names) {
                column_.push_back(find_column(table_, name));
            }
        }
    }

    std::vector<double> at(double time, double share) const {
        const ActivationPlan& plan = job_.activation;
        std::vector<double> a(count_, plan.to);
        if (plan.kind == ActivationPlan::Kind::Ramp) {
            std::fill(a.begin(), a.end(), plan.from + share * (plan.to - plan.from));
        } else if (plan.kind == ActivationPlan::Kind::Constant) {
            // Muscles need some 50 ms to rise [Zajac1989]; in statics the way there is the ramp.
            constexpr double kRise = 0.1;
            const double rise = job_.is_static ? share : std::min(1.0, time / kRise);
            std::fill(a.begin(), a.end(), plan.to * rise);
        } else {
            for (std::size_t m = 0; m < count_; ++m) {
                a[m] = column_[m] < 0
                           ? 0.0
                           : value_at(table_, static_cast<std::size_t>(column_[m]), time);
            }
        }
        for (double& x : a) {
            x = std::clamp(x, 0.0, 1.0);
        }
        return a;
    }

private:
    const ContractJob& job_;
    std::size_t count_;
    MotionTable table_ = {};
    std::vector<Index> column_ = {};
};

/// Everything needed to run.
struct Stage {
    MuscleScene scene = {};
    MotionTable key_activations = {};
    Skeleton skeleton = {};
};

Stage prepare(const ContractJob& job, const Progress& progress) {
    Stage stage;
    if (job.body.empty()) {
        stage.scene = bench_scene(bench_with(job.scene.tets));
        return stage;
    }
    const Body body = read_archive(job.body);
    const std::vector<Index> muscles = chosen_muscles(body, job.muscles);
    if (job.activation.kind == ActivationPlan::Kind::Table && !muscles.empty()) {
        // Filling takes long: the table is looked at before.
        std::vector<std::string> names;
        for (const Index m : muscles) {
            names.push_back(body.muscles[static_cast<std::size_t>(m)].name);
        }
        require_columns(job.activation.table, names);
    }
    stage.scene = muscle_scene_from_body(body, muscles, job.scene, progress);
    stage.skeleton = body.skeleton;
    if (job.activation.kind == ActivationPlan::Kind::KeyFrames) {
        if (job.keys.coordinates.times.empty()) {
            throw InputError({.where = "activation from key frames",
                              .found = "no key frames",
                              .needs = "poses at times",
                              .remedy = "give keys in the scene file"});
        }
        stage.key_activations = key_frame_activations(model_from_body(body), job.keys,
                                                      job.activation.is_linear, progress);
    }
    return stage;
}

std::vector<Eigen::Isometry3d> motions_at(const ContractJob& job, const Stage& stage, double time,
                                          double share) {
    if (job.body.empty()) {
        Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
        T.translation().y() = share * job.stretch;
        return {T};
    }
    if (job.keys.coordinates.times.empty()) {
        return std::vector<Eigen::Isometry3d>(static_cast<std::size_t>(stage.scene.frames),
                                              Eigen::Isometry3d::Identity());
    }
    return segment_motions(stage.skeleton, pose_at(stage.skeleton, job.keys, time));
}

void require_job(const ContractJob& job) {
    if (!(job.duration > 0.0) || !(job.rate > 0.0) || job.substeps < 1 || job.static_frames < 2 ||
        job.duration * job.rate > 1e6) {
        throw InputError({.where = "contraction",
                          .found = fmt::format("duration {} s, rate {} Hz, {} substeps",
                                               job.duration, job.rate, job.substeps),
                          .needs = "all above zero, at most a million frames",
                          .remedy = "give a duration as in 1 and a rate as in 60"});
    }
}

/// One frame further. @return Newton iterations
int step_frame(const ContractJob& job, const Stage& stage, const ActivationCourse& activations,
               double begin, double end, double total, MuscleSimulator& simulator, ContractRun& run,
               const Progress& progress) {
    if (job.is_static) {
        simulator.set_activation(activations.at(end, total > 0.0 ? end / total : 1.0));
        simulator.set_frames(motions_at(job, stage, end, total > 0.0 ? end / total : 1.0));
        const NewtonReport report = simulator.settle(MuscleSimulator::kStatics, progress);
        run.stalled_steps += report.status != SolverStatus::Converged;
        return report.iterations;
    }
    int iterations = 0;
    for (int s = 1; s <= job.substeps; ++s) {
        const double t = begin + (end - begin) * s / job.substeps;
        simulator.set_activation(activations.at(t, t / total));
        simulator.set_frames(motions_at(job, stage, t, t / total));
        const NewtonReport report = simulator.advance((end - begin) / job.substeps, progress);
        run.stalled_steps += report.status == SolverStatus::Stalled;
        iterations += report.iterations;
    }
    return iterations;
}

}  // namespace

BenchMuscle bench_with(int tets) {
    // 24 around^2 rings tetrahedra, 15 times as many rings as half an element's row.
    BenchMuscle bench;
    bench.around = std::clamp(static_cast<int>(std::lround(std::cbrt(tets / 360.0))), 1, 12);
    bench.rings = 15 * bench.around;
    return bench;
}

ActivationPlan parse_activation(const std::string& text, const std::string& where) {
    const auto in_range = [](const std::optional<double>& a) {
        return a && *a >= 0.0 && *a <= 1.0;
    };
    ActivationPlan plan;
    if (text == "keys" || text == "keys-hill") {
        plan.kind = ActivationPlan::Kind::KeyFrames;
        plan.is_linear = text == "keys";
        return plan;
    }
    if (const auto dots = text.find(".."); dots != std::string::npos) {
        const auto from = number_in(std::string_view(text).substr(0, dots));
        const auto to = number_in(std::string_view(text).substr(dots + 2));
        if (in_range(from) && in_range(to)) {
            plan.kind = ActivationPlan::Kind::Ramp;
            plan.from = *from;
            plan.to = *to;
            return plan;
        }
    }
    if (const auto constant = number_in(text)) {
        if (!in_range(constant)) {
            refuse_activation(text, where);
        }
        plan.to = *constant;
        return plan;
    }
    const std::string ending = lower(std::filesystem::path(text).extension().string());
    if (ending != ".sto" && ending != ".mot") {
        refuse_activation(text, where);
    }
    plan.kind = ActivationPlan::Kind::Table;
    plan.table = read_motion_table(text);
    return plan;
}

ContractRun run_contraction(const ContractJob& job, const Progress& progress,
                            const ContractCallback& callback) {
    require_job(job);
    ContractRun run;
    const Timer filling;
    Stage stage = prepare(job, progress);
    const ActivationCourse activations(job, stage.scene, stage.key_activations);
    MuscleSimulator simulator(stage.scene, job.simulator);
    run.seconds_fill = filling.seconds();

    const bool is_ramp = job.is_static && job.keys.coordinates.times.empty() &&
                         job.activation.kind != ActivationPlan::Kind::Table;
    const int count =
        is_ramp ? job.static_frames - 1 : static_cast<int>(std::lround(job.duration * job.rate));
    const double total = job.duration;
    auto bar = progress.stage("contract", static_cast<std::uint64_t>(count) + 1);
    for (int f = 0; f <= count; ++f) {
        const Timer timer;
        int iterations = 0;
        if (f == 0) {
            // The first frame is at rest under gravity, so that motion starts from calm.
            simulator.set_activation(activations.at(0.0, 0.0));
            simulator.set_frames(motions_at(job, stage, 0.0, 0.0));
            // Relaxed muscles are soft: calm to a thousandth is calm enough.
            iterations = simulator
                             .settle({.max_iterations = 60,
                                      .tolerance = 1e-3,
                                      .is_minimum_checked = false,
                                      .exact_below = MuscleSimulator::kExactBelow,
                                      .still = 1e-4,
                                      .is_single_tried = true},
                                     progress)
                             .iterations;
        } else {
            iterations = step_frame(job, stage, activations, total * (f - 1) / count,
                                    total * f / count, total, simulator, run, progress);
        }
        run.seconds_simulate += timer.seconds();
        ContractFrame frame{
            .time = total * f / count, .muscles = simulator.states(), .iterations = iterations};
        if (const std::vector<MuscleOverlap> found = simulator.overlaps(); !found.empty()) {
            frame.deepest = found[0];
        }
        for (const MuscleState& s : frame.muscles) {
            run.largest_volume_change =
                std::max(run.largest_volume_change, std::abs(s.volume_change));
        }
        run.deepest = frame.deepest.depth > run.deepest.depth ? frame.deepest : run.deepest;
        run.is_finite = run.is_finite && simulator.positions().allFinite();
        run.frames.push_back(std::move(frame));
        run.positions.push_back(simulator.positions());
        run.motions.push_back(motions_at(job, stage, total * f / count, double(f) / count));
        if (callback) {
            callback(f, simulator);
        }
        bar.advance();
    }
    run.scene = std::move(stage.scene);
    return run;
}

}  // namespace sinew
