#include "sinew/build/atlas_parts.h"

#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/decimate.h"
#include "sinew/meshing/grid_topology.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/repair.h"
#include "sinew/meshing/smooth.h"
#include "sinew/meshing/untangle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kSmallestVolume = 1e-10;  // m^3: a tenth of a cubic millimetre
constexpr double kMaxVoxels = 1e6;         // in the band of one part
constexpr double kDetail = 0.0002;         // m: what thinning out a rebuilt part may lose

bool is_sound(const SurfaceHealth& health) {
    return health.measures.is_closed && health.measures.is_manifold;
}

void note_actions(const RepairReport& report, MendedMesh& result) {
    for (const RepairReport::Action& action : report.actions) {
        result.actions.push_back(fmt::format("{} {}", action.count, action.what));
    }
}

/// Half of the mean thickness resolves a sheet; no finer than the memory allows.
double voxel_for(const TriangleMesh& mesh, const AtlasTemplateOptions& options) {
    const double area = surface_area(mesh), volume = std::abs(enclosed_volume(mesh));
    const double thickness = area > 0.0 ? 2.0 * volume / area : 0.0;
    const double finest = std::sqrt(7.0 * area / kMaxVoxels);
    return std::max(std::clamp(0.4 * thickness, 0.0003, options.part_voxel), finest);
}

/// The solid inside anew, with about as many triangles as before.
TriangleMesh rebuilt(const TriangleMesh& mesh, double voxel) {
    TriangleMesh fine = LevelSet::from_mesh(mesh, {.voxel = voxel}).to_mesh();
    if (fine.triangles.rows() == 0) {
        return fine;
    }
    return decimated(fine, {.target_triangles = mesh.triangles.rows(), .max_error = kDetail});
}

double change_of(double volume, double before) {
    return std::abs(volume - before) / std::max(std::abs(before), kSmallestVolume);
}

/// Local smoothing first, then a level set; whichever keeps the volume.
void remove_crossings(const SurfaceHealth& health, const AtlasTemplateOptions& options,
                      MendedMesh& result) {
    const double before = health.measures.volume;
    TriangleMesh smoothed_mesh = result.mesh;
    if (smooth_crossings_away(smoothed_mesh) &&
        change_of(enclosed_volume(smoothed_mesh), before) <= options.largest_change) {
        result.mesh = std::move(smoothed_mesh);
        result.actions.push_back(
            fmt::format("{} crossings of triangles smoothed away", health.measures.intersections));
        return;
    }
    const double voxel = voxel_for(result.mesh, options);
    TriangleMesh solid = rebuilt(result.mesh, voxel);
    // Thinning out may fold thin edges over; that is little enough to be smoothed away.
    if (is_watertight(solid) && smooth_crossings_away(solid) &&
        change_of(enclosed_volume(solid), before) <= options.largest_change) {
        result.mesh = std::move(solid);
        result.actions.push_back(
            fmt::format("{} crossings of triangles removed by a level set of {:.2f} mm",
                        health.measures.intersections, 1e3 * voxel));
        return;
    }
    result.doubts.push_back(
        fmt::format("{} pairs of its triangles cross", health.measures.intersections));
}

// --- Skin ---------------------------------------------------------------------------------------

bool is_good_skin(const SurfaceHealth& health) {
    return is_sound(health) && health.measures.components == 1 && health.measures.genus == 0 &&
           health.measures.intersections == 0;
}

/// Values of a level set on a block around it.
ScalarGrid grid_of(const LevelSet& solid, const Bounds& box, double cell) {
    const double margin = 4.0 * cell;
    ScalarGrid grid;
    grid.cell = cell;
    grid.origin = box.low - Vec3::Constant(margin);
    for (int a = 0; a < 3; ++a) {
        grid.size[at(a)] = static_cast<int>(std::ceil((box.size()[a] + 2.0 * margin) / cell)) + 1;
    }
    grid.values.resize(grid.index(0, 0, grid.size[2]));
    for (int z = 0; z < grid.size[2]; ++z) {
        for (int y = 0; y < grid.size[1]; ++y) {
            for (int x = 0; x < grid.size[0]; ++x) {
                grid.values[grid.index(x, y, z)] =
                    static_cast<float>(solid.value(grid.position(x, y, z)));
            }
        }
    }
    return grid;
}

