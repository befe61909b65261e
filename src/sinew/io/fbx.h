#pragma once

#include "sinew/io/gltf.h"

#include <filesystem>

namespace sinew {

/// Which points the parts of an FBX file have.
enum class FbxPoints {
    Split,  ///< one part per material; points are apart where colours or normals differ
    OfFile  ///< one part per mesh, with its points and their order, where the file is binary
};

/// Reads an FBX file (text or binary) into the same structs as glTF: named parts, colours, morphs,
/// skins with their joints, and animations of joints. The file's unit and axes are honoured: the
/// scene is in metres, Y up, and `notes` says what was converted. The assimp library does the
/// reading, in a process of its own with bounded time and memory, since damaged files can crash it.
/// @throws InputError
GltfScene read_fbx(const std::filesystem::path& path, FbxPoints points = FbxPoints::Split);

}  // namespace sinew
