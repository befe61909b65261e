#pragma once

#include "sinew/mesh/arrays.h"

namespace sinew {

/// Tetrahedra between two surfaces of one triangulation: one column per triangle, three tetrahedra
/// each, cut so that neighbours agree. Vertex i of the outer surface is point i, that of the inner
/// one point i + vertices. They may have no volume where a column is folded.
Tets prism_columns(const Triangles& triangles, Eigen::Index vertices);

}  // namespace sinew
