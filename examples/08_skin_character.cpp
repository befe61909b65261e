// Flesh for any character: a skin and a skeleton are enough. An arm bends, frame by frame.
#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/gltf.h"
#include "sinew/meshing/level_set.h"
#include "sinew/skinning/projective_skinning.h"

#include <algorithm>
#include <cstdio>

using namespace sinew;

namespace {

// A limb of 50 cm with round ends along y.
TriangleMesh limb() {
    const auto distance = [](const Points& at, Eigen::VectorXd& d) {
        d.resize(at.rows());
        for (Eigen::Index i = 0; i < at.rows(); ++i) {
            Vec3 p = at.row(i).transpose();
            p.y() -= std::clamp(p.y(), 0.0, 0.5);
            d[i] = p.norm() - 0.045;
        }
    };
    const Bounds box{.low = Vec3(-0.06, -0.06, -0.06), .high = Vec3(0.06, 0.56, 0.06)};
    return LevelSet::from_function(distance, box, {.voxel = 0.012}).to_mesh();
}

}  // namespace

int main() try {
    const TriangleMesh skin = limb();
    CharacterSkeleton skeleton;
    skeleton.joints = {{.name = "shoulder", .parent = -1, .position = Vec3(0.0, 0.0, 0.0)},
                       {.name = "elbow", .parent = 0, .position = Vec3(0.0, 0.25, 0.0)},
                       {.name = "hand", .parent = 1, .position = Vec3(0.0, 0.5, 0.0)}};
    ProjectiveSkinning flesh(skin, skeleton, {.collisions = SkinCollisions::Local});

    // The elbow bends by 110 degrees in one second; every frame is written as it is made.
    constexpr int kFrames = 30;
    std::vector<double> times;
    for (int frame = 0; frame < kFrames; ++frame) {
        times.push_back(frame / 30.0);
    }
    GlbFrameWriter file("limb.glb", {.name = "limb", .mesh = skin}, times);
    for (int frame = 0; frame < kFrames; ++frame) {
        JointRotations rotations;
        rotations.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
        const double angle = 110.0 * kDegree * frame / (kFrames - 1);
        rotations.rotations[1] = Eigen::AngleAxisd(angle, Vec3::UnitX());
        flesh.step(pose_of(skeleton, rotations));
        file.add(flesh.skin());
    }
    file.commit();
    std::printf("%lld vertices, volume %.1f %% of rest, limb.glb\n",
                static_cast<long long>(flesh.simulated_vertices()), 100 * flesh.volume_ratio());
    return std::abs(flesh.volume_ratio() - 1.0) < 0.2 ? 0 : 1;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
