#pragma once

#include "sinew/skinning/skin_upsampling.h"

#include <filesystem>

namespace sinew {

/// Upsampling weights of two meshes, from the cache where they are kept under the content of both;
/// else computed, and kept.
/// @param cache  folder of finished stages (pipeline/body_cache.h); empty: none
/// @throws InputError; Cancelled
SkinUpsampling cached_upsampling(const TriangleMesh& coarse, const TriangleMesh& fine,
                                 const std::filesystem::path& cache, const Progress& progress = {});

}  // namespace sinew
