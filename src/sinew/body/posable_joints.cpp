#include "sinew/body/posable_joints.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

/// How posable joints hang together. The first joint of the skeleton gives the centre.
struct PosableRow {
    const char* name;
    const char* parent;
    std::vector<const char*> joints;
};

const std::vector<PosableRow>& posable_rows() {
    static const std::vector<PosableRow> kRows = {
        {"loins",
         "",
         {"lumbar_l3_l4", "lumbar_l5_s1", "lumbar_l4_l5", "lumbar_l2_l3", "lumbar_l1_l2"}},
        {"chest",
         "loins",
         {"thoracic_t8_t9", "thoracic_t12_l1", "thoracic_t11_t12", "thoracic_t10_t11",
          "thoracic_t9_t10", "thoracic_t7_t8", "thoracic_t6_t7"}},
        {"neck",
         "chest",
         {"neck_c5_c6", "neck_c7_t1", "neck_c6_c7", "neck_c4_c5", "neck_c3_c4", "neck_c2_c3"}},
        {"head", "neck", {"neck_atlanto_occipital"}},
        {"jaw", "head", {"temporomandibular"}},
        {"shoulder_l", "chest", {"shoulder_l"}},
        {"elbow_l", "shoulder_l", {"elbow_l"}},
        {"forearm_l", "elbow_l", {"forearm_l"}},
        {"wrist_l", "forearm_l", {"wrist_l"}},
        {"shoulder_r", "chest", {"shoulder_r"}},
        {"elbow_r", "shoulder_r", {"elbow_r"}},
        {"forearm_r", "elbow_r", {"forearm_r"}},
        {"wrist_r", "forearm_r", {"wrist_r"}},
        {"hip_l", "", {"hip_l"}},
        {"knee_l", "hip_l", {"knee_l"}},
        {"ankle_l", "knee_l", {"ankle_l"}},
        {"hip_r", "", {"hip_r"}},
        {"knee_r", "hip_r", {"knee_r"}},
        {"ankle_r", "knee_r", {"ankle_r"}}};
    return kRows;
}

int find_skeleton_joint(const Skeleton& skeleton, std::string_view name) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].name == name) {
            return static_cast<int>(j);
        }
    }
    return -1;
}

}  // namespace

std::vector<PosableJoint> posable_joints(const Body& body) {
    std::vector<PosableJoint> all;
    for (const PosableRow& row : posable_rows()) {
        PosableJoint posable;
        posable.name = row.name;
        for (const char* name : row.joints) {
            if (const int j = find_skeleton_joint(body.skeleton, name); j >= 0) {
                posable.joints.push_back(j);
            }
        }
        if (posable.joints.empty()) {
            continue;
        }
        for (std::size_t p = 0; p < all.size(); ++p) {
            posable.parent = all[p].name == row.parent ? static_cast<int>(p) : posable.parent;
        }
        const Joint& first = body.skeleton.joints[at(posable.joints[0])];
        posable.centre = first.centre;
        posable.angles = angle_count(first.type);
        posable.axes = first.axes;
        posable.motions = first.motions;
        for (std::size_t k = 0; k < 3; ++k) {
            posable.limits[k] = {0.0, 0.0};
            for (const Index j : posable.joints) {
                const AngleLimit& limit = body.skeleton.joints[at(j)].limits[k];
                posable.limits[k].low += limit.low;
                posable.limits[k].high += limit.high;
            }
        }
        all.push_back(std::move(posable));
    }
    return all;
}

