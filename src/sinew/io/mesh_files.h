#pragma once

#include "sinew/io/read_options.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace sinew {

/// Reads a surface in any format that the file's ending names (.obj, .ply, ...), in metres, Y up.
/// Of a file of tetrahedra, its boundary. `options` says what the file does not.
/// @throws InputError with the file and the position
std::vector<MeshPart> read_surface(const std::filesystem::path& path,
                                   const ReadOptions& options = {});

/// Reads tetrahedra. @throws InputError also when the file holds none
TetMesh read_tets(const std::filesystem::path& path, const ReadOptions& options = {});

/// Tetrahedra where the file holds any, else surfaces.
using AnyMesh = std::variant<std::vector<MeshPart>, TetMesh>;
AnyMesh read_mesh(const std::filesystem::path& path, const ReadOptions& options = {});

/// Writes in the format that the file's ending names. The file appears whole or not at all.
/// @throws InputError when the format is not known, cannot hold it, or the mesh is not valid
void write_surface(const std::filesystem::path& path, std::span<const MeshPart> parts);
void write_tets(const std::filesystem::path& path, const TetMesh& mesh);

/// Endings that read_surface, read_tets, write_surface and write_tets know, for help texts.
std::vector<std::string> readable_surface_endings();
std::vector<std::string> readable_tet_endings();
std::vector<std::string> writable_surface_endings();
std::vector<std::string> writable_tet_endings();

}  // namespace sinew
