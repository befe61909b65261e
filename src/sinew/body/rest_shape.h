#pragma once

#include "sinew/body/body.h"

#include <vector>

namespace sinew {

/// Where the bones of a body are after its rest shape changed.
struct MovedBones {
    std::vector<Points> bones = {};     ///< vertices of each bone's mesh; empty: as they were
    Points attachments = Points(0, 3);  ///< samples; empty: where they were
    std::vector<Vec3> joints = {};      ///< centres; empty: where they were
};

/// The same person with tetrahedra of another shape: skin, envelope, muscles and landmarks follow
/// the tetrahedra, fibres rotate with them, bones stand where they are told. Embedded points of
/// bones keep their tetrahedra and get weights that reproduce their positions. Shares, materials,
/// strength and masses of segments are copied.
/// @param points  of the tets, as many as before, finite
/// @throws InputError  when numbers of points differ
Body with_rest_shape(const Body& body, const Points& points, const MovedBones& moved = {});

/// Barycentric coordinates of fixed positions in tetrahedra that moved. Where a tetrahedron has
/// lost its volume, or would have to be extended beyond `max_weight`, the old weights are kept.
EmbeddedPoints embedded_again(const EmbeddedPoints& embedded, const Points& places,
                              const Points& tet_points, const Tets& tets, double max_weight = 3.0);

}  // namespace sinew
