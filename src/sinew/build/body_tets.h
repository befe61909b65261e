#pragma once

#include "sinew/base/progress.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

namespace sinew {

struct BodyTetsOptions {
    double vertices = 76000.0;     ///< of skin, envelope and inside together, aimed at, > 0
    double min_dihedral = 0.1745;  ///< asked for inside the envelope, rad, [0, 0.35]
};

/// Fills a body: columns of three tetrahedra between skin and envelope, TetGen's inside. Points are
/// the skin's, the envelope's, then those inside; fat comes first among the tetrahedra. Regions are
/// kFatRegion and kFleshRegion (tissue_shares.h).
/// @param envelope  the skin's triangles, all columns of positive volume (shrink_envelope)
/// @throws InputError  when a column has no volume, or as tetrahedralise
TetMesh fill_body(const TriangleMesh& skin, const TriangleMesh& envelope,
                  const BodyTetsOptions& options, const Progress& progress = {});

}  // namespace sinew
