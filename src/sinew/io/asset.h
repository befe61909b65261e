#pragma once

#include "sinew/body/body.h"
#include "sinew/body/motion_clip.h"
#include "sinew/io/read_options.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace sinew {

/// Whatever a file of any format holds.
struct Asset {
    std::variant<std::vector<MeshPart>, TetMesh, MotionClip, Body> content;
    std::string note = {};  ///< which conversion of unit or axes was made, or ""
};

/// @throws InputError naming the file and the position
Asset read_asset(const std::filesystem::path& path, const ReadOptions& options = {});

/// Writes it in the format of the file's ending. Where that holds only surfaces, tetrahedra are
/// written as their boundary and a body as its skin, muscles and bones.
/// @returns what was written, for a person: "642 vertices, 1280 triangles"
/// @throws InputError when the ending is not known or cannot hold this
std::string write_asset(const std::filesystem::path& path, const Asset& asset);

/// To be asked before long work: can something be written there, in a format that is known?
/// @throws InputError when no format of that ending can be written, or nothing in that folder
void require_known_output(const std::filesystem::path& path);

}  // namespace sinew
