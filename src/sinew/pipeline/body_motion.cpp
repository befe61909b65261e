#include "sinew/pipeline/body_motion.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

namespace sinew {

namespace {

/// Joints of the skeleton that carry the skin: name, parent, joint whose centre and child it takes.
struct CarrierRow {
    const char* name;
    const char* parent;
    const char* joint;
};
constexpr CarrierRow kCarriers[] = {{"pelvis", "", "root"},
                                    {"loins", "pelvis", "lumbar_l3_l4"},
                                    {"chest", "loins", "thoracic_t8_t9"},
                                    {"neck", "chest", "neck_c7_t1"},
                                    {"head", "neck", "neck_atlanto_occipital"},
                                    {"shoulder_l", "chest", "shoulder_l"},
                                    {"elbow_l", "shoulder_l", "elbow_l"},
                                    {"wrist_l", "elbow_l", "wrist_l"},
                                    {"knuckle_l", "wrist_l", "mcp_middle_finger_l"},
                                    {"shoulder_r", "chest", "shoulder_r"},
                                    {"elbow_r", "shoulder_r", "elbow_r"},
                                    {"wrist_r", "elbow_r", "wrist_r"},
                                    {"knuckle_r", "wrist_r", "mcp_middle_finger_r"},
                                    {"hip_l", "pelvis", "hip_l"},
                                    {"knee_l", "hip_l", "knee_l"},
                                    {"ankle_l", "knee_l", "ankle_l"},
                                    {"toe_l", "ankle_l", "mtp_second_toe_l"},
                                    {"hip_r", "pelvis", "hip_r"},
                                    {"knee_r", "hip_r", "knee_r"},
                                    {"ankle_r", "knee_r", "ankle_r"},
                                    {"toe_r", "ankle_r", "mtp_second_toe_r"}};

int find_joint(const Skeleton& skeleton, std::string_view name) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].name == name) {
            return static_cast<int>(j);
        }
    }
    return -1;
}

int find_carrier(const CharacterSkeleton& skeleton, std::string_view name) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].name == name) {
            return static_cast<int>(j);
        }
    }
    return -1;
}

}  // namespace

BodyCarriers carriers_of(const Body& body) {
    BodyCarriers found;
    CharacterSkeleton& skeleton = found.skeleton;
    std::vector<Index> joint_segment;  // of each carrier
    for (const CarrierRow& row : kCarriers) {
        const int j = find_joint(body.skeleton, row.joint);
        const int parent = find_carrier(skeleton, row.parent);
        if (j < 0 || (parent < 0 && *row.parent != '\0')) {
            continue;
        }
        const Joint& joint = body.skeleton.joints[static_cast<std::size_t>(j)];
        skeleton.joints.push_back({.name = row.name, .parent = parent, .position = joint.centre});
        joint_segment.push_back(joint.child);
    }
    if (skeleton.joints.size() < 3) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = "a skeleton that is not a human's",
                          .needs = "joints such as hip_l, knee_l, shoulder_l",
                          .remedy = "make the body with 'sinew build'"});
    }
    // Segments follow the carrier that is next towards the root.
    std::vector<Index> segment_carrier(body.skeleton.segments.size(), 0);
    for (const Joint& joint : body.skeleton.joints) {
        Index& mine = segment_carrier[static_cast<std::size_t>(joint.child)];
        mine = joint.parent >= 0 ? segment_carrier[static_cast<std::size_t>(joint.parent)] : 0;
        for (std::size_t c = 0; c < skeleton.joints.size(); ++c) {
            if (joint_segment[c] == joint.child) {
                mine = static_cast<Index>(c);
                break;
            }
        }
        found.of_joint.push_back(mine);
    }
    return found;
}

}  // namespace sinew
