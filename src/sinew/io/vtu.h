#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <filesystem>
#include <span>
#include <string>

namespace sinew {

struct VtuOptions {
    bool is_compressed = true;  ///< zlib; about half the size, three times the time
};

/// Writes a VTK XML unstructured grid, as ParaView reads it: points and cells with all their data
/// in binary. Regions of tetrahedra become the cell data "region".
/// @throws InputError when the mesh is not valid or the file cannot be written
void write_vtu(const std::filesystem::path& path, const TetMesh& mesh,
               const VtuOptions& options = {});
/// Surfaces in one grid; the cell data "part" numbers them from 0.
void write_vtu(const std::filesystem::path& path, std::span<const MeshPart> parts,
               const VtuOptions& options = {});

/// Writes a collection (.pvd) that plays files, as ParaView opens it.
/// @param files  relative to the collection's folder, one per time
void write_pvd(const std::filesystem::path& path, std::span<const double> times,
               std::span<const std::string> files);

std::string format_vtu(const TetMesh& mesh, const VtuOptions& options = {});
std::string format_vtu(std::span<const MeshPart> parts, const VtuOptions& options = {});

}  // namespace sinew
