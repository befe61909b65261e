#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/io/mjcf.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// Whether the file is a body (.sinew).
bool is_body_file(const std::filesystem::path& file);

/// A musculoskeletal model (.osim, .xml), or a body (.sinew) as one, its landmarks as markers.
/// @param muscles  of a MASS skeleton; empty: the one file beside it
/// @throws InputError
MusculoskeletalModel read_any_model(const std::filesystem::path& file,
                                    const std::filesystem::path& muscles = {});

/// Writes `.osim`, or `.xml` as MuJoCo's MJCF with the sides of wrap surfaces as MuJoCo has them
/// (with_side_points).
/// @param up  of the world of an MJCF file
/// @returns what the format could not hold
/// @throws InputError for other endings
std::vector<std::string> write_any_model(const std::filesystem::path& path,
                                         const MusculoskeletalModel& model, UpAxis up = UpAxis::Z);

}  // namespace sinew
