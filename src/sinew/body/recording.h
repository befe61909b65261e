#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/body/joint_names.h"
#include "sinew/body/motion_clip.h"

#include <string>
#include <vector>

namespace sinew {

/// A motion as it was recorded, whatever the file: joints at rest, and where they go.
struct Recording {
    std::string name = "motion";            ///< for messages; not empty
    CharacterSkeleton skeleton = {};        ///< joints at rest; the unit of length does not matter
    std::vector<double> times = {};         ///< s, ascending
    std::vector<CharacterPose> poses = {};  ///< T_posed_rest of each joint, one pose per time
    /// The frame whose pose is the rest above; -1: the rest is none of the frames.
    Index rest_frame = -1;

    Vec3 position(std::size_t frame, Index joint) const {
        const auto j = static_cast<std::size_t>(joint);
        return poses[frame][j] * skeleton.joints[j].position;
    }
    const Vec3& rest_position(Index joint) const {
        return skeleton.joints[at(joint)].position;
    }
};

/// A clip; its rest is the pose of its offsets, tips of leaves are joints too.
/// @throws InputError  when the clip is not valid, or has no frame
Recording recording_of(const MotionClip& clip);

/// The same motion against another rest: the pose of one of its frames.
Recording with_rest_at(const Recording& recording, std::size_t frame);

/// How far a person is from standing straight with straight limbs, arms hanging or out to the sides
/// (a T- or A-pose), rad: the mean over trunk, thighs, shanks, upper arms and elbows.
double stance_error(const std::vector<Vec3>& positions, const PersonJoints& person);

/// The recording against the rest that tells most: its own, or its first frame where that stands
/// straighter by more than a degree and is a T- or A-pose. Recordings converted from other formats
/// often have offsets that nobody stands in, and a T-pose in the first frame.
Recording with_best_rest(Recording recording, const PersonJoints& person);

}  // namespace sinew
