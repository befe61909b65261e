#pragma once

#include "sinew/io/gltf.h"

#include <filesystem>

namespace sinew {

/// Reads an FBX file (text or binary) into the same structs as glTF: named parts, colours, morphs,
/// skins with their joints, and animations of joints. The file's unit and axes are honoured: the
/// scene is in metres, Y up, and `notes` says what was converted. The assimp library does the
/// reading, in a process of its own with bounded time and memory, since damaged files can crash it.
/// @throws InputError
GltfScene read_fbx(const std::filesystem::path& path);

}  // namespace sinew
