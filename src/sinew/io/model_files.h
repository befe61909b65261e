#pragma once

#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// Whether a file's ending and beginning are those of a musculoskeletal model: `.osim`, or `.xml`
/// with a MASS skeleton.
bool is_model_file(const std::filesystem::path& path);

/// Reads a model: `.osim`, or a MASS skeleton (`.xml`) with its muscles in a file of their own.
/// @param muscles  of MASS models; empty: the only `muscle*.xml` beside
///                 the skeleton
/// @throws InputError naming the element and its line
MusculoskeletalModel read_model(const std::filesystem::path& path,
                                const std::filesystem::path& muscles = {});

/// Writes `.osim`, or `.xml` as MuJoCo's MJCF.
/// @returns what the format could not hold
/// @throws InputError for other endings
std::vector<std::string> write_model(const std::filesystem::path& path,
                                     const MusculoskeletalModel& model);

}  // namespace sinew
