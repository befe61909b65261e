#include "sinew/body/recording.h"

#include "sinew/base/error.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kStraighter = 0.017;  // rad, that a first frame must win by
constexpr double kIsStance = 0.2;      // rad, mean error of a T- or A-pose

double angle_between(const Vec3& a, const Vec3& b) {
    return std::atan2(a.cross(b).norm(), a.dot(b));
}

std::vector<Vec3> positions_in(const Recording& recording, std::size_t frame) {
    std::vector<Vec3> all;
    for (std::size_t j = 0; j < recording.skeleton.size(); ++j) {
        all.push_back(recording.position(frame, static_cast<Index>(j)));
    }
    return all;
}

}  // namespace

Recording recording_of(const MotionClip& clip) {
    const std::string where = clip.name.empty() ? std::string("motion") : clip.name;
    require_valid(clip, where);
    if (clip.frame_count == 0) {
        throw InputError({.where = where,
                          .found = "no frames",
                          .needs = "at least one",
                          .remedy = "export the motion again"});
    }
    Recording recording{.name = where, .skeleton = skeleton_of(clip)};
    const std::vector<Eigen::Isometry3d> rest = offset_pose(clip);
    for (std::size_t f = 0; f < clip.frame_count; ++f) {
        const std::vector<Eigen::Isometry3d> now = forward_kinematics(clip, f);
        CharacterPose pose;
        for (std::size_t k = 0; k < clip.joints.size(); ++k) {
            const Eigen::Isometry3d T = now[k] * rest[k].inverse();
            pose.insert(pose.end(), clip.joints[k].has_end ? 2 : 1, T);  // tips after their joints
        }
        recording.times.push_back(static_cast<double>(f) * clip.frame_time);
        recording.poses.push_back(std::move(pose));
    }
    return recording;
}

Recording with_rest_at(const Recording& recording, std::size_t frame) {
    SINEW_ASSERT(frame < recording.poses.size(), "frame {} of {}", frame, recording.poses.size());
    Recording other = recording;
    other.rest_frame = static_cast<Index>(frame);
    for (std::size_t j = 0; j < recording.skeleton.size(); ++j) {
        const Eigen::Isometry3d T_old_new = recording.poses[frame][j].inverse();
        other.skeleton.joints[j].position = recording.position(frame, static_cast<Index>(j));
        for (CharacterPose& pose : other.poses) {
            pose[j] = pose[j] * T_old_new;
        }
    }
    return other;
}

double stance_error(const std::vector<Vec3>& positions, const PersonJoints& person) {
    const auto way = [&](const std::string& from, const std::string& to) {
        const Index a = person.first(from);
        const Index b = person.first(to);
        return a < 0 || b < 0 ? Vec3(Vec3::Zero()) : Vec3(positions[at(b)] - positions[at(a)]);
    };
    Vec3 left = way("hip_r", "hip_l") + way("shoulder_r", "shoulder_l");
    left.y() = 0.0;
    const Vec3 forward = left.cross(Vec3::UnitY()).normalized();
    double sum = 0.0;
    int count = 0;
    const auto add = [&](const Vec3& d, const Vec3& wanted) {
        if (d.norm() > 0.0 && wanted.norm() > 0.0) {
            sum += angle_between(d, wanted);
            ++count;
        }
    };
    add(way("pelvis", person.has("neck") ? "neck" : "head"), Vec3::UnitY());
    for (const std::string side : {"_l", "_r"}) {
        add(way("hip" + side, "knee" + side), -Vec3::UnitY());
        add(way("knee" + side, "ankle" + side), -Vec3::UnitY());
        // Arms lie in the plane of the body, anywhere between hanging and sideways.
        const Vec3 arm = way("shoulder" + side, "elbow" + side);
        add(arm, Vec3(arm - forward * forward.dot(arm)));
        add(way("elbow" + side, "wrist" + side), arm);
    }
    return count > 0 ? sum / count : 0.0;
}

Recording with_best_rest(Recording recording, const PersonJoints& person) {
    std::vector<Vec3> rest;
    for (const CharacterJoint& joint : recording.skeleton.joints) {
        rest.push_back(joint.position);
    }
    const double first = stance_error(positions_in(recording, 0), person);
    const bool is_better = first < kIsStance && first < stance_error(rest, person) - kStraighter;
    if (is_better) {
        return with_rest_at(recording, 0);
    }
    return recording;
}

}  // namespace sinew
