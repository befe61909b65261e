#pragma once

#include "sinew/mesh/arrays.h"

#include <Eigen/Geometry>

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// How a child segment may move against its parent. `Fixed` does not move (a suture, a weld).
enum class JointType { Free, Ball, Universal, Hinge, Fixed };

/// "free", "ball", "universal", "hinge", "fixed".
std::string_view name_of(JointType type);
/// Also knows "revolute" (hinge), "weld" (fixed) and "root" (free). @throws InputError
JointType joint_type_from_name(std::string_view name);
/// Free 6 (three shifts, then three angles), ball 3, universal 2, hinge 1, fixed 0.
int coordinate_count(JointType type);
/// Angles among the coordinates: 3, 3, 2, 1, 0.
int angle_count(JointType type);

/// The range of one angle, rad, relative to the rest pose (which is 0).
struct AngleLimit {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

/// Where a segment hangs on another. All vectors are given in the world frame of the rest pose.
struct Joint {
    std::string name;
    Index parent = -1;           ///< segment, -1 for the one that is the root
    Index child = 0;             ///< segment
    Vec3 centre = Vec3::Zero();  ///< m
    JointType type = JointType::Fixed;
    /// Unit axes; the first angle_count(type) count. The child is rotated by
    /// R(axes[0], q0) R(axes[1], q1) R(axes[2], q2), positive by the right-hand rule.
    std::array<Vec3, 3> axes = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    std::array<AngleLimit, 3> limits = {};
    /// Anatomical angle of each coordinate in the rest pose, rad (an elbow may rest 13 degrees
    /// bent). For people only: coordinates are 0 at rest.
    std::array<double, 3> rest = {0.0, 0.0, 0.0};
    /// What a positive angle does: "flexion", "abduction". May be empty.
    std::array<std::string, 3> motions = {};
};

/// A rigid piece of the body: bones that move as one, and the flesh counted to them.
struct Segment {
    std::string name;
    double mass = 0.0;            ///< kg, >= 0
    Vec3 com = Vec3::Zero();      ///< centre of mass at rest, world frame, m
    Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, world axes, kg m^2, symmetric
};

/// A tree of segments. Each segment is the child of exactly one joint, one joint has no parent, and
/// a parent's joint stands before those of its children.
struct Skeleton {
    std::vector<Segment> segments = {};
    std::vector<Joint> joints = {};
};

/// Coordinates of all joints.
int coordinate_count(const Skeleton& skeleton);
/// Where each joint's coordinates begin; one entry more than joints, the last being the total.
std::vector<Index> coordinate_starts(const Skeleton& skeleton);

/// Joint coordinates, joint after joint; m for shifts, rad for angles. The rest pose is all 0.
struct Pose {
    std::vector<double> coordinates = {};
};
Pose rest_pose(const Skeleton& skeleton);

/// For each segment the rigid motion T_posed_rest that takes its rest position to its posed one.
/// @throws InputError  when the pose has another number of coordinates, or one that is not finite
std::vector<Eigen::Isometry3d> segment_motions(const Skeleton& skeleton, const Pose& pose);

/// @throws InputError  naming `where` and the segment or joint that breaks a promise above
void require_valid(const Skeleton& skeleton, std::string_view where);

}  // namespace sinew
