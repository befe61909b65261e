#pragma once

#include "sinew/body/anatomy.h"

#include <filesystem>

namespace sinew {

/// Writes an anatomy as a folder that other programs can use: bones/NAME.ply, muscles/NAME.ply,
/// skin.ply (single precision), figure.glb (each part a named node; muscles coloured by belly and
/// tendon) and figure.json: `skin`, `bones` and `muscles` with name, kind, group, volume_ml, origin
/// and insertion, joints and landmarks, and the attribution. Folders are made where absent; files
/// of the same name are replaced.
/// @throws InputError  when the place cannot be written to
void write_template_folder(const std::filesystem::path& folder, const Template& anatomy);

}  // namespace sinew
