#include "sinew/build/body_tets.h"

#include "sinew/base/error.h"
#include "sinew/build/envelope.h"
#include "sinew/build/tissue_shares.h"
#include "sinew/geometry/measure.h"
#include "sinew/meshing/prism_columns.h"
#include "sinew/meshing/tetrahedralise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

void require_columns(const Points& points, const Tets& columns) {
    Eigen::Index worst = 0;
    const double least = tet_volumes(points, columns).minCoeff(&worst);
    if (!(least > 0.0)) {
        throw InputError({.where = fmt::format("fat, triangle {}", worst / 3),
                          .found = "a column between skin and envelope without volume",
                          .needs = "an envelope inside the skin everywhere",
                          .remedy = "make the envelope with shrink_envelope"});
    }
}

/// Inside the envelope, with about the wanted number of points beyond those of the surface.
TetMesh fill_inside(const TriangleMesh& envelope, const BodyTetsOptions& options,
                    const Progress& progress) {
    const double surface = static_cast<double>(envelope.points.rows());
    const double wanted = std::max(options.vertices - 2.0 * surface, 0.05 * surface);
    // A point inside accounts for some six tetrahedra; those at the surface share their points.
    const double tets = 6.0 * wanted + 2.2 * surface;
    TetrahedraliseOptions tetgen{.min_dihedral = options.min_dihedral};
    tetgen.max_volume = 2.0 * enclosed_volume(envelope) / tets;
    TetMesh inside = tetrahedralise({envelope}, tetgen, progress);
    // The largest volume has an indirect effect on the number: one correction.
    const double got = static_cast<double>(inside.points.rows()) - surface;
    if (got > 1.15 * wanted || got < wanted / 1.15) {
        tetgen.max_volume *= std::clamp(std::pow(got / wanted, 1.3), 0.1, 20.0);
        inside = tetrahedralise({envelope}, tetgen, progress);
    }
    return inside;
}

}  // namespace

TetMesh fill_body(const TriangleMesh& skin, const TriangleMesh& envelope,
                  const BodyTetsOptions& options, const Progress& progress) {
    const Eigen::Index surface = skin.points.rows();
    TriangleMesh inner;
    inner.points = envelope.points;
    inner.triangles = envelope.triangles;
    const TetMesh inside = fill_inside(inner, options, progress);
    const Tets columns = prism_columns(skin.triangles, surface);
    TetMesh body;
    body.points.resize(surface + inside.points.rows(), 3);
    body.points << skin.points, inside.points;
    require_columns(body.points, columns);
    body.tets.resize(columns.rows() + inside.tets.rows(), 4);
    body.tets << columns, inside.tets.array() + static_cast<Index>(surface);
    body.region.assign(static_cast<std::size_t>(columns.rows()), kFatRegion);
    body.region.resize(static_cast<std::size_t>(body.tets.rows()), kFleshRegion);
    return body;
}

}  // namespace sinew
