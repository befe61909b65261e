#include "bench/musculoskeletal_bench.h"

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/base/timer.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/osim.h"
#include "sinew/motion/static_optimisation.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "tests/support/mujoco_world.h"

namespace sinew::bench {

namespace {

struct DeleteModel {
    void operator()(mjModel* m) const {
        mj_deleteModel(m);
    }
};
struct DeleteData {
    void operator()(mjData* d) const {
        mj_deleteData(d);
    }
};

struct World {
    std::unique_ptr<mjModel, DeleteModel> model;
    std::unique_ptr<mjData, DeleteData> data;
    std::vector<int> address;
};

World load(const MusculoskeletalModel& source) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() /
        ("sinew-bench-" + std::to_string(reinterpret_cast<std::uintptr_t>(&source)) + ".xml");
    write_mjcf(file, source);
    std::array<char, 1000> error{};
    World world;
    world.model.reset(mj_loadXML(file.c_str(), nullptr, error.data(), error.size()));
    std::filesystem::remove(file);
    if (!world.model) {
        throw InputError({.where = "MuJoCo",
                          .found = error.data(),
                          .needs = "a model that it loads",
                          .remedy = "use another model"});
    }
    world.data.reset(mj_makeData(world.model.get()));
    for (const Coordinate& c : source.coordinates) {
        const int joint = mj_name2id(world.model.get(), mjOBJ_JOINT, c.name.c_str());
        world.address.push_back(world.model->jnt_qposadr[joint]);
    }
    return world;
}

// Median time of a call, us.
template <class Call>
double time_us(Call&& call) {
    std::vector<double> times;
    for (int batch = 0; batch < 21; ++batch) {
        const Timer timer;
        for (int i = 0; i < 50; ++i) {
            call(i);
        }
        times.push_back(timer.seconds() * 1e6 / 50.0);
    }
    std::nth_element(times.begin(), times.begin() + 10, times.end());
    return times[10];
}

std::vector<std::vector<double>> random_poses(const MusculoskeletalModel& model, int count) {
    Random random(Seed{1});
    std::vector<std::vector<double>> poses;
    for (int i = 0; i < count; ++i) {
        std::vector<double> q;
        for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
            q.push_back(random.uniform(-0.8, 0.8));
        }
        poses.push_back(q);
    }
    return poses;
}

void time_paths(const MusculoskeletalModel& blended, const MusculoskeletalModel& fixed,
                MusculoskeletalBench& out) {
    const KinematicTree tree(blended);
    const MusclePaths blended_paths(blended, tree);
    const MusclePaths fixed_paths(fixed, tree);
    World world = load(fixed);
    const auto poses = random_poses(blended, 1000);
    ModelPlacement place;
    PathState a;
    PathState b;
    for (const std::vector<double>& q : poses) {
        for (std::size_t c = 0; c < q.size(); ++c) {
            world.data->qpos[world.address[c]] = q[c];
        }
        mj_kinematics(world.model.get(), world.data.get());
        mj_comPos(world.model.get(), world.data.get());
        mj_tendon(world.model.get(), world.data.get());
        tree.place(q, place);
        blended_paths.evaluate(place, a);
        fixed_paths.evaluate(place, b);
        for (std::size_t m = 0; m < fixed.muscles.size(); ++m) {
            out.mujoco_length_error_m = std::max(out.mujoco_length_error_m,
                                                 std::abs(world.data->ten_length[m] - b.length[m]));
            out.blended_length_difference_m =
                std::max(out.blended_length_difference_m, std::abs(a.length[m] - b.length[m]));
        }
    }
    out.paths_us = time_us([&](int i) {
        tree.place(poses[at(i)], place);
        blended_paths.evaluate(place, a);
    });
    out.fixed_paths_us = time_us([&](int i) {
        tree.place(poses[at(i)], place);
        fixed_paths.evaluate(place, b);
    });
    out.mujoco_tendons_us = time_us([&](int i) {
        const std::vector<double>& q = poses[at(i)];
        for (std::size_t c = 0; c < q.size(); ++c) {
            world.data->qpos[world.address[c]] = q[c];
        }
        mj_kinematics(world.model.get(), world.data.get());
        mj_comPos(world.model.get(), world.data.get());
        mj_tendon(world.model.get(), world.data.get());
    });
    out.paths_speedup = out.mujoco_tendons_us / out.fixed_paths_us;
}

