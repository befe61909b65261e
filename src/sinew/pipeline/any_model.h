#pragma once

#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <string>

namespace sinew {

/// Whether the file is a body (.sinew).
bool is_body_file(const std::filesystem::path& file);

/// A musculoskeletal model (.osim, .xml), or a body (.sinew) as one.
/// @param muscles  of a MASS skeleton; empty: the one file beside it
/// @throws InputError
MusculoskeletalModel read_any_model(const std::filesystem::path& file,
                                    const std::filesystem::path& muscles = {});

/// A motion of a model's coordinates: a table (.mot, .sto) or a recording (.bvh).
/// @param unit  of lengths in a recording: "m", "cm" or "mm"
/// @throws InputError
MotionTable read_motion(const std::filesystem::path& file, const std::string& unit,
                        const MusculoskeletalModel& model);

}  // namespace sinew
