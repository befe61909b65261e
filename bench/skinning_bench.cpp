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

// Frames first .. last - 1 of the dance; their time, s.
double time_block(ProjectiveSkinning& skinning, const CharacterSkeleton& skeleton, int first,
                  int last, FrameTimes& times) {
    double sum = 0.0;
    for (int f = first; f < last; ++f) {
        const CharacterPose pose = dance(skeleton, f + 1);
        const Timer timer;
        const SkinFrameReport report = skinning.step(pose);
        const double seconds = timer.seconds();
        double& least = times.least[at(f)];
        least = std::min(least, seconds);
        times.local += 1e3 * report.seconds_local / static_cast<double>(times.least.size());
        times.global += 1e3 * report.seconds_global / static_cast<double>(times.least.size());
        sum += seconds;
    }
    return sum;
}

void start(ProjectiveSkinning& skinning, const CharacterSkeleton& skeleton, int frames,
           FrameTimes& times) {
    skinning.reset(rest_pose(skeleton), 3);
    times.least.resize(static_cast<std::size_t>(frames), 1e9);
    times.local = 0.0;
    times.global = 0.0;
}

void time_frames(ProjectiveSkinning& skinning, const CharacterSkeleton& skeleton, int frames,
                 FrameTimes& times) {
    start(skinning, skeleton, frames, times);
    time_block(skinning, skeleton, 0, frames, times);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// What something takes of the time of the plain simulation. A few per cent are less than runs
// differ by, so both take turns in blocks of frames that see the same machine, and each block
// counts with the median of its rounds.
class PairedShare {
public:
    explicit PairedShare(std::size_t blocks) : shares_(blocks) {}
    void add(std::size_t block, double seconds, double plain_seconds) {
        shares_[block].push_back(seconds / plain_seconds);
    }
    // Blocks weighted by the least time that the plain simulation took for them.
    double value(const FrameTimes& plain, int frames_per_block) const {
        double sum = 0.0;
        double all = 0.0;
        for (std::size_t f = 0; f < plain.least.size(); ++f) {
            const std::size_t block = f / static_cast<std::size_t>(frames_per_block);
            sum += plain.least[f] * median(shares_[block]);
            all += plain.least[f];
        }
        return sum / all;
    }

private:
    std::vector<std::vector<double>> shares_;
};

// Frames that are simulated and shown with all of their vertices, in memory that is kept; s, of a
// block.
double time_shown_block(ProjectiveSkinning& skinning, const CharacterSkeleton& skeleton, int first,
                        int last, FrameTimes& times, const SkinUpsampling& upsampling,
                        Points& fine) {
    double sum = 0.0;
    for (int f = first; f < last; ++f) {
        sum += time_block(skinning, skeleton, f, f + 1, times);
        const Timer timer;
        upsampling.apply(skinning.skin(), fine);
        sum += timer.seconds();
    }
    return sum;
}

// Plain, local and upsampled runs in turn, block by block; every other round the other way round.
// Each has a simulation of its own, so that none finds what another has left in the cache.
void time_shares(ProjectiveSkinning& plain, ProjectiveSkinning& local, ProjectiveSkinning& shown,
                 const SkinUpsampling& upsampling, const CharacterSkeleton& skeleton, int frames,
                 FrameTimes& times, SkinningBench& result) {
    constexpr int kPairedRounds = 9;
    constexpr int kBlock = 5;  // frames
    const auto blocks = static_cast<std::size_t>((frames + kBlock - 1) / kBlock);
    PairedShare locals(blocks);
    PairedShare upsampled(blocks);
    FrameTimes local_times;
    FrameTimes shown_times;
    Points fine;
    for (int round = 0; round < kPairedRounds; ++round) {
        start(plain, skeleton, frames, times);
        start(local, skeleton, frames, local_times);
        start(shown, skeleton, frames, shown_times);
        for (std::size_t b = 0; b < blocks; ++b) {
            const int first = static_cast<int>(b) * kBlock;
            const int last = std::min(frames, first + kBlock);
            double seconds[3];
            for (int turn = 0; turn < 3; ++turn) {
                const int kind = round % 2 == 0 ? turn : 2 - turn;
                seconds[kind] = kind == 0   ? time_block(local, skeleton, first, last, local_times)
                                : kind == 1 ? time_block(plain, skeleton, first, last, times)
                                            : time_shown_block(shown, skeleton, first, last,
                                                               shown_times, upsampling, fine);
            }
            locals.add(b, seconds[0], seconds[1]);
            upsampled.add(b, seconds[2], seconds[1]);
        }
    }
    result.local_slowdown = locals.value(times, kBlock) - 1.0;
    result.upsampling_share = upsampled.value(times, kBlock) - 1.0;
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
    FrameTimes plain_times;
    FrameTimes global_times;
    ProjectiveSkinning shown(coarse, skeleton);
    time_shares(plain, local, shown, upsampling, skeleton, frames, plain_times, result);
    for (int round = 0; round < kRounds; ++round) {
        time_frames(plain, skeleton, frames, plain_times);
        time_frames(global, skeleton, frames, global_times);
    }
    result.fps = 1e3 / plain_times.ms();
    result.local_ms = plain_times.local;
    result.global_ms = plain_times.global;
    result.fps_local_collisions = result.fps / (1.0 + result.local_slowdown);
    result.fps_global_collisions = 1e3 / global_times.ms();
    result.fps_upsampled = result.fps / (1.0 + result.upsampling_share);
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
