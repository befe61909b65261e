#pragma once

#include "sinew/mesh/arrays.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// How one family of programs names the joints of a person. Names are compared without namespaces,
/// case and punctuation.
struct JointConvention {
    std::string name;   ///< "Mixamo, MotionBuilder"
    std::string left;   ///< what stands for "{side}" in the names of the left side; may be empty
    std::string right;  ///< of the right side
    /// Of each part (joint_parts()) the names, the best first. Trunk and neck are rows of joints:
    /// all that are there count, in this order from the pelvis up. Toes are joints side by side.
    std::map<std::string, std::vector<std::string>> parts = {};
};

/// The one table of joint names (data/motion/joint_names.json, read by io/joint_names_file.h).
struct JointNames {
    std::vector<std::string> prefixes = {};  ///< that programs put before names: "mixamorig"
    std::vector<JointConvention> conventions = {};
};

/// Parts of a person that a motion moves, without sides: pelvis, trunk, neck, head; and of both
/// sides clavicle, shoulder, elbow, wrist, finger, thumb, hip, knee, ankle, heel, toe. A joint is
/// called after the place where it is: "shoulder" turns the upper arm.
std::span<const std::string_view> middle_parts();
std::span<const std::string_view> sided_parts();

/// @throws InputError  naming `where`: no convention, parts that are none, empty names, the same
///                     name twice in a convention, "{side}" missing or without sides
void require_valid(const JointNames& names, std::string_view where);

/// Which joints of a skeleton are which part of a person; sides are "_l" and "_r".
struct PersonJoints {
    std::string convention = {};  ///< whose names they are; empty: none fits
    std::map<std::string, std::vector<Index>> joints = {};

    /// The first joint of a part, -1 without.
    Index first(const std::string& part) const;
    /// Trunk and neck: the last one.
    Index last(const std::string& part) const;
    bool has(const std::string& part) const {
        return first(part) >= 0;
    }
};

/// By the convention that knows most of the names.
PersonJoints find_person_joints(std::span<const std::string> names, const JointNames& table);

/// A name without what programs add: namespaces ("mixamorig:Hips"), case, punctuation.
std::string bare_joint_name(std::string_view name);

}  // namespace sinew
