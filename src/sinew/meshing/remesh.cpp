#include "sinew/meshing/remesh.h"

#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/meshing/edit_mesh.h"
#include "sinew/meshing/remesh_rounds.h"
#include "sinew/meshing/require_manifold.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

namespace {

// Back onto the original surface; vertices on borders and sharp edges never left it.
void project(EditMesh& mesh, const RemeshRounds& rounds, const SurfaceTree& surface) {
    std::vector<Index> moving;
    for (Index v = 0; v < mesh.vertex_count(); ++v) {
        if (!mesh.triangles_at(v).empty() && rounds.is_movable(v)) {
            moving.push_back(v);
        }
    }
    Points at(static_cast<Eigen::Index>(moving.size()), 3);
    for (Eigen::Index i = 0; i < at.rows(); ++i) {
        at.row(i) = mesh.position(moving[static_cast<std::size_t>(i)]).transpose();
    }
    const std::vector<ClosestPoint> nearest = surface.closest_points(at);
    for (std::size_t i = 0; i < moving.size(); ++i) {
        mesh.set_position(moving[i], nearest[i].point);
    }
}

}  // namespace

TriangleMesh remeshed(const TriangleMesh& mesh, const RemeshOptions& options,
                      const Progress& progress) {
    check_ranges(options, "remesh");
    require_manifold(mesh, "remesh");
    // Equilateral triangles of edge a have the area sqrt(3)/4 a^2.
    const double expected =
        surface_area(mesh) / (std::sqrt(3.0) / 4.0 * options.edge_length * options.edge_length);
    if (!(expected <= options.max_triangles)) {
        throw InputError({.where = "remesh",
                          .found = fmt::format("about {:.3g} triangles of edge {} m", expected,
                                               options.edge_length),
                          .needs = fmt::format("at most {:.3g}", options.max_triangles),
                          .remedy = "ask for longer edges, or check the unit of the mesh"});
    }
    if (mesh.triangles.rows() == 0) {
        return mesh;
    }
    const SurfaceTree surface(mesh);
    EditMesh work(mesh);
    RemeshRounds rounds(work, options.edge_length, options.feature_angle);
    Progress::Stage stage =
        progress.stage("remesh", static_cast<std::uint64_t>(options.iterations));
    for (int k = 0; k < options.iterations; ++k) {
        rounds.split_long();
        rounds.collapse_short();
        rounds.equalise_valence();
        rounds.relax();
        project(work, rounds, surface);
        stage.advance();
    }
    TriangleMesh result = work.result();
    transfer_point_data(mesh, result);
    return result;
}

}  // namespace sinew
