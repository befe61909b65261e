#include "sinew/build/joint_tree.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <set>

namespace sinew {

namespace {

BoneJoint bone_joint(const FigureJoint& from) {
    BoneJoint result{.parent = from.parent, .child = from.child};
    Joint& joint = result.joint;
    joint.name = from.name;
    joint.type = from.type;
    joint.centre = from.centre;
    for (std::size_t k = 0; k < from.axes.size(); ++k) {
        joint.axes[k] = from.axes[k].normalized();
        joint.limits[k] = from.limits[k];
        joint.motions[k] = from.motions[k];
    }
    joint.rest[0] = from.rest;
    return result;
}

/// An axis of rotation reflects as (x, -y, -z): positive stays the same movement.
void reflect(std::size_t axes, Joint& joint) {
    joint.centre.x() = -joint.centre.x();
    for (std::size_t k = 0; k < axes; ++k) {
        const Vec3 a = joint.axes[k];
        joint.axes[k] = Vec3(a.x(), -a.y(), -a.z());
    }
}

void require_one_parent(const std::string& root, std::span<const BoneJoint> joints,
                        std::string_view where) {
    std::set<std::string> children = {root};
    for (const BoneJoint& joint : joints) {
        if (!children.insert(joint.child).second) {
            throw InputError({.where = fmt::format("{}, joint '{}'", where, joint.joint.name),
                              .found = fmt::format("'{}' a second time as child{}", joint.child,
                                                   joint.child == root ? " (it is the root)" : ""),
                              .needs = "one joint above every bone, and none above the root",
                              .remedy = "take one of the joints away"});
        }
    }
}

[[noreturn]] void refuse_loose(const std::string& root, const std::vector<std::string>& loose,
                               std::string_view where) {
    throw InputError(
        {.where = std::string(where),
         .found = fmt::format("joints that do not hang on '{}': {}", root, join(loose, ", ")),
         .needs = "a tree: every chain of parents ends at the root",
         .remedy = "look for a circle of parents, or a parent that no joint holds"});
}

}  // namespace

std::vector<BoneJoint> joints_of(const FigureTable& table) {
    std::map<std::string, std::string> right;
    for (const FigurePart& part : table.parts) {
        if (part.mirror) {
            right.insert({part.name, right_name(part.name)});
        }
    }
    const auto right_bone = [&](const std::string& bone) {
        const auto found = right.find(bone);
        return found == right.end() ? bone : found->second;
    };
    std::vector<BoneJoint> joints;
    for (const FigureJoint& joint : table.joints) {
        joints.push_back(bone_joint(joint));
    }
    for (const FigureJoint& joint : table.joints) {
        if (joint.mirror) {
            BoneJoint other = bone_joint(joint);
            other.parent = right_bone(joint.parent);
            other.child = right_bone(joint.child);
            other.joint.name = right_name(joint.name);
            reflect(joint.axes.size(), other.joint);
            joints.push_back(std::move(other));
        }
    }
    return joints;
}

JointTree build_joint_tree(const std::string& root, std::span<const BoneJoint> joints,
                           std::string_view where, const Vec3& root_centre) {
    require_one_parent(root, joints, where);
    JointTree tree;
    tree.segment_of[root] = 0;
    tree.skeleton.segments.push_back({.name = root});
    // Heading first, then leaning to a side, then forwards. With another axis in the middle, angles
    // of somebody who walks along x (as in gait laboratories) or lies on the back are not unique.
    tree.skeleton.joints.push_back({.name = "root",
                                    .child = 0,
                                    .centre = root_centre,
                                    .type = JointType::Free,
                                    .axes = {Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX()}});
    std::vector<bool> is_done(joints.size(), false);
    Vec3 hips = Vec3::Zero();
    int hip_count = 0;
    // Usually one pass; more only where children stand before their parents.
    for (bool is_growing = true; is_growing;) {
        is_growing = false;
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const auto above = tree.segment_of.find(joints[i].parent);
            if (is_done[i] || above == tree.segment_of.end()) {
                continue;
            }
            is_done[i] = is_growing = true;
            if (joints[i].joint.type == JointType::Fixed) {
                tree.segment_of[joints[i].child] = above->second;
                continue;
            }
            const auto segment = static_cast<Index>(tree.skeleton.segments.size());
            Joint joint = joints[i].joint;
            joint.parent = above->second;
            joint.child = segment;
            if (joint.name == "hip_l" || joint.name == "hip_r") {
                hips += joint.centre;
                ++hip_count;
            }
            tree.segment_of[joints[i].child] = segment;
            tree.skeleton.segments.push_back(
                {.name = joints[i].segment.empty() ? joints[i].child : joints[i].segment});
            tree.skeleton.joints.push_back(std::move(joint));
        }
    }
    std::vector<std::string> loose;
    for (std::size_t i = 0; i < joints.size() && loose.size() < 10; ++i) {
        if (!is_done[i]) {
            loose.push_back(joints[i].joint.name);
        }
    }
    if (!loose.empty()) {
        refuse_loose(root, loose, where);
    }
    if (hip_count == 2) {
        tree.skeleton.joints.front().centre = 0.5 * hips;
    }
    return tree;
}

}  // namespace sinew
