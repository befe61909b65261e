#include "sinew/motion/recorded_motion.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace sinew {

namespace {

struct Pair {
    const ModelJoint* joint = nullptr;
    std::size_t recorded = 0;
};

// Turn of a recorded joint against its parent in one frame, and its position where it has one.
struct LocalMotion {
    Mat3 rotation = Mat3::Identity();
    Vec3 position = Vec3::Zero();
};

LocalMotion local_motion(const MotionJoint& joint, const double* values) {
    LocalMotion out{.position = joint.offset};
    for (std::size_t k = 0; k < joint.channels.size(); ++k) {
        const auto channel = static_cast<int>(joint.channels[k]);
        if (channel < 3) {
            out.position[channel] = values[k];
        } else {
            out.rotation =
                out.rotation *
                Eigen::AngleAxisd(values[k], Vec3(Vec3::Unit(channel - 3))).toRotationMatrix();
        }
    }
    return out;
}

double twist(const Mat3& rotation, const Vec3& axis) {
    const Eigen::Quaterniond q(rotation);
    return 2.0 * std::atan2(q.vec().dot(axis), q.w());
}

double near_to(double angle, double last) {
    return last + std::remainder(angle - last, 2.0 * std::numbers::pi);
}

// Angles of a joint's turning axes, in their order.
std::vector<double> angles_of(const ModelJoint& joint, const Mat3& rotation) {
    std::vector<Vec3> axes;
    for (std::size_t k = 0; k < 3; ++k) {
        if (joint.axes[k].coordinate >= 0) {
            axes.push_back(joint.axes[k].axis);
        }
    }
    if (axes.size() == 3) {
        Mat3 A;
        A << axes[0], axes[1], axes[2];
        // Axes of the left hand are those of the right hand turned backwards.
        const double sense = A.determinant() < 0.0 ? -1.0 : 1.0;
        A *= sense;
        const Vec3 angles = sense * xyz_from_rotation(A.transpose() * rotation * A);
        return {angles[0], angles[1], angles[2]};
    }
    std::vector<double> out;
    for (const Vec3& axis : axes) {
        out.push_back(twist(rotation, axis));
    }
    return out;
}

std::vector<Pair> pairs_of(const MusculoskeletalModel& model, const MotionClip& clip) {
    std::vector<Pair> pairs;
    for (const ModelJoint& joint : model.joints) {
        for (std::size_t r = 0; r < clip.joints.size(); ++r) {
            const std::string& name = joint.recorded_as.empty() ? joint.name : joint.recorded_as;
            if (clip.joints[r].name == name) {
                pairs.push_back({&joint, r});
                break;
            }
        }
    }
    if (pairs.empty()) {
        throw InputError(
            {.where = fmt::format("motion '{}'", clip.name),
             .found = "no joint with a name that the model knows",
             .needs = "a motion recorded for this model",
             .remedy = "rename the motion's joints, or use a table of coordinates (.mot)"});
    }
    return pairs;
}

}  // namespace

MotionTable coordinates_of_clip(const MusculoskeletalModel& model, const MotionClip& clip) {
    const std::vector<Pair> pairs = pairs_of(model, clip);
    std::vector<std::size_t> first;
    std::size_t channels = 0;
    for (const MotionJoint& joint : clip.joints) {
        first.push_back(channels);
        channels += joint.channels.size();
    }
    MotionTable table;
    table.name = clip.name;
    for (const Pair& pair : pairs) {
        for (const JointAxis& axis : pair.joint->axes) {
            if (axis.coordinate >= 0) {
                table.columns.push_back(
                    model.coordinates[static_cast<std::size_t>(axis.coordinate)].name);
            }
        }
    }
    for (std::size_t f = 0; f < clip.frame_count; ++f) {
        table.times.push_back(clip.frame_time * static_cast<double>(f));
        for (const Pair& pair : pairs) {
            const LocalMotion moved =
                local_motion(clip.joints[pair.recorded],
                             clip.values.data() + f * channels + first[pair.recorded]);
            for (const double angle : angles_of(*pair.joint, moved.rotation)) {
                const std::size_t column = table.values.size() % table.columns.size();
                table.values.push_back(f == 0 ? angle : near_to(angle, table.at(f - 1, column)));
            }
            const Vec3 shift = pair.joint->parent_frame.inverse() * moved.position;
            for (std::size_t k = 3; k < 6; ++k) {
                if (pair.joint->axes[k].coordinate >= 0) {
                    table.values.push_back(shift.dot(pair.joint->axes[k].axis));
                }
            }
        }
    }
    return table;
}

}  // namespace sinew
