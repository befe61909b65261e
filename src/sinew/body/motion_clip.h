#pragma once

#include "sinew/mesh/arrays.h"

#include <Eigen/Geometry>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// One animated number of a joint. Rotations are angles in rad about the joint's own axes.
enum class Channel : std::uint8_t {
    XPosition,
    YPosition,
    ZPosition,
    XRotation,
    YRotation,
    ZRotation
};

/// A joint of a recorded motion.
struct MotionJoint {
    std::string name;
    Index parent = -1;                   ///< an earlier joint; -1 for the root only
    Vec3 offset = Vec3::Zero();          ///< from the parent, in the parent's frame, m
    std::vector<Channel> channels = {};  ///< rotations are multiplied in this order
    bool has_end = false;                ///< a leaf with a known tip
    Vec3 end_offset = Vec3::Zero();      ///< the tip, m
};

/// A motion as captured: a hierarchy and, per frame, one number for each channel.
struct MotionClip {
    std::string name = {};
    std::vector<MotionJoint> joints = {};  ///< the root first, parents before children
    double frame_time = 1.0 / 30.0;        ///< s, > 0
    std::size_t frame_count = 0;
    /// frame_count * channel_count(clip) numbers, frame after frame; m and rad.
    std::vector<double> values = {};
};

std::size_t channel_count(const MotionClip& clip);
double duration(const MotionClip& clip);  ///< s

/// Where each joint is in one frame: T_world_joint.
///   T_joint = T_parent * translate(offset or position channels) * product of rotations
/// Position channels replace the offset, axis by axis, as recorded motions mean them.
/// @param frame  < frame_count
std::vector<Eigen::Isometry3d> forward_kinematics(const MotionClip& clip, std::size_t frame);
/// The same with all channels 0: the pose that the offsets alone describe.
std::vector<Eigen::Isometry3d> offset_pose(const MotionClip& clip);

/// @throws InputError  when counts do not match, parents come later, or numbers are not finite
void require_valid(const MotionClip& clip, std::string_view where);

}  // namespace sinew
