#pragma once

#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// Reads OpenSim's storage format (.sto, .mot): a header up to `endheader`, a row of labels of
/// which the first is `time`, rows of numbers. The header's nRows and nColumns are checked.
/// Angles are degrees where `inDegrees` or the sentence "Angles are in degrees." says so; where
/// neither stands in the header, `is_unit_known` is false.
/// @throws InputError with the file and the line
MotionTable read_motion_table(const std::filesystem::path& path);
MotionTable parse_motion_table(std::string_view text, std::string_view file);

/// Writes it; numbers with the fewest digits that read back the same.
void write_motion_table(const std::filesystem::path& path, const MotionTable& table);
std::string format_motion_table(const MotionTable& table);

}  // namespace sinew
