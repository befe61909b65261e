#include "sinew/skinning/skin_steadying.h"

#include "sinew/base/parallel.h"

#include <algorithm>
#include <cmath>

// Calms what the simulation throws to and fro from frame to frame: a vertex whose step reverses
// while it is fast is shown at the mean of its last positions, the more the longer it does so. Seen
// in the coordinates of its bone, hence a limb that swings is not slowed down.

namespace sinew {
namespace {

constexpr std::size_t kSteadyPiece = 512;
constexpr double kThrown = 0.05;  // edges that a vertex moves before and after it turns round
// The same, of its fastest step: a swing of five frames or more turns round with less, since
// (1 - cos d) / (2 sin(d / 2)) < 0.6 for an angle d = 2 pi / 5 per frame.
constexpr double kFullSpeed = 0.6;
constexpr double kRise = 0.5;   // of unrest, with each turn
constexpr double kFall = 0.9;   // of it, and of the fastest step, that is left after a frame
constexpr double kMean = 0.85;  // share of the last frame in the mean, of a vertex in full unrest

}  // namespace

SkinSteadying::SkinSteadying(const SkinOnBones& skin)
    : bone_of_(skin.bone), edge_(mean_edge(skin)) {}

void SkinSteadying::forget() {
    simulated_.resize(0, 3);
}

void SkinSteadying::steady(Points& skin, std::span<const Eigen::Isometry3d> motion) {
    const std::size_t count = bone_of_.size();
    if (simulated_.rows() == 0) {
        simulated_ = skin;
        shown_ = skin;
        step_ = Points::Zero(skin.rows(), 3);
        fastest_.assign(count, 0.0);
        unrest_.assign(count, 0.0);
        return;
    }
    parallel_for(count, kSteadyPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const Eigen::Isometry3d& T = motion[at(bone_of_[i])];
            const Vec3 x = point(skin, row);
            const Vec3 step = x - T * point(simulated_, row);
            const Vec3 before = T.linear() * point(step_, row);
            const double slower = std::min(step.norm(), before.norm());
            double& fastest = fastest_[i];
            fastest = std::max(step.norm(), kFall * fastest);
            const bool has_turned =
                step.dot(before) < 0.0 && slower > std::max(kThrown * edge_, kFullSpeed * fastest);
            double& unrest = unrest_[i];
            unrest = has_turned ? std::min(1.0, unrest + kRise) : kFall * unrest;
            const Vec3 shown = x + kMean * unrest * (T * point(shown_, row) - x);
            simulated_.row(row) = x.transpose();
            step_.row(row) = step.transpose();
            shown_.row(row) = shown.transpose();
            skin.row(row) = shown.transpose();
        }
    });
}

}  // namespace sinew
