#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// What volume formats hold: tetrahedra and triangles over the same points, each with a label.
struct MixedMesh {
    TetMesh tets;  ///< with all points; may have no tetrahedron
    Triangles triangles = Triangles(0, 3);
    std::vector<int> label = {};                  ///< one per triangle
    std::map<int, std::string> label_names = {};  ///< of the triangles' labels, where the file says
};

/// Formats differ in which side of a tetrahedron is which. Where more tetrahedra have negative than
/// positive volume, all are mirrored (their last two corners swapped); single inverted ones stay as
/// they are, for the health report to find.
void use_positive_orientation(TetMesh& mesh);

/// The triangles as parts, one per label where labels have names, else one with the labels as data
/// "label" (left out where all are 0). Without triangles, the boundary of the tetrahedra.
/// @throws InputError when there is neither
std::vector<MeshPart> surface_of(const MixedMesh& mesh, std::string_view file);

/// @throws InputError when there are no tetrahedra
TetMesh tets_of(MixedMesh mesh, std::string_view file);

/// @throws InputError when there is no tetrahedron or the mesh breaks the promises of require_valid
void require_writable(const TetMesh& mesh, std::string_view format);

}  // namespace sinew
