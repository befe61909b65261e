#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/linalg/dense.h"
#include "sinew/pipeline/body_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace sinew {

namespace {

/// Names of one joint in recordings, the most telling first. {L} stands for a side.
struct NameRow {
    const char* carrier;
    std::vector<const char*> names;
};

const std::vector<NameRow>& name_rows() {
    static const std::vector<NameRow> kRows = {
        {"pelvis", {"hips", "hip", "pelvis", "root"}},
        {"loins", {"spine", "lowerback", "abdomen", "spine1", "torso"}},
        {"chest", {"chest", "spine2", "spine1", "upperchest", "thorax", "chest2"}},
        {"neck", {"neck", "neck1"}},
        {"head", {"head"}},
        {"shoulder_l", {"leftarm", "leftuparm", "leftupperarm", "lshldr", "leftshoulder", "larm"}},
        {"elbow_l", {"leftforearm", "leftlowarm", "leftlowerarm", "lforearm", "leftelbow"}},
        {"wrist_l", {"lefthand", "lhand", "leftwrist"}},
        {"hip_l", {"leftupleg", "leftupperleg", "lthigh", "lefthip", "leftthigh"}},
        {"knee_l", {"leftleg", "leftlowleg", "leftlowerleg", "lshin", "leftknee", "leftshin"}},
        {"ankle_l", {"leftfoot", "lfoot", "leftankle"}},
        {"toe_l", {"lefttoebase", "lefttoe", "ltoe"}}};
    return kRows;
}

std::string plain(std::string_view name) {
    const std::size_t colon = name.rfind(':');
    std::string word;
    for (const char c : colon == std::string_view::npos ? name : name.substr(colon + 1)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return word;
}

// The other side's name: "leftarm" -> "rightarm", "lshldr" -> "rshldr".
std::string to_right(const std::string& left) {
    return left.substr(0, 4) == "left" ? "right" + left.substr(4) : "r" + left.substr(1);
}

int find_in_clip(const MotionClip& clip, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        for (std::size_t j = 0; j < clip.joints.size(); ++j) {
            if (plain(clip.joints[j].name) == name) {
                return static_cast<int>(j);
            }
        }
    }
    return -1;
}

bool is_limb(const std::string& carrier) {
    return carrier.size() > 2 && carrier[carrier.size() - 2] == '_';
}

/// For each joint of the skeleton the joint of the recording, -1 where there is none.
std::vector<int> paired(const MotionClip& clip, const CharacterSkeleton& skeleton) {
    std::vector<int> pair(skeleton.joints.size(), -1);
    std::vector<char> is_taken(clip.joints.size(), 0);
    for (const NameRow& row : name_rows()) {
        const std::string carrier = row.carrier;
        for (const bool is_right : {false, true}) {
            if (is_right && !is_limb(carrier)) {
                continue;
            }
            std::vector<std::string> names = {plain(carrier)};
            for (const char* name : row.names) {
                names.push_back(is_right ? to_right(name) : std::string(name));
            }
            std::string wanted = carrier;
            if (is_right) {
                wanted.back() = 'r';
                names[0] = plain(wanted);
            }
            const int found = find_in_clip(clip, names);
            for (std::size_t c = 0; c < pair.size() && found >= 0; ++c) {
                char& taken = is_taken[static_cast<std::size_t>(found)];
                if (skeleton.joints[c].name == wanted && taken == 0) {
                    pair[c] = found;
                    taken = 1;
                }
            }
        }
    }
    return pair;
}

}  // namespace

