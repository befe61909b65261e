#pragma once

#include "sinew/fit/layers.h"

#include <filesystem>

namespace sinew {

/// build_layers(body), kept in a folder under a name made of the body's content: layers of a
/// template are made once, not once per person.
/// @param cache_folder  empty: nothing is kept or found
LayeredTemplate cached_layers(const Body& body, const std::filesystem::path& cache_folder,
                              const Progress& progress = {});

}  // namespace sinew
