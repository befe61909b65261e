#include "sinew/body/skeleton.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

namespace {

constexpr double kAxisTolerance = 1e-6;

[[noreturn]] void refuse_skeleton(std::string where, std::string found, std::string needs) {
    throw InputError({.where = std::move(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "correct the skeleton in the file or program that made it"});
}

Eigen::Isometry3d joint_motion(const Joint& joint, const double* q) {
    // About the joint's centre: T(c) * R(a0, q0) R(a1, q1) R(a2, q2) * T(-c), shifted if free.
    Vec3 shift = Vec3::Zero();
    if (joint.type == JointType::Free) {
        shift = Vec3(q[0], q[1], q[2]);
        q += 3;
    }
    Mat3 R = Mat3::Identity();
    for (int k = 0; k < angle_count(joint.type); ++k) {
        R = R * Eigen::AngleAxisd(q[k], joint.axes[at(k)]).toRotationMatrix();
    }
    Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
    T.linear() = R;
    T.translation() = joint.centre + shift - R * joint.centre;
    return T;
}

void require_valid_joint(const Joint& joint, const std::string& where) {
    if (!joint.centre.allFinite()) {
        refuse_skeleton(where, "a centre that is not finite", "three finite numbers");
    }
    for (int k = 0; k < angle_count(joint.type); ++k) {
        const auto i = at(k);
        if (!(std::abs(joint.axes[i].norm() - 1.0) < kAxisTolerance)) {
            refuse_skeleton(where, fmt::format("axis {} of length {}", k, joint.axes[i].norm()),
                            "unit axes");
        }
        if (!(joint.limits[i].low <= joint.limits[i].high)) {
            refuse_skeleton(
                where,
                fmt::format("limits {} to {} rad", joint.limits[i].low, joint.limits[i].high),
                "a lower limit that is not above the upper one");
        }
        if (!std::isfinite(joint.rest[i])) {
            refuse_skeleton(where, "a rest angle that is not finite", "a finite number");
        }
    }
}

void require_valid_segment(const Segment& segment, const std::string& where) {
    if (!(segment.mass >= 0.0) || !std::isfinite(segment.mass)) {
        refuse_skeleton(where, fmt::format("mass {} kg", segment.mass), "a mass of 0 kg or more");
    }
    if (!segment.com.allFinite() || !segment.inertia.allFinite()) {
        refuse_skeleton(where, "a centre of mass or an inertia that is not finite",
                        "finite numbers");
    }
    const double size = segment.inertia.cwiseAbs().maxCoeff();
    if ((segment.inertia - segment.inertia.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size) {
        refuse_skeleton(where, "an inertia that is not symmetric", "a symmetric 3 x 3 matrix");
    }
}

}  // namespace

std::string_view name_of(JointType type) {
    switch (type) {
        case JointType::Free:
            return "free";
        case JointType::Ball:
            return "ball";
        case JointType::Universal:
            return "universal";
        case JointType::Hinge:
            return "hinge";
        case JointType::Fixed:
            break;
    }
    return "fixed";
}

JointType joint_type_from_name(std::string_view name) {
    const std::string word = lower(name);
    for (const JointType type : {JointType::Free, JointType::Ball, JointType::Universal,
                                 JointType::Hinge, JointType::Fixed}) {
        if (word == name_of(type)) {
            return type;
        }
    }
    if (word == "revolute") {
        return JointType::Hinge;
    }
    if (word == "weld") {
        return JointType::Fixed;
    }
    if (word == "root") {
        return JointType::Free;
    }
    throw InputError({.where = "joint type",
                      .found = fmt::format("'{}'", name),
                      .needs = "free, ball, universal, hinge or fixed",
                      .remedy = "choose one of these"});
}

int coordinate_count(JointType type) {
    return type == JointType::Free ? 6 : angle_count(type);
}

int angle_count(JointType type) {
    switch (type) {
        case JointType::Free:
        case JointType::Ball:
            return 3;
        case JointType::Universal:
            return 2;
        case JointType::Hinge:
            return 1;
        case JointType::Fixed:
            break;
    }
    return 0;
}

int coordinate_count(const Skeleton& skeleton) {
    return coordinate_starts(skeleton).back();
}

std::vector<Index> coordinate_starts(const Skeleton& skeleton) {
    std::vector<Index> starts = {0};
    for (const Joint& joint : skeleton.joints) {
        starts.push_back(starts.back() + coordinate_count(joint.type));
    }
    return starts;
}

Pose rest_pose(const Skeleton& skeleton) {
    return {std::vector<double>(static_cast<std::size_t>(coordinate_count(skeleton)), 0.0)};
}

std::vector<Eigen::Isometry3d> segment_motions(const Skeleton& skeleton, const Pose& pose) {
    const std::vector<Index> starts = coordinate_starts(skeleton);
    if (pose.coordinates.size() != static_cast<std::size_t>(starts.back())) {
        throw InputError({.where = "pose",
                          .found = fmt::format("{} coordinates", pose.coordinates.size()),
                          .needs = fmt::format("{}, as many as the joints have", starts.back()),
                          .remedy = "make the pose from the same skeleton"});
    }
    for (std::size_t i = 0; i < pose.coordinates.size(); ++i) {
        if (!std::isfinite(pose.coordinates[i])) {
            throw InputError({.where = fmt::format("pose, coordinate {}", i),
                              .found = fmt::format("{}", pose.coordinates[i]),
                              .needs = "a finite number",
                              .remedy = "check the motion that the pose comes from"});
        }
    }
    std::vector<Eigen::Isometry3d> motions(skeleton.segments.size(), Eigen::Isometry3d::Identity());
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        const Eigen::Isometry3d own = joint_motion(joint, pose.coordinates.data() + starts[j]);
        motions[at(joint.child)] = joint.parent < 0 ? own : motions[at(joint.parent)] * own;
    }
    return motions;
}

void require_valid(const Skeleton& skeleton, std::string_view where) {
    const auto segments = static_cast<Index>(skeleton.segments.size());
    for (const Segment& segment : skeleton.segments) {
        require_valid_segment(segment, fmt::format("{}, segment '{}'", where, segment.name));
    }
    if (skeleton.joints.size() != skeleton.segments.size()) {
        refuse_skeleton(fmt::format("{}, skeleton", where),
                        fmt::format("{} joints for {} segments", skeleton.joints.size(), segments),
                        "one joint per segment");
    }
    std::vector<bool> is_placed(skeleton.segments.size(), false);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        const std::string place = fmt::format("{}, joint '{}'", where, joint.name);
        if (joint.child < 0 || joint.child >= segments || is_placed[at(joint.child)]) {
            refuse_skeleton(place, fmt::format("child segment {}", joint.child),
                            fmt::format("a segment below {} that no other joint moves", segments));
        }
        const bool is_root = joint.parent == -1;
        if (is_root
                ? j != 0
                : joint.parent < 0 || joint.parent >= segments || !is_placed[at(joint.parent)]) {
            refuse_skeleton(place, fmt::format("parent segment {}", joint.parent),
                            "-1 for the first joint, else a segment that an earlier joint moves");
        }
        is_placed[at(joint.child)] = true;
        require_valid_joint(joint, place);
    }
}

}  // namespace sinew