Pose pose_from_angles(const Body& body, const std::vector<PosableJoint>& joints,
                      const PosedAngles& angles) {
    Pose pose = rest_pose(body.skeleton);
    const std::vector<Index> starts = coordinate_starts(body.skeleton);
    for (const auto& [name, turns] : angles) {
        const auto it =
            std::find_if(joints.begin(), joints.end(),
                         [&wanted = name](const PosableJoint& j) { return j.name == wanted; });
        if (it == joints.end()) {
            std::vector<std::string> known;
            for (const PosableJoint& joint : joints) {
                known.push_back(joint.name);
            }
            throw InputError(
                {.where = "pose",
                 .found = fmt::format("unknown joint '{}'{}", name, did_you_mean(name, known)),
                 .needs = "a joint of the body",
                 .remedy = fmt::format("choose one of {}", join(known, ", "))});
        }
        const auto shares = static_cast<double>(it->joints.size());
        for (const Index j : it->joints) {
            const Joint& joint = body.skeleton.joints[at(j)];
            const auto start = static_cast<std::size_t>(starts[at(j)]);
            for (std::size_t k = 0; k < static_cast<std::size_t>(angle_count(joint.type)); ++k) {
                pose.coordinates[start + k] =
                    std::clamp(turns[k] / shares, joint.limits[k].low, joint.limits[k].high);
            }
        }
        // A kneecap follows its knee.
        if (it->name == "knee_l" || it->name == "knee_r") {
            const int cap =
                find_skeleton_joint(body.skeleton, "patellofemoral" + it->name.substr(4));
            if (cap >= 0) {
                pose.coordinates[at(starts[at(cap)])] = turns[0];
            }
        }
    }
    return pose;
}

PosedAngles angles_from_pose(const Body& body, const std::vector<PosableJoint>& joints,
                             const Pose& pose) {
    SINEW_ASSERT(pose.coordinates.size() == rest_pose(body.skeleton).coordinates.size(),
                 "{} coordinates", pose.coordinates.size());
    const std::vector<Index> starts = coordinate_starts(body.skeleton);
    PosedAngles angles;
    for (const PosableJoint& posable : joints) {
        std::array<double, 3>& sum = angles[posable.name] = {0.0, 0.0, 0.0};
        for (const Index j : posable.joints) {
            const auto start = static_cast<std::size_t>(starts[at(j)]);
            for (std::size_t k = 0; k < static_cast<std::size_t>(posable.angles); ++k) {
                sum[k] += pose.coordinates[start + k];
            }
        }
    }
    return angles;
}

std::vector<std::string> built_in_motions() {
    return {"wave", "walk"};
}

PosedAngles built_in_motion(std::string_view name, double time) {
    PosedAngles angles;
    const auto turn = [&](const char* joint, double x, double y = 0.0, double z = 0.0) {
        angles[joint] = {x * kDegree, y * kDegree, z * kDegree};
    };
    // Motions begin softly.
    const double ease =
        std::min(1.0, time) * std::min(1.0, time) * (3.0 - 2.0 * std::min(1.0, time));
    if (name == "wave") {
        const double swing = std::sin(2.0 * kPi * 1.1 * time);
        turn("shoulder_r", 0.0, 62.0 * ease, 0.0);
        turn("elbow_r", (62.0 + 22.0 * swing) * ease);
        turn("head", 0.0, -3.0 * ease, 0.0);
        turn("chest", 0.0, 2.0 * swing * ease, 0.0);
        return angles;
    }
    const double phase = 2.0 * kPi * 0.9 * time;
    for (const bool is_left : {true, false}) {
        const double p = phase + (is_left ? 0.0 : kPi);
        const char* hip = is_left ? "hip_l" : "hip_r";
        const char* knee = is_left ? "knee_l" : "knee_r";
        const char* ankle = is_left ? "ankle_l" : "ankle_r";
        const char* shoulder = is_left ? "shoulder_l" : "shoulder_r";
        const char* elbow = is_left ? "elbow_l" : "elbow_r";
        turn(hip, (8.0 + 24.0 * std::sin(p)) * ease);
        turn(knee, (12.0 + 34.0 * std::max(0.0, std::cos(p + 0.35))) * ease);
        turn(ankle, 8.0 * std::sin(p + 0.8) * ease);
        turn(shoulder, -22.0 * std::sin(p) * ease, -28.0 * ease, 0.0);
        turn(elbow, (12.0 - 12.0 * std::sin(p)) * ease);
    }
    turn("chest", 2.0 * ease, 0.0, 5.0 * std::sin(phase) * ease);
    return angles;
}

}  // namespace sinew
