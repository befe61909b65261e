#pragma once

#include "sinew/body/motion_clip.h"
#include "sinew/io/read_options.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// Reads a Biovision Hierarchy motion. Angles in the file are degrees; `options` says its unit and
/// which way is up (many are in centimetres). One root; channels in any order.
/// @throws InputError with the file and the line
MotionClip read_bvh(const std::filesystem::path& path, const ReadOptions& options = {});
/// From memory, numbers taken as metres, Y up.
MotionClip parse_bvh(std::string_view text, std::string_view file);

/// Writes it, in metres unless another unit is asked for, Y up.
/// @throws InputError when the motion is not valid or the file cannot be written
void write_bvh(const std::filesystem::path& path, const MotionClip& clip, Unit unit = Unit::Metre);
std::string format_bvh(const MotionClip& clip, Unit unit = Unit::Metre);

/// Turns a motion recorded in other conventions to metres, Y up: offsets, positions and the axes of
/// rotation channels.
void convert_to_metres_y_up(MotionClip& clip, const ReadOptions& options);

}  // namespace sinew