// MuJoCo moves the bodies; muscles pull through our Jacobians.
void time_steps(const MusculoskeletalModel& model, MusculoskeletalBench& out) {
    MusculoskeletalModel bones = model;
    bones.muscles.clear();
    MujocoWorld world(model, format_mjcf(bones).text);
    const std::vector<double> activation(model.muscles.size(), 0.05);
    constexpr int kSteps = 2000;
    const Timer timer;
    for (int i = 0; i < kSteps; ++i) {
        world.step(activation);
    }
    out.steps_per_s = kSteps / timer.seconds();
}

double rms_over(const MotionTable& a, const MotionTable& b, bool relative) {
    double worst = 0.0;
    for (std::size_t c = 0; c < b.columns.size(); ++c) {
        const auto column = static_cast<std::size_t>(find_column(a, b.columns[c]));
        double sum = 0.0;
        double peak = 0.0;
        for (std::size_t r = 0; r < b.times.size(); ++r) {
            const double d = a.at(r, column) - b.at(r, c);
            sum += d * d;
            peak = std::max(peak, std::abs(b.at(r, c)));
        }
        const double rms = std::sqrt(sum / static_cast<double>(b.times.size()));
        worst = std::max(worst, relative ? rms / peak : rms);
    }
    return worst;
}

void time_arm(const std::filesystem::path& folder, MusculoskeletalBench& out) {
    const MusculoskeletalModel model = read_osim(folder / "arm26.osim");
    const MotionTable motion = read_motion_table(folder / "arm26_InverseKinematics.mot");
    const StaticOptimisation done = optimise_motion(model, motion);
    out.arm_frames_per_s = static_cast<double>(motion.times.size()) / done.seconds;
    out.arm_moment_error =
        rms_over(done.moments, read_motion_table(folder / "arm26_InverseDynamics.sto"), true);
    out.arm_activation_error =
        rms_over(done.activations,
                 read_motion_table(folder / "arm26_StaticOptimization_activation.sto"), false);
    out.arm_force_error = rms_over(
        done.forces, read_motion_table(folder / "arm26_StaticOptimization_force.sto"), true);
}

// A slow sway of all joints.
void time_whole(const MusculoskeletalModel& model, MusculoskeletalBench& out) {
    MotionTable motion;
    for (const Coordinate& c : model.coordinates) {
        motion.columns.push_back(c.name);
    }
    constexpr int kFrames = 200;
    for (int i = 0; i < kFrames; ++i) {
        motion.times.push_back(0.01 * i);
        for (std::size_t c = 0; c < motion.columns.size(); ++c) {
            motion.values.push_back(0.1 * std::sin(0.05 * i + static_cast<double>(c)));
        }
    }
    out.frames_per_s = kFrames / optimise_motion(model, motion).seconds;
}

}  // namespace

MusculoskeletalBench run_musculoskeletal_bench(const std::filesystem::path& data,
                                               const Progress& progress) {
    Progress::Stage stage = progress.stage("musculoskeletal", 4);
    MusculoskeletalBench out;
    const MusculoskeletalModel blended =
        read_mass(data / "mass/human.xml", data / "mass/muscle284.xml");
    const MusculoskeletalModel fixed = read_mass(
        data / "mass/human.xml", data / "mass/muscle284.xml", {.blends_waypoints = false});
    out.units = static_cast<int>(blended.muscles.size());
    out.coordinates = static_cast<int>(blended.coordinates.size());
    time_paths(blended, fixed, out);
    stage.advance();
    time_steps(blended, out);
    stage.advance();
    time_whole(blended, out);
    stage.advance();
    time_arm(data / "arm26", out);
    stage.advance();
    return out;
}

}  // namespace sinew::bench
