#pragma once

#include "sinew/io/read_options.h"
#include "sinew/render/render.h"

#include <filesystem>
#include <string>

namespace sinew::cli {

/// What a file shows, or all surfaces in a folder and its folders. Parts that do not say what they
/// are take their kind from the folder's name (bones, muscles, skin, ...). Of a folder named `skin`
/// the first file counts: the others are the same skin at other resolutions. A cut through
/// tetrahedra shows whole ones, so it is made here.
Scene scene_from_file(const std::filesystem::path& path, const ReadOptions& options,
                      const RenderOptions& render);

/// @throws InputError  naming `where` and what could be shown, when a picture of the scene would be
///                     empty
void require_visible(const Scene& scene, const RenderOptions& render, const std::string& where);

}  // namespace sinew::cli
