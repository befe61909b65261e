#pragma once

#include "sinew/io/mixed_mesh.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Numbers of VTK's kinds of cells.
namespace vtk_cell {
inline constexpr std::uint8_t kVertex = 1;
inline constexpr std::uint8_t kLine = 3;
inline constexpr std::uint8_t kTriangle = 5;
inline constexpr std::uint8_t kQuad = 9;
inline constexpr std::uint8_t kTetra = 10;
}  // namespace vtk_cell

/// What numbers in data of the file stand for: number i is names[i].
struct VtuNames {
    std::string data;
    std::vector<std::string> names = {};
};

struct VtuOptions {
    bool is_compressed = true;         ///< zlib; about half the size, three times the time
    std::vector<VtuNames> names = {};  ///< as field data, arrays of texts
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

/// Reads such a grid, or a surface of polygons (.vtp, "PolyData"): tetrahedra, triangles and
/// quadrilaterals (cut in two) of one piece, with data as text, base64 or appended, packed by zlib
/// or not. Data of points and tetrahedra are kept; the cell data "region" are regions, "part"
/// labels of triangles. Points and lines are passed over, other cells refused.
/// @param file  named in errors
/// @throws InputError
MixedMesh parse_vtu(std::string_view bytes, std::string_view file);

std::string format_vtu(const TetMesh& mesh, const VtuOptions& options = {});
std::string format_vtu(std::span<const MeshPart> parts, const VtuOptions& options = {});

}  // namespace sinew