CharacterMotion retargeted(const MotionClip& clip, const CharacterSkeleton& skeleton) {
    require_valid(clip, clip.name);
    const std::vector<int> pair = paired(clip, skeleton);
    const auto count = std::count_if(pair.begin(), pair.end(), [](int p) { return p >= 0; });
    if (count < 4 || clip.frame_count == 0) {
        throw InputError(
            {.where = fmt::format("motion '{}'", clip.name),
             .found = fmt::format("{} joints with known names, {} frames", count, clip.frame_count),
             .needs = "hips, arms and legs as motion capture names them",
             .remedy = "rename its joints, e.g. Hips, LeftUpLeg, LeftLeg, LeftArm"});
    }
    const std::vector<Eigen::Isometry3d> rest = offset_pose(clip);
    const std::size_t joints = skeleton.joints.size();
    // Turns of the body's limbs into the directions in which those of the recording rest.
    std::vector<Eigen::Quaterniond> align(joints, Eigen::Quaterniond::Identity());
    double body_length = 0.0;
    double clip_length = 0.0;
    for (std::size_t c = 0; c < joints; ++c) {
        const Index parent = skeleton.joints[c].parent;
        if (parent < 0 || pair[c] < 0 || pair[static_cast<std::size_t>(parent)] < 0 ||
            !is_limb(skeleton.joints[static_cast<std::size_t>(parent)].name)) {
            continue;
        }
        const Vec3 ours = skeleton.joints[c].position -
                          skeleton.joints[static_cast<std::size_t>(parent)].position;
        const Vec3 theirs =
            rest[static_cast<std::size_t>(pair[c])].translation() -
            rest[static_cast<std::size_t>(pair[static_cast<std::size_t>(parent)])].translation();
        if (theirs.norm() > 1e-6) {
            align[static_cast<std::size_t>(parent)] =
                Eigen::Quaterniond(turn_between(ours, theirs));
            body_length += ours.norm();
            clip_length += theirs.norm();
        }
    }
    // The ends of limbs rest as what they hang on does.
    for (std::size_t c = 0; c < joints; ++c) {
        const Index parent = skeleton.joints[c].parent;
        const bool is_end = std::none_of(
            skeleton.joints.begin(), skeleton.joints.end(), [&](const CharacterJoint& child) {
                return child.parent == static_cast<Index>(c) &&
                       pair[static_cast<std::size_t>(&child - skeleton.joints.data())] >= 0;
            });
        if (parent >= 0 && is_end && is_limb(skeleton.joints[c].name)) {
            align[c] = align[static_cast<std::size_t>(parent)];
        }
    }
    const double scale = clip_length > 0.0 ? body_length / clip_length : 1.0;
    CharacterMotion motion;
    const int root = std::max(0, pair[0]);
    const Vec3 start = forward_kinematics(clip, 0)[static_cast<std::size_t>(root)].translation();
    const double ground = rest[static_cast<std::size_t>(root)].translation().y();
    for (std::size_t f = 0; f < clip.frame_count; ++f) {
        const std::vector<Eigen::Isometry3d> now = forward_kinematics(clip, f);
        std::vector<Eigen::Quaterniond> world(joints);
        JointRotations key;
        for (std::size_t c = 0; c < joints; ++c) {
            const Index parent = skeleton.joints[c].parent;
            world[c] = parent >= 0 ? world[static_cast<std::size_t>(parent)]
                                   : Eigen::Quaterniond::Identity();
            if (pair[c] >= 0) {
                const auto j = static_cast<std::size_t>(pair[c]);
                const Mat3 turn = now[j].linear() * rest[j].linear().transpose();
                world[c] = (Eigen::Quaterniond(turn) * align[c]).normalized();
            }
            key.rotations.push_back(
                parent >= 0 ? world[static_cast<std::size_t>(parent)].conjugate() * world[c]
                            : world[c]);
        }
        Vec3 shift = now[static_cast<std::size_t>(root)].translation() - start;
        // Height counts from where the recording's legs would stand.
        if (ground > 0.1) {
            shift.y() = now[static_cast<std::size_t>(root)].translation().y() - ground;
        }
        key.shift = scale * shift;
        motion.times.push_back(static_cast<double>(f) * clip.frame_time);
        motion.keys.push_back(std::move(key));
    }
    return motion;
}

}  // namespace sinew
