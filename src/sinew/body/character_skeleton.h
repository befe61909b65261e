#pragma once

#include "sinew/body/motion_clip.h"
#include "sinew/mesh/arrays.h"

#include <Eigen/Geometry>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A joint of a character, with the bone that leads to it from its parent.
struct CharacterJoint {
    std::string name;
    Index parent = -1;             ///< an earlier joint; -1 for roots
    Vec3 position = Vec3::Zero();  ///< at rest, m
    double radius = 0.0;           ///< of the joint's sphere, m; 0: from the skin
    double bone_radius = 0.0;      ///< of the bone from the parent, m; 0: from the skin
    double stiffness = 1.0;        ///< of the flesh around that bone, against the rest, > 0
    double mass = 1.0;             ///< density of that flesh, against the rest, > 0
    bool is_virtual = false;       ///< the bone from the parent holds no flesh (a trunk, a tail)
};

/// Joints and the straight bones between them: all that Fast Projective Skinning needs besides the
/// skin. A joint without children is the tip of its bone.
struct CharacterSkeleton {
    std::vector<CharacterJoint> joints = {};

    std::size_t size() const {
        return joints.size();
    }
};

/// @throws InputError  naming `where`: no joint, parents that come later, names empty or used
///                     twice, numbers that are not finite or out of range, no bone with a length
void require_valid(const CharacterSkeleton& skeleton, std::string_view where);

/// For each joint the motion T_posed_rest of everything that hangs on it. The bone from a joint to
/// its child moves with the joint (the parent of the two).
using CharacterPose = std::vector<Eigen::Isometry3d>;

/// @throws InputError  when there is not one finite transform per joint
void require_valid(const CharacterPose& pose, const CharacterSkeleton& skeleton);

/// Rotations of joints against their parents, about world axes of the rest pose.
struct JointRotations {
    Vec3 shift = Vec3::Zero();                       ///< of the roots, m
    std::vector<Eigen::Quaterniond> rotations = {};  ///< one per joint
    /// Translations of joints against their parents, about the same axes, m; empty: none.
    std::vector<Vec3> offsets = {};
};

/// T_j = T_parent translate(c_j + o_j) R_j translate(-c_j), starting with the shift.
CharacterPose pose_of(const CharacterSkeleton& skeleton, const JointRotations& rotations);
CharacterPose rest_pose(const CharacterSkeleton& skeleton);

/// A motion as rotations at times: what lies between is interpolated along great circles.
struct CharacterMotion {
    std::vector<double> times = {};  ///< s, ascending
    std::vector<JointRotations> keys = {};
};
/// Before the first key and after the last one the motion stands still.
JointRotations sample(const CharacterMotion& motion, double time);

/// The joints of a recorded motion as its offsets place them, and the tips of its leaves (named
/// after their joint with "_end").
CharacterSkeleton skeleton_of(const MotionClip& clip);

/// What stands differently at rest in a motion and in the character that it is given to.
enum class RestPoses {
    Aligned,  ///< limbs are led to where the recording has them (body/retarget.h)
    Same      ///< the recording's zero pose is the character's rest, whatever it looks like
};

}  // namespace sinew
