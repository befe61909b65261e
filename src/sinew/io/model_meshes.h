#pragma once

#include "sinew/body/musculoskeletal.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// Reads the meshes that a model's shapes name (.vtp, .stl, .obj and other surfaces). Each is
/// looked for in the folders and in their subfolders `Geometry`, as OpenSim does, and in its own
/// place where its path is absolute.
/// @returns what was not found or could not be read, in words
std::vector<std::string> load_shapes(MusculoskeletalModel& model,
                                     std::span<const std::filesystem::path> folders);

/// Writes every loaded mesh as binary STL, its scale applied, and makes the shapes name these files
/// (without the folder). Shapes whose meshes are not loaded are dropped.
/// @param folder  made where it does not exist
/// @throws InputError when a file cannot be written
void write_shapes(const std::filesystem::path& folder, MusculoskeletalModel& model);

}  // namespace sinew
