#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/musculoskeletal.h"
#include "sinew/motion/range_of_motion.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// The mirror image of poses: left and right of all coordinates exchanged, by their names and by
/// how they turn at rest. Coordinates without a counterpart are their own.
class PoseMirror {
public:
    explicit PoseMirror(const MusculoskeletalModel& model);
    std::vector<double> mirrored(std::span<const double> q) const;
    /// Coordinates that have a counterpart on the other side.
    int pairs() const {
        return pairs_;
    }

private:
    std::vector<std::size_t> from_;
    std::vector<double> sign_;
    std::vector<double> rest_;
    int pairs_ = 0;
};

/// Every `step`-th frame of a motion as poses of a model; coordinates that it lacks are at rest.
/// @throws InputError  as coordinate_motion
std::vector<std::vector<double>> poses_of_motion(const MusculoskeletalModel& model,
                                                 const MotionTable& motion, int step = 1);

/// Random poses within the ranges of all rotations but the root's, those without an end within a
/// radian of rest; half of them move one joint only, since corners of all ranges at once are poses
/// of nobody.
std::vector<std::vector<double>> poses_within_limits(const MusculoskeletalModel& model, int count,
                                                     std::uint64_t seed = 1);

/// Poses in which nobody's muscles resist [Ryu2021, 4.2]: standing, floating without weight
/// (hips, knees, elbows a little bent, feet pointed), arms held out. What a model lacks is left
/// out.
std::vector<std::pair<std::string, std::vector<double>>> key_poses(
    const MusculoskeletalModel& model);

struct RelaxationOptions {
    double force = 0.02;  ///< of fmax, that a passive muscle may bear in a key pose, > 0
    double step = 0.01;   ///< of its length, by which it grows, > 0
    double most = 3.0;    ///< times its length, at most
};

struct RelaxedMuscle {
    std::string muscle = {};
    std::string pose = {};      ///< in which it resisted most
    double force_before = 0.0;  ///< there, of fmax
    double factor = 1.0;        ///< of its maximal length
};

/// Lengthens fibres and tendons, their ratio kept, until no muscle bears more than `force` in any
/// of the poses [Ryu2021, 4.2].
/// @returns  those that became longer
std::vector<RelaxedMuscle> relax_muscles(
    MusculoskeletalModel& model, std::span<const std::pair<std::string, std::vector<double>>> poses,
    const RelaxationOptions& options = {});

}  // namespace sinew
