#pragma once

#include "sinew/body/joint_names.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// Reads a table of joint names (docs/motion.md):
///
///   { "format": "sinew-joint-names", "version": 1, "prefixes": ["mixamorig"],
///     "conventions": [ { "name": "mine", "left": "Left", "right": "Right",
///                        "parts": { "pelvis": ["Hips"], "hip": ["{side}UpLeg"] } } ] }
///
/// @throws InputError
JointNames read_joint_names(const std::filesystem::path& path);
JointNames parse_joint_names(std::string_view json, const std::string& where);

/// The table of data_folder(); with a file of one's own, its conventions come first.
JointNames known_joint_names(const std::filesystem::path& own = {});

}  // namespace sinew
