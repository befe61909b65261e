#pragma once

#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Reads an OpenSim model, format 3 (joints inside bodies) or 4 (sockets and frames): bodies; weld,
/// pin, slider, universal, planar, ball, gimbal, free and custom joints; coordinates and coordinate
/// couplers; markers; muscles of the Thelen2003, Millard2012 and related classes with fixed,
/// conditional and moving path points and wrap objects. Other forces, constraints, controllers and
/// geometry are left out and named in `notes`.
/// @throws InputError naming the element and its line
MusculoskeletalModel read_osim(const std::filesystem::path& path);
MusculoskeletalModel parse_osim(std::string text, std::string_view file);

/// Writes format 4, which OpenSim 4 reads. LBS path points do not exist there: they are written as
/// points of the body with the greatest weight, and that is named in a comment at the top.
/// @returns what the format could not hold
/// @throws InputError when the model is not valid or the file cannot be written
std::vector<std::string> write_osim(const std::filesystem::path& path,
                                    const MusculoskeletalModel& model);
std::string format_osim(const MusculoskeletalModel& model);

}  // namespace sinew
