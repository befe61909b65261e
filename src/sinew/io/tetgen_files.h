#pragma once

#include "sinew/io/mesh_files.h"

#include <filesystem>
#include <vector>

namespace sinew {

/// Reads the .node and .ele file of one name; `path` is either. Regions are the first attribute of
/// the tetrahedra. @throws InputError with the file and the line, also when the other is missing
TetMesh read_tetgen(const std::filesystem::path& path, const ReadOptions& options);

/// The boundary of the tetrahedra, or where there is no .ele file the triangles of the .face file.
std::vector<MeshPart> read_tetgen_surface(const std::filesystem::path& path,
                                          const ReadOptions& options);

/// Tetrahedra where there is an .ele file, else triangles.
AnyMesh read_tetgen_any(const std::filesystem::path& path, const ReadOptions& options);

/// Writes both files, whichever `path` names. Positions and regions read back bit by bit.
void write_tetgen(const std::filesystem::path& path, const TetMesh& mesh);

}  // namespace sinew
