#pragma once

#include "sinew/body/kinematics.h"
#include "sinew/body/musculoskeletal.h"

#include <string>
#include <vector>

namespace sinew {

/// A joint's motion through its range, at evenly spaced parameters theta in [0, 1]
/// [Ryu2021, 5.1].
struct JointMotion {
    Index coordinate = 0;  ///< that is swept
    std::vector<std::vector<double>> poses = {};
    bool is_crossed = false;  ///< another coordinate of the joint is away from rest
};

struct JointMotionOptions {
    int samples = 16;        ///< >= 3
    bool is_crossed = true;  ///< joints of several rotations: also with the next one halfway out
    double farthest = 2.0;   ///< rad from rest at most; ranges of files are often full circles
    std::vector<Index> only = {};  ///< coordinates; empty: all
};

/// All rotations of a model that are free: neither locked, nor coupled, nor of a joint on the
/// ground.
std::vector<JointMotion> joint_motions(const MusculoskeletalModel& model,
                                       const JointMotionOptions& options = {});

/// Where all bodies of a model are in every pose of motions.
class MotionPlacements {
public:
    MotionPlacements(const MusculoskeletalModel& model, const std::vector<JointMotion>& motions);

    /// T_world_body; -1 is the ground.
    const Placement& body(std::size_t motion, std::size_t sample, Index body) const {
        return body < 0 ? ground_ : placed_[start_[motion] + sample].bodies[at(body)];
    }
    const ModelPlacement& pose(std::size_t motion, std::size_t sample) const {
        return placed_[start_[motion] + sample];
    }

private:
    Placement ground_ = {};
    std::vector<std::size_t> start_ = {};
    std::vector<ModelPlacement> placed_ = {};
};

}  // namespace sinew
