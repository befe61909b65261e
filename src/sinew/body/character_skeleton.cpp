#include "sinew/body/character_skeleton.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace sinew {

void require_valid(const CharacterSkeleton& skeleton, std::string_view where) {
    const auto refuse = [&](std::string found, std::string needs) {
        throw InputError({.where = std::string(where),
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "correct the skeleton"});
    };
    if (skeleton.joints.empty()) {
        refuse("no joint", "at least two joints");
    }
    std::set<std::string> names;
    bool has_bone = false;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const CharacterJoint& joint = skeleton.joints[j];
        const std::string who = fmt::format("joint {} ('{}')", j, joint.name);
        if (joint.name.empty() || !names.insert(joint.name).second) {
            refuse(who + (joint.name.empty() ? " without a name" : " appears twice"),
                   "a name of its own for every joint");
        }
        if (joint.parent >= static_cast<Index>(j) || joint.parent < -1) {
            refuse(fmt::format("{} with parent {}", who, joint.parent),
                   "parents before their children, -1 for a root");
        }
        if (!joint.position.allFinite() || !(joint.radius >= 0.0) || !(joint.bone_radius >= 0.0) ||
            !(joint.stiffness > 0.0) || !(joint.mass > 0.0) || !std::isfinite(joint.mass) ||
            !std::isfinite(joint.radius) || !std::isfinite(joint.bone_radius) ||
            !std::isfinite(joint.stiffness)) {
            refuse(who + " with a number out of range",
                   "a finite position, radii >= 0, stiffness and mass > 0");
        }
        has_bone = has_bone ||
                   (joint.parent >= 0 &&
                    (joint.position - skeleton.joints[at(joint.parent)].position).norm() > 0.0);
    }
    if (!has_bone) {
        refuse("no bone with a length", "two joints at different places, one the other's parent");
    }
}

void require_valid(const CharacterPose& pose, const CharacterSkeleton& skeleton) {
    const bool is_finite = std::all_of(pose.begin(), pose.end(), [](const Eigen::Isometry3d& T) {
        return T.matrix().allFinite();
    });
    if (pose.size() != skeleton.size() || !is_finite) {
        throw InputError(
            {.where = "pose of the skeleton",
             .found = pose.size() != skeleton.size() ? fmt::format("{} transforms", pose.size())
                                                     : std::string("a number that is not finite"),
             .needs = fmt::format("{} finite transforms, one per joint", skeleton.size()),
             .remedy = "make it with pose_of for this skeleton"});
    }
}

CharacterPose pose_of(const CharacterSkeleton& skeleton, const JointRotations& rotations) {
    SINEW_ASSERT(rotations.rotations.size() == skeleton.size(), "{} rotations for {} joints",
                 rotations.rotations.size(), skeleton.size());
    SINEW_ASSERT(rotations.offsets.empty() || rotations.offsets.size() == skeleton.size(),
                 "{} offsets for {} joints", rotations.offsets.size(), skeleton.size());
    CharacterPose pose(skeleton.size());
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const CharacterJoint& joint = skeleton.joints[j];
        Eigen::Isometry3d parent = Eigen::Isometry3d::Identity();
        if (joint.parent >= 0) {
            parent = pose[at(joint.parent)];
        } else {
            parent.translation() = rotations.shift;
        }
        const Vec3 offset = rotations.offsets.empty() ? Vec3::Zero().eval() : rotations.offsets[j];
        pose[j] = parent * Eigen::Translation3d(joint.position + offset) *
                  rotations.rotations[j].normalized() * Eigen::Translation3d(-joint.position);
    }
    return pose;
}

CharacterPose rest_pose(const CharacterSkeleton& skeleton) {
    return CharacterPose(skeleton.size(), Eigen::Isometry3d::Identity());
}

JointRotations sample(const CharacterMotion& motion, double time) {
    SINEW_ASSERT(!motion.keys.empty() && motion.keys.size() == motion.times.size(), "{} keys",
                 motion.keys.size());
    const auto after = std::upper_bound(motion.times.begin(), motion.times.end(), time);
    if (after == motion.times.begin()) {
        return motion.keys.front();
    }
    if (after == motion.times.end()) {
        return motion.keys.back();
    }
    const auto k = static_cast<std::size_t>(after - motion.times.begin());
    const double span = motion.times[k] - motion.times[k - 1];
    const double share = span > 0.0 ? (time - motion.times[k - 1]) / span : 1.0;
    const JointRotations& a = motion.keys[k - 1];
    const JointRotations& b = motion.keys[k];
    JointRotations between;
    between.shift = (1.0 - share) * a.shift + share * b.shift;
    for (std::size_t j = 0; j < a.rotations.size(); ++j) {
        between.rotations.push_back(a.rotations[j].slerp(share, b.rotations[j]));
    }
    const Vec3 none = Vec3::Zero();
    for (std::size_t j = 0; j < std::max(a.offsets.size(), b.offsets.size()); ++j) {
        between.offsets.push_back((1.0 - share) * (a.offsets.empty() ? none : a.offsets[j]) +
                                  share * (b.offsets.empty() ? none : b.offsets[j]));
    }
    return between;
}

CharacterSkeleton skeleton_of(const MotionClip& clip) {
    require_valid(clip, "motion");
    const std::vector<Eigen::Isometry3d> places = offset_pose(clip);
    CharacterSkeleton skeleton;
    std::vector<Index> number(clip.joints.size());
    for (std::size_t j = 0; j < clip.joints.size(); ++j) {
        const MotionJoint& joint = clip.joints[j];
        CharacterJoint next;
        next.name = joint.name;
        next.parent = joint.parent < 0 ? -1 : number[at(joint.parent)];
        next.position = places[j].translation();
        number[j] = static_cast<Index>(skeleton.joints.size());
        skeleton.joints.push_back(next);
        if (joint.has_end) {
            next.name = joint.name + "_end";
            next.parent = number[j];
            next.position = places[j] * joint.end_offset;
            skeleton.joints.push_back(next);
        }
    }
    return skeleton;
}

}  // namespace sinew
