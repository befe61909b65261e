#pragma once

#include "sinew/body/figure_table.h"
#include "sinew/mesh/triangle_mesh.h"

namespace sinew {

/// Twice as fine in both directions: uniform Catmull-Rom through the nodes.
FigureSheet refined_sheet(const FigureSheet& sheet);

/// The sheet as a thin solid: its middle surface moved by half the thickness to either side, joined
/// along the edges by a half round. Closed and outward. The thickness grows or shrinks evenly until
/// it encloses `volume`. Empty where that surface would cross itself, as where a sheet is folded
/// more tightly than it is thick.
/// @param volume   m^3; 0 keeps the table's thickness
/// @param spacing  of the vertices, m, > 0: nodes that are wider apart are refined
TriangleMesh mesh_sheet(const FigureSheet& sheet, double volume, double spacing);

}  // namespace sinew
