#pragma once

#include "sinew/body/body.h"
#include "sinew/body/musculoskeletal.h"

#include <filesystem>

namespace sinew {

/// Whether the file is a body (.sinew).
bool is_body_file(const std::filesystem::path& file);

/// A body as a model (motion/body_model.h) with its landmarks as markers, each on the rigid body
/// whose bones lie nearest.
MusculoskeletalModel model_with_markers(const Body& body);

/// A musculoskeletal model (.osim, .xml), or a body (.sinew) as one, its landmarks as markers.
/// @param muscles  of a MASS skeleton; empty: the one file beside it
/// @throws InputError
MusculoskeletalModel read_any_model(const std::filesystem::path& file,
                                    const std::filesystem::path& muscles = {});

}  // namespace sinew
