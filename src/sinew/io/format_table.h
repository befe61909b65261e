#pragma once

#include "sinew/io/mesh_files.h"
#include "sinew/io/read_options.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace sinew {

/// What Sinew can do with one kind of mesh file. Functions that do not exist are null.
struct MeshFormat {
    std::string_view ending;  ///< with its dot, in lower case
    std::string_view title;   ///< for people: "Wavefront OBJ"
    std::vector<MeshPart> (*read_surface)(const std::filesystem::path&,
                                          const ReadOptions&) = nullptr;
    TetMesh (*read_tets)(const std::filesystem::path&, const ReadOptions&) = nullptr;
    void (*write_surface)(const std::filesystem::path&, std::span<const MeshPart>) = nullptr;
    void (*write_tets)(const std::filesystem::path&, const TetMesh&) = nullptr;
    /// Of formats that can hold either: tetrahedra if there are any.
    AnyMesh (*read_any)(const std::filesystem::path&, const ReadOptions&) = nullptr;
};

/// All formats. A new one is a line in format_table.cpp.
std::span<const MeshFormat> mesh_formats();

/// The format of the file's ending, in any case, or nullptr.
const MeshFormat* find_mesh_format(const std::filesystem::path& path);

}  // namespace sinew
