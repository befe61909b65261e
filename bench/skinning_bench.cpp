#include "bench/skinning_bench.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/geometry/measure.h"
#include "sinew/meshing/decimate.h"
#include "sinew/skinning/blend_skinning.h"
#include "sinew/skinning/projective_skinning.h"
#include "sinew/skinning/skin_upsampling.h"

#include <algorithm>
#include <cmath>

#include "tests/support/capsule_person.h"
#include "tests/support/shapes.h"

namespace sinew::bench {
namespace {

using support::capsule_person;
using support::capsule_person_skin;
using support::dance;

// Of each frame of a dance, the least time of several rounds: other programs only add to it.
struct FrameTimes {
    std::vector<double> least = {};  // s
    double local = 0.0;              // ms per frame, of the last round
    double global = 0.0;

    double ms() const {
        double sum = 0.0;
        for (const double seconds : least) {
            sum += seconds;
        }
        return 1e3 * sum / static_cast<double>(least.size());
    }
};

void time_frames(ProjectiveSkinning& skinning, const CharacterSkeleton& skeleton, int frames,
                 FrameTimes& times, const SkinUpsampling* upsampling = nullptr) {
    Points fine;
    skinning.reset(rest_pose(skeleton), 3);
    times.least.resize(static_cast<std::size_t>(frames), 1e9);
    times.local = 0.0;
    times.global = 0.0;
    for (int f = 1; f <= frames; ++f) {
        const CharacterPose pose = dance(skeleton, f);
        Timer timer;
        const SkinFrameReport report = skinning.step(pose);
        if (upsampling != nullptr) {
            timer = Timer();
            upsampling->apply(skinning.skin(), fine);
        }
        double& least = times.least[static_cast<std::size_t>(f) - 1];
        least = std::min(least, timer.seconds());
        times.local += 1e3 * report.seconds_local / frames;
        times.global += 1e3 * report.seconds_global / frames;
    }
}

struct Depths {
    double mean = 0.0;  // m, of vertices inside, over all frames
    double deepest = 0.0;
};

Depths measure_depths(ProjectiveSkinning& skinning, const CharacterSkeleton& skeleton, int frames) {
    Depths depths;
    skinning.reset(rest_pose(skeleton), 3);
    double vertices = 0.0;
    for (int f = 1; f <= frames; ++f) {
        skinning.step(dance(skeleton, f));
        const ProjectiveSkinning::Penetration inside = skinning.penetration();
        vertices += inside.vertices;
        depths.mean += inside.vertices * inside.mean;
        depths.deepest = std::max(depths.deepest, inside.deepest);
    }
    depths.mean /= std::max(1.0, vertices);
    return depths;
}

// All kinds of runs in turn, so that they see the same machine.
void time_person(const TriangleMesh& coarse, const TriangleMesh& fine,
                 const CharacterSkeleton& skeleton, int frames, SkinningBench& result) {
    constexpr int kRounds = 3;
    const Timer prepare;
    ProjectiveSkinning plain(coarse, skeleton);
    result.preprocess_s = prepare.seconds();
    result.simulated_vertices = static_cast<int>(plain.simulated_vertices());
    result.tets = static_cast<int>(plain.flesh().tets.rows());
    const Timer prepare_pairs;
    ProjectiveSkinning local(coarse, skeleton, {.collisions = SkinCollisions::Local});
    result.preprocess_local_s = prepare_pairs.seconds();
    ProjectiveSkinning global(coarse, skeleton, {.collisions = SkinCollisions::Global});
    const Timer weights;
    const SkinUpsampling upsampling(coarse, fine);
    result.upsampling_s = weights.seconds();
    FrameTimes times[4];
    for (int round = 0; round < kRounds; ++round) {
        time_frames(plain, skeleton, frames, times[0]);
        time_frames(local, skeleton, frames, times[1]);
        time_frames(global, skeleton, frames, times[2]);
        time_frames(plain, skeleton, frames, times[3], &upsampling);
    }
    result.fps = 1e3 / times[0].ms();
    result.local_ms = times[0].local;
    result.global_ms = times[0].global;
    result.fps_local_collisions = 1e3 / times[1].ms();
    result.fps_global_collisions = 1e3 / times[2].ms();
    // Upsampling alone, in frames that are simulated: runs differ by more than it takes.
    result.fps_upsampled = 1e3 / (times[0].ms() + times[3].ms());
    result.mean_penetration_none = measure_depths(plain, skeleton, frames).mean;
    result.mean_penetration_local = measure_depths(local, skeleton, frames).mean;
    const Depths depths = measure_depths(global, skeleton, frames);
    result.mean_penetration_global = depths.mean;
    result.max_penetration_global = depths.deepest;
}

}  // namespace

std::vector<SkinComparison> compare_skinning() {
    // An arm of 60 cm and 9 cm across, with the elbow in the middle.
    const TriangleMesh skin = support::cylinder(0.045, 0.6, 36, 72);
    CharacterSkeleton skeleton;
    skeleton.joints = {{.name = "shoulder", .parent = -1, .position = Vec3(0, 0.05, 0)},
                       {.name = "elbow", .parent = 0, .position = Vec3(0, 0.3, 0)},
                       {.name = "hand", .parent = 1, .position = Vec3(0, 0.55, 0)}};
    const double rest = enclosed_volume(skin);
    constexpr int kFrames = 40;
    std::vector<SkinComparison> all;
    const struct {
        const char* name;
        double angle;
        Vec3 axis;
    } poses[] = {{"bent_elbow", 2.0, Vec3::UnitX()}, {"twisted_forearm", 2.6, Vec3::UnitY()}};
    for (const auto& wanted : poses) {
        const auto pose = [&](double share) {
            JointRotations r;
            r.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
            r.rotations[1] = Eigen::AngleAxisd(share * wanted.angle, wanted.axis);
            return pose_of(skeleton, r);
        };
        const auto add = [&](const char* method, ProjectiveSkinning& skinning) {
            const ProjectiveSkinning::Penetration inside = skinning.penetration();
            all.push_back({wanted.name, method,
                           std::abs(enclosed_volume(skinning.skin(), skin.triangles) / rest - 1.0),
                           inside.deepest, inside.mean});
        };
        ProjectiveSkinning skinning(skin, skeleton);
        const BlendSkinning blend(skinning.flesh(), skinning.bones());
        skinning.place(pose(1.0), blend.posed(pose(1.0), BlendMethod::Linear));
        add("lbs", skinning);
        skinning.place(pose(1.0), blend.posed(pose(1.0), BlendMethod::DualQuaternions));
        add("dqs", skinning);
        for (const SkinCollisions kind : {SkinCollisions::None, SkinCollisions::Global}) {
            ProjectiveSkinning moving(skin, skeleton, {.collisions = kind});
            for (int f = 1; f <= kFrames; ++f) {
                moving.step(pose(std::min(1.0, 2.0 * f / kFrames)));
            }
            add(kind == SkinCollisions::None ? "projective" : "projective_global", moving);
        }
    }
    return all;
}

SkinningBench run_skinning_bench(const SkinningBenchOptions& options, const Progress& progress) {
    constexpr double kFineCell = 0.0113;    // m: about 20k vertices
    constexpr double kFinestCell = 0.0065;  // m: about 60k
    SkinningBench result;
    result.threads = thread_count();
    const CharacterSkeleton skeleton = capsule_person();
    const TriangleMesh fine = capsule_person_skin(kFineCell);
    const auto coarse_of = [&](int vertices) {
        return decimated(fine, {.target_triangles = 2 * vertices, .evenness = 0.1});
    };
    const TriangleMesh coarse = coarse_of(options.vertices);
    result.fine_vertices = static_cast<int>(fine.points.rows());
    auto stage = progress.stage("skinning bench", options.with_scaling ? 6 : 1);

    time_person(coarse, fine, skeleton, options.frames, result);
    result.comparison = compare_skinning();
    stage.advance();
    const auto add_size = [&](const TriangleMesh& skin) {
        ProjectiveSkinning sized(skin, skeleton);
        result.scaling_vertices.push_back(static_cast<int>(sized.simulated_vertices()));
        FrameTimes times;
        time_frames(sized, skeleton, options.frames / 3, times);
        result.scaling_ms.push_back(times.ms());
        stage.advance();
    };
    if (options.with_scaling) {
        for (const int vertices : {1000, 2500, 7000}) {
            add_size(coarse_of(vertices));
        }
        add_size(fine);
        add_size(capsule_person_skin(kFinestCell));
        result.scaling_exponent = std::log(result.scaling_ms.back() / result.scaling_ms.front()) /
                                  std::log(static_cast<double>(result.scaling_vertices.back()) /
                                           result.scaling_vertices.front());
    }
    return result;
}

}  // namespace sinew::bench
