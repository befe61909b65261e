#include "sinew/meshing/remesh.h"

#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/meshing/edit_mesh.h"
#include "sinew/meshing/remesh_rounds.h"
#include "sinew/meshing/require_manifold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// Back onto the original surface; vertices on borders and sharp edges never left it. Where sizes
// differ from place to place, they are read there anew.
void project(EditMesh& mesh, RemeshRounds& rounds, const SurfaceTree& surface,
             const Triangles& triangles, std::span<const double> edge_lengths) {
    std::vector<Index> moving;
    for (Index v = 0; v < mesh.vertex_count(); ++v) {
        if (!mesh.triangles_at(v).empty() && rounds.is_movable(v)) {
            moving.push_back(v);
        }
    }
    Points samples(static_cast<Eigen::Index>(moving.size()), 3);
    for (Eigen::Index i = 0; i < samples.rows(); ++i) {
        samples.row(i) = mesh.position(moving[at(i)]).transpose();
    }
    const std::vector<ClosestPoint> nearest = surface.closest_points(samples);
    for (std::size_t i = 0; i < moving.size(); ++i) {
        mesh.set_position(moving[i], nearest[i].point);
        if (rounds.is_graded()) {
            double length = 0.0;
            for (int k = 0; k < 3; ++k) {
                length +=
                    nearest[i].barycentric[k] * edge_lengths[at(triangles(nearest[i].triangle, k))];
            }
            rounds.set_edge_length(moving[i], length);
        }
    }
}

void require_few(double expected, double max_triangles) {
    if (!(expected <= max_triangles)) {
        throw InputError({.where = "remesh",
                          .found = fmt::format("about {:.3g} triangles", expected),
                          .needs = fmt::format("at most {:.3g}", max_triangles),
                          .remedy = "ask for longer edges, or check the unit of the mesh"});
    }
}

TriangleMesh run_rounds(const TriangleMesh& mesh, EditMesh& work, RemeshRounds& rounds,
                        std::span<const double> edge_lengths, const RemeshOptions& options,
                        const Progress& progress) {
    const SurfaceTree surface(mesh);
    Progress::Stage stage =
        progress.stage("remesh", static_cast<std::uint64_t>(options.iterations));
    for (int k = 0; k < options.iterations; ++k) {
        rounds.split_long();
        rounds.collapse_short();
        rounds.equalise_valence();
        rounds.relax();
        project(work, rounds, surface, mesh.triangles, edge_lengths);
        stage.advance();
    }
    TriangleMesh result = work.result();
    transfer_point_data(mesh, result);
    return result;
}

// Equilateral triangles of edge a have the area sqrt(3)/4 a^2.
double equilateral_area(double edge) {
    return std::sqrt(3.0) / 4.0 * edge * edge;
}

}  // namespace

TriangleMesh remeshed(const TriangleMesh& mesh, const RemeshOptions& options,
                      const Progress& progress) {
    check_ranges(options, "remesh");
    require_manifold(mesh, "remesh");
    require_few(surface_area(mesh) / equilateral_area(options.edge_length), options.max_triangles);
    if (mesh.triangles.rows() == 0) {
        return mesh;
    }
    EditMesh work(mesh);
    RemeshRounds rounds(work, options.edge_length, options.feature_angle);
    return run_rounds(mesh, work, rounds, {}, options, progress);
}

TriangleMesh remeshed(const TriangleMesh& mesh, std::span<const double> edge_lengths,
                      const RemeshOptions& options, const Progress& progress) {
    RemeshOptions checked = options;
    checked.edge_length = 1.0;
    check_ranges(checked, "remesh");
    require_manifold(mesh, "remesh");
    if (edge_lengths.size() != static_cast<std::size_t>(mesh.points.rows()) ||
        !std::all_of(edge_lengths.begin(), edge_lengths.end(),
                     [](double length) { return length > 0.0 && std::isfinite(length); })) {
        throw InputError({.where = "remesh, edge lengths",
                          .found = fmt::format("{} values", edge_lengths.size()),
                          .needs = fmt::format("{} numbers above 0", mesh.points.rows()),
                          .remedy = "give one length per vertex of the mesh"});
    }
    const Eigen::VectorXd areas = triangle_areas(mesh);
    double expected = 0.0;
    for (Eigen::Index t = 0; t < areas.size(); ++t) {
        double edge = 0.0;
        for (int k = 0; k < 3; ++k) {
            edge += edge_lengths[at(mesh.triangles(t, k))] / 3.0;
        }
        expected += areas[t] / equilateral_area(edge);
    }
    require_few(expected, options.max_triangles);
    if (mesh.triangles.rows() == 0) {
        return mesh;
    }
    EditMesh work(mesh);
    RemeshRounds rounds(work, {edge_lengths.begin(), edge_lengths.end()}, options.feature_angle);
    return run_rounds(mesh, work, rounds, edge_lengths, options, progress);
}

}  // namespace sinew
