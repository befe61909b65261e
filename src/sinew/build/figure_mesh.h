#pragma once

#include "sinew/body/figure_table.h"
#include "sinew/build/figure_shape.h"
#include "sinew/meshing/iso_surface.h"

#include <span>

namespace sinew {

/// Signed distance of a part on a grid around it, evaluated inside its shapes and up to `band`
/// around them; elsewhere a value that is certainly outside. The border is outside.
/// @param cell    m, > 0
/// @param margin  free space around the part, m, >= 0
/// @param band    m, >= 0
ScalarGrid sample_part(std::span<const FigureShape> shapes, double cell, double margin,
                       double band);

struct PartMeshOptions {
    double cell = 0.0025;           ///< length of a grid cell, m, > 0
    double smallest_cell = 0.0007;  ///< for the thinnest parts, m, > 0
    /// The surface is moved in or out until it encloses this volume, m^3; 0 leaves it.
    double volume = 0.0;
    /// Flat parts are left with fewer triangles, whose mean distance from the surface stays below
    /// this, m; 0 leaves the grid's.
    double simplify = 0.0;
};

/// Closed, outward, 2-manifold surface of a part. Cells shrink where the part is thin. Pieces that
/// are specks beside the part (under one hundredth of its volume) are dropped.
TriangleMesh mesh_part(const FigurePart& part, const PartMeshOptions& options);

/// The mirror image x -> -x, triangles still outward, data "fibre" (directions) mirrored too.
TriangleMesh reflected(const TriangleMesh& mesh);

/// The grid cell that suits a part, m.
double cell_for(std::span<const FigureShape> shapes, const PartMeshOptions& options);

}  // namespace sinew
