#pragma once

#include "sinew/fit/layers.h"

namespace sinew {

/// The skeleton surface B of build_layers.
/// @param layers  with skin, muscle surface, kept vertices and wrap; the rest is not read
Points shrink_to_wrap(const Body& body, const LayeredTemplate& layers, const LayerOptions& options,
                      const Progress& progress);

}  // namespace sinew
