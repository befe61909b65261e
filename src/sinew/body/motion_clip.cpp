#include "sinew/body/motion_clip.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

namespace {

[[noreturn]] void refuse_motion(std::string where, std::string found, std::string needs) {
    throw InputError({.where = std::move(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "export the motion again"});
}

std::vector<Eigen::Isometry3d> pose_from(const MotionClip& clip, const double* values) {
    std::vector<Eigen::Isometry3d> T(clip.joints.size(), Eigen::Isometry3d::Identity());
    for (std::size_t j = 0; j < clip.joints.size(); ++j) {
        const MotionJoint& joint = clip.joints[j];
        Vec3 shift = joint.offset;
        Mat3 R = Mat3::Identity();
        for (const Channel channel : joint.channels) {
            const double value = values != nullptr ? *values++ : 0.0;
            const int axis = static_cast<int>(channel) % 3;
            if (channel >= Channel::XRotation) {
                R = R * Eigen::AngleAxisd(value, Vec3::Unit(axis)).toRotationMatrix();
            } else if (values != nullptr) {
                shift[axis] = value;
            }
        }
        Eigen::Isometry3d own = Eigen::Isometry3d::Identity();
        own.linear() = R;
        own.translation() = shift;
        T[j] = joint.parent < 0 ? own : T[at(joint.parent)] * own;
    }
    return T;
}

}  // namespace

std::size_t channel_count(const MotionClip& clip) {
    std::size_t count = 0;
    for (const MotionJoint& joint : clip.joints) {
        count += joint.channels.size();
    }
    return count;
}

double duration(const MotionClip& clip) {
    return clip.frame_time * static_cast<double>(clip.frame_count);
}

std::vector<Eigen::Isometry3d> forward_kinematics(const MotionClip& clip, std::size_t frame) {
    SINEW_ASSERT(frame < clip.frame_count, "frame {} of {}", frame, clip.frame_count);
    return pose_from(clip, clip.values.data() + frame * channel_count(clip));
}

std::vector<Eigen::Isometry3d> offset_pose(const MotionClip& clip) {
    return pose_from(clip, nullptr);
}

void require_valid(const MotionClip& clip, std::string_view where) {
    if (clip.joints.empty()) {
        refuse_motion(std::string(where), "no joints", "at least a root");
    }
    for (std::size_t j = 0; j < clip.joints.size(); ++j) {
        const MotionJoint& joint = clip.joints[j];
        const std::string place = fmt::format("{}, joint '{}'", where, joint.name);
        if (j == 0 ? joint.parent != -1
                   : joint.parent < 0 || joint.parent >= static_cast<Index>(j)) {
            refuse_motion(place, fmt::format("parent {}", joint.parent),
                          "an earlier joint, and -1 for the first alone");
        }
        if (!joint.offset.allFinite() || !joint.end_offset.allFinite()) {
            refuse_motion(place, "an offset that is not finite", "three finite numbers");
        }
        for (std::size_t a = 0; a < joint.channels.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                if (joint.channels[a] == joint.channels[b]) {
                    refuse_motion(place, "the same channel twice",
                                  "six different channels at most");
                }
            }
        }
    }
    if (!(clip.frame_time > 0.0) || !std::isfinite(clip.frame_time)) {
        refuse_motion(std::string(where), fmt::format("frame time {} s", clip.frame_time),
                      "more than 0 s");
    }
    if (clip.values.size() != clip.frame_count * channel_count(clip)) {
        refuse_motion(
            std::string(where), fmt::format("{} values", clip.values.size()),
            fmt::format("{} frames of {} channels", clip.frame_count, channel_count(clip)));
    }
    for (const double value : clip.values) {
        if (!std::isfinite(value)) {
            refuse_motion(std::string(where), "a value that is not finite", "finite numbers");
        }
    }
}

}  // namespace sinew
