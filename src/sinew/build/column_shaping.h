#pragma once

#include "sinew/build/anatomy_solid.h"
#include "sinew/mesh/triangle_mesh.h"

namespace sinew {

struct ColumnShapingOptions {
    double min_dihedral = 0.045;  ///< tetrahedra with a smaller angle are worked on, rad, > 0
    double margin = 0.0003;       ///< kept from muscles and bones where it was kept before, m, >= 0
    int passes = 12;              ///< >= 0
};

/// Moves vertices of an envelope so that the tetrahedra of prism_columns lose their smallest
/// angles: a vertex with a bad tetrahedron tries steps in all directions, ever shorter, and takes
/// those that make the smallest angle around it larger. Steps that bring the envelope closer to
/// muscles and bones than the margin are not taken, and those that make surfaces meet are taken
/// back.
/// @param envelope  same vertices as the skin; columns of positive volume; meets neither itself nor
///                  the skin, and so does the result
/// @returns the points of the new envelope
Points shape_columns(const TriangleMesh& skin, const Points& envelope, const AnatomySolid& solid,
                     const ColumnShapingOptions& options = {});

}  // namespace sinew
