#pragma once

#include "sinew/io/mixed_mesh.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Reads a Gmsh .msh file: version 4.1 as text or binary of either byte order, version 2.2 as text.
/// Kept are nodes, triangles, quadrilaterals (cut in two) and tetrahedra of first order; points and
/// lines are passed over, other elements refused. A label or region is the physical group of the
/// element's entity, or the entity's own number where it is in no group; `region` is empty where
/// there is one entity without a group. Names of groups name the parts of surfaces.
/// @param file  named in errors
/// @throws InputError with the line or the byte
MixedMesh parse_msh(std::string_view bytes, std::string_view file);

struct MshOptions {
    bool is_ascii = false;                       ///< text; either way numbers read back bit by bit
    std::vector<std::string> region_names = {};  ///< of regions 1, 2, ...; none: "region_N"
};

/// Version 4.1: one volume per region, in a physical group named after that region. Data of the
/// tetrahedra are element data, where they have 1, 3 or 9 components.
/// @throws InputError when the mesh is not valid
std::string format_msh(const TetMesh& mesh, const MshOptions& options = {});
/// One surface per part, in a physical group of the part's name.
std::string format_msh(std::span<const MeshPart> parts, const MshOptions& options = {});

}  // namespace sinew
