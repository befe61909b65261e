#include "sinew/body/character_skeleton.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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
        has_bone =
            has_bone ||
            (joint.parent >= 0 &&
             (joint.position - skeleton.joints[static_cast<std::size_t>(joint.parent)].position)
                     .norm() > 0.0);
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
    CharacterPose pose(skeleton.size());
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const CharacterJoint& joint = skeleton.joints[j];
        Eigen::Isometry3d parent = Eigen::Isometry3d::Identity();
        if (joint.parent >= 0) {
            parent = pose[static_cast<std::size_t>(joint.parent)];
        } else {
            parent.translation() = rotations.shift;
        }
        pose[j] = parent * Eigen::Translation3d(joint.position) *
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
        next.parent = joint.parent < 0 ? -1 : number[static_cast<std::size_t>(joint.parent)];
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

namespace {

// Extent of those joints that both have: the largest side of their box, 0 without any.
double extent_of(const std::vector<Vec3>& places) {
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 high = -low;
    for (const Vec3& p : places) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    return places.empty() ? 0.0 : (high - low).maxCoeff();
}

}  // namespace

namespace {

// A name without what programs add: namespaces ("mixamorig:Hips"), case, gaps.
std::string bare_joint_name(const std::string& name) {
    const std::size_t colon = name.find_last_of(":|");
    std::string plain;
    for (const char c : lower(colon == std::string::npos ? name : name.substr(colon + 1))) {
        if (c != '_' && c != '-' && c != '.' && c != ' ') {
            plain += c;
        }
    }
    return plain;
}

// Of each joint of the skeleton, that of the clip with its name, -1 without: exactly, else plainly
// where that is no other one's.
std::vector<Index> joints_by_name(const MotionClip& clip, const CharacterSkeleton& skeleton) {
    std::vector<Index> source(skeleton.size(), -1);
    for (const bool is_exact : {true, false}) {
        std::map<std::string, Index> number;
        std::set<std::string> is_twice;
        for (std::size_t k = 0; k < clip.joints.size(); ++k) {
            const std::string& name = clip.joints[k].name;
            const std::string key = is_exact ? name : bare_joint_name(name);
            if (!number.insert_or_assign(key, static_cast<Index>(k)).second && !is_exact) {
                is_twice.insert(key);
            }
        }
        for (std::size_t j = 0; j < skeleton.size(); ++j) {
            const std::string& name = skeleton.joints[j].name;
            const std::string key = is_exact ? name : bare_joint_name(name);
            const auto found = number.find(key);
            if (source[j] < 0 && found != number.end() && !is_twice.contains(key)) {
                source[j] = found->second;
            }
        }
    }
    return source;
}

}  // namespace

CharacterMotion motion_of(const MotionClip& clip, const CharacterSkeleton& skeleton) {
    require_valid(clip, "motion");
    const std::vector<Index> source = joints_by_name(clip, skeleton);
    if (std::all_of(source.begin(), source.end(), [](Index k) { return k < 0; })) {
        throw InputError(
            {.where = "motion '" + clip.name + "'",
             .found = fmt::format("joints such as '{}'", clip.joints[0].name),
             .needs = fmt::format("names of the skeleton, such as '{}'", skeleton.joints[0].name),
             .remedy = "rename the joints of one of the two"});
    }
    const std::vector<Eigen::Isometry3d> rest = offset_pose(clip);
    std::vector<Vec3> of_clip;
    std::vector<Vec3> of_skeleton;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        if (source[j] >= 0) {
            of_clip.emplace_back(rest[static_cast<std::size_t>(source[j])].translation());
            of_skeleton.push_back(skeleton.joints[j].position);
        }
    }
    const double clip_extent = extent_of(of_clip);
    const double scale = clip_extent > 0.0 ? extent_of(of_skeleton) / clip_extent : 1.0;
    CharacterMotion motion;
    for (std::size_t f = 0; f < clip.frame_count; ++f) {
        const std::vector<Eigen::Isometry3d> now = forward_kinematics(clip, f);
        JointRotations key;
        key.shift = scale * (now[0].translation() - rest[0].translation());
        std::vector<Eigen::Quaterniond> turned(skeleton.size(), Eigen::Quaterniond::Identity());
        for (std::size_t j = 0; j < skeleton.size(); ++j) {
            const Index parent = skeleton.joints[j].parent;
            const Eigen::Quaterniond above = parent < 0 ? Eigen::Quaterniond::Identity()
                                                        : turned[static_cast<std::size_t>(parent)];
            turned[j] = source[j] < 0
                            ? above
                            : Eigen::Quaterniond(now[static_cast<std::size_t>(source[j])].linear());
            key.rotations.push_back(above.conjugate() * turned[j]);
        }
        motion.times.push_back(static_cast<double>(f) * clip.frame_time);
        motion.keys.push_back(std::move(key));
    }
    return motion;
}

}  // namespace sinew