std::string pieces_and_handles(const SurfaceHealth& health) {
    const SurfaceMeasures& m = health.measures;
    return fmt::format(
        "{} pieces, {}, {} crossings of triangles", m.components,
        m.is_closed ? fmt::format("{} handles", m.genus) : fmt::format("{} holes", m.border_loops),
        m.intersections);
}

}  // namespace

MendedMesh mend_part(TriangleMesh mesh, const AtlasTemplateOptions& options) {
    MendedMesh result;
    result.mesh = std::move(mesh);
    const Weld weld = is_watertight(result.mesh) ? Weld::None : Weld::Seams;
    const RepairReport report = repair(result.mesh, {.weld = weld});
    note_actions(report, result);
    SurfaceHealth health = report.health;
    if (health.measures.triangles == 0) {
        result.reason = "nothing is left of it: all triangles are degenerate";
        return result;
    }
    if (!is_sound(health)) {
        const double voxel = voxel_for(result.mesh, options);
        result.mesh = rebuilt(result.mesh, voxel);
        health = check_health(result.mesh);
        result.actions.push_back(
            fmt::format("rebuilt by a level set of {:.2f} mm, being open", 1e3 * voxel));
        if (!is_sound(health)) {
            result.reason = "it could not be closed";
            return result;
        }
    }
    if (!(health.measures.volume > kSmallestVolume)) {
        result.reason =
            fmt::format("it encloses no volume ({:.2g} ml)", 1e6 * health.measures.volume);
        return result;
    }
    if (health.measures.intersections > 0 && options.remove_intersections) {
        remove_crossings(health, options, result);
    }
    return result;
}

MendedMesh mend_skin(TriangleMesh mesh, const AtlasTemplateOptions& options) {
    MendedMesh result;
    result.mesh = std::move(mesh);
    const Weld weld = is_watertight(result.mesh) ? Weld::None : Weld::Seams;
    const RepairReport report = repair(result.mesh, {.weld = weld});
    note_actions(report, result);
    if (is_good_skin(report.health)) {
        return result;
    }
    if (report.health.measures.triangles == 0) {
        result.reason = "nothing is left of it: all triangles are degenerate";
        return result;
    }
    const Bounds box = bounds(result.mesh.points);
    const double cell = options.skin_cell;
    const double band = std::max(3.0, 2.0 + (2.0 * options.skin_gap + cell) / cell);
    const LevelSet solid = LevelSet::from_mesh(result.mesh, {.voxel = cell, .half_width = band});
    ScalarGrid grid = grid_of(solid, box, cell);
    fill_closed_places(grid, {.gap = options.skin_gap, .value = static_cast<float>(-cell)});
    const std::size_t cut = remove_handles(grid, 0.0);
    result.mesh = iso_surface(grid);
    const SurfaceHealth health = check_health(result.mesh);
    result.actions.push_back(fmt::format("rebuilt on a grid of {:.1f} mm, having {}", 1e3 * cell,
                                         pieces_and_handles(report.health)));
    if (cut > 0) {
        result.actions.push_back(
            fmt::format("{} grid points taken away where limbs touch or pieces are loose", cut));
    }
    if (!is_sound(health) || health.measures.components != 1 || health.measures.genus != 0 ||
        !(health.measures.volume > 0.0)) {
        result.reason =
            "it could not be made one closed piece without handles: " + pieces_and_handles(health);
    } else if (health.measures.intersections > 0) {
        result.doubts.push_back(
            fmt::format("{} pairs of its triangles cross", health.measures.intersections));
    }
    return result;
}

}  // namespace sinew
