#include "sinew/meshing/repair.h"

#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/validity.h"
#include "sinew/meshing/edit_mesh.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/loose_mesh.h"
#include "sinew/meshing/remesh.h"
#include "sinew/meshing/untangle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

void require_indices(const TriangleMesh& mesh) {
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            if (mesh.triangles(t, k) < 0 || mesh.triangles(t, k) >= mesh.points.rows()) {
                throw InputError({.where = fmt::format("repair, triangle {}", t),
                                  .found = fmt::format("vertex index {} of {} vertices",
                                                       mesh.triangles(t, k), mesh.points.rows()),
                                  .needs = "indices of existing vertices",
                                  .remedy = "write the mesh again; the file is damaged"});
            }
        }
    }
}

double mean_edge(const TriangleMesh& mesh) {
    const Edges edges = unique_edges(mesh.triangles);
    double sum = 0.0;
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        sum += (mesh.points.row(edges(e, 0)) - mesh.points.row(edges(e, 1))).norm();
    }
    return edges.rows() > 0 ? sum / static_cast<double>(edges.rows()) : 0.0;
}

// Point data follows the vertices; new ones take it from the nearest place of the input.
void carry_data(const TriangleMesh& before, const std::vector<Index>& origin, TriangleMesh& after) {
    if (before.point_data.empty()) {
        return;
    }
    const bool has_new = std::find(origin.begin(), origin.end(), -1) != origin.end();
    const bool can_look_up = before.points.allFinite() && before.triangles.rows() > 0;
    if (has_new && can_look_up) {
        transfer_point_data(before, after);
    }
    for (std::size_t a = 0; a < before.point_data.size(); ++a) {
        const Attribute& from = before.point_data[a];
        const auto n = static_cast<std::size_t>(from.components);
        if (after.point_data.size() <= a) {
            after.point_data.push_back(
                {from.name, from.components, std::vector<double>(origin.size() * n), from.unit});
        }
        for (std::size_t v = 0; v < origin.size(); ++v) {
            for (std::size_t c = 0; origin[v] >= 0 && c < n; ++c) {
                after.point_data[a].values[v * n + c] =
                    from.values[static_cast<std::size_t>(origin[v]) * n + c];
            }
        }
    }
}

// The surface anew from the solid that it bounds, with the triangle size that it had.
TriangleMesh rebuilt(const TriangleMesh& mesh, double voxel, const Progress& progress) {
    const double edge = mean_edge(mesh);
    const double cell = voxel > 0.0 ? voxel : 0.5 * edge;
    TriangleMesh result = LevelSet::from_mesh(mesh, {.voxel = cell}).to_mesh();
    result =
        remeshed(result, {.edge_length = std::max(edge, 1.2 * cell), .iterations = 5}, progress);
    smooth_crossings_away(result);
    transfer_point_data(mesh, result);
    return result;
}

// Few crossings are smoothed away where they are, which changes nothing else.
bool smoothed_locally(TriangleMesh& mesh, const SurfaceMeasures& measures) {
    constexpr std::int64_t kTrianglesPerCrossing = 200;
    constexpr double kVolumeChange = 0.001;
    if (measures.intersections * kTrianglesPerCrossing > mesh.triangles.rows()) {
        return false;
    }
    TriangleMesh trial = mesh;
    if (!smooth_crossings_away(trial) || std::abs(enclosed_volume(trial) - measures.volume) >
                                             kVolumeChange * std::abs(measures.volume)) {
        return false;
    }
    mesh = std::move(trial);
    return true;
}

}  // namespace

std::vector<RepairReport::Action> mend(TriangleMesh& mesh, const RepairOptions& options,
                                       const Progress& progress) {
    check_ranges(options, "repair");
    require_indices(mesh);
    std::vector<RepairReport::Action> actions;
    const auto note = [&](const char* what, std::int64_t count) {
        if (count > 0) {
            actions.push_back({what, count});
        }
        progress.check_cancelled();
    };
    LooseMesh work(mesh);
    note("vertices that were not finite dropped", drop_not_finite(work));
    note("vertices joined", weld_vertices(work, options.weld, options.weld_tolerance));
    note("repeated triangles dropped", drop_repeated(work));
    note("triangles turned to agree with their neighbours", turn_alike(work));
    note("vertices doubled to separate sheets", separate_sheets(work));
    note("degenerate triangles removed", collapse_degenerate(work));
    note("specks dropped", drop_specks(work, options.speck_size));
    if (options.fill_holes) {
        note("holes filled", fill_all_holes(work));
        // A patch may close a hole onto a sheet that is already there.
        note("repeated triangles dropped", drop_repeated(work));
        note("vertices doubled to separate sheets", separate_sheets(work));
        // Lids of straight borders have triangles without area.
        note("degenerate triangles removed", collapse_degenerate(work));
    }
    note("pieces turned outward", turn_outward(work));
    note("unused vertices dropped", drop_unused(work));
    if (!actions.empty()) {
        TriangleMesh mended;
        mended.points = work.points;
        mended.triangles = work.triangles;
        carry_data(mesh, work.origin, mended);
        mesh = std::move(mended);
    }
    return actions;
}

RepairReport repair(TriangleMesh& mesh, const RepairOptions& options, const Progress& progress) {
    Progress::Stage stage = progress.stage("repair", 3);
    RepairReport report;
    report.actions = mend(mesh, options, progress);
    stage.advance();
    report.health = check_health(mesh);
    stage.advance();
    const auto mend_again = [&] {
        const std::vector<RepairReport::Action> again = mend(mesh, options, progress);
        report.actions.insert(report.actions.end(), again.begin(), again.end());
        report.health = check_health(mesh);
    };
    const bool may_rebuild = options.remove_intersections && report.health.measures.is_closed;
    if (may_rebuild && report.health.measures.intersections > 0) {
        const bool is_local = smoothed_locally(mesh, report.health.measures);
        report.actions.push_back({is_local
                                      ? "intersecting pairs of triangles smoothed away"
                                      : "intersecting pairs of triangles removed by a level set",
                                  report.health.measures.intersections});
        progress.check_cancelled();
        if (!is_local) {
            mesh = rebuilt(mesh, options.voxel, progress);
        }
        mend_again();
    }
    // Flat triangles between sheets that touch cannot be collapsed one by one.
    if (may_rebuild && report.health.measures.is_closed && !is_healthy(report.health)) {
        report.actions.push_back({"kinds of problems that stayed removed by a level set",
                                  static_cast<std::int64_t>(report.health.problems.size())});
        mesh = rebuilt(mesh, options.voxel, progress);
        mend_again();
    }
    stage.advance();
    return report;
}

}  // namespace sinew
