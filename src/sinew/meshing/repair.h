#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/meshing/health.h"

#include <concepts>
#include <string>
#include <vector>

namespace sinew {

enum class Weld {
    None,
    Seams,  ///< vertices on borders only: joins soups and leaves sheets that touch apart
    All
};

struct RepairOptions {
    Weld weld = Weld::Seams;
    double weld_tolerance =
        0.0;  ///< vertices closer than this are joined, m, >= 0; 0: same position
    bool fill_holes = true;
    double speck_size =
        0.002;  ///< pieces smaller than this fraction of the whole are dropped, [0, 1)
    bool remove_intersections = false;  ///< smooth few away, else a level set
    double voxel = 0.0;  ///< of that level set, m, >= 0; 0: half the mean edge length
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RepairOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.weld, Field{.name = "weld",
                    .help = "vertices to join when they coincide",
                    .choices = {"none", "seams", "all"}});
    v(o.weld_tolerance, Field{.name = "weld_tolerance",
                              .help = "vertices closer than this are joined",
                              .unit = "m",
                              .min = 0});
    v(o.fill_holes, Field{.name = "fill_holes", .help = "close open borders"});
    v(o.speck_size, Field{.name = "speck_size",
                          .help = "pieces below this fraction of the size are dropped",
                          .min = 0,
                          .max = 0.999});
    v(o.remove_intersections, Field{.name = "remove_intersections",
                                    .help = "smooth crossings away, or rebuild by a level set"});
    v(o.voxel, Field{.name = "voxel", .help = "cell of that level set", .unit = "m", .min = 0});
}

/// What was done, in order, and what is left.
struct RepairReport {
    struct Action {
        std::string what;        ///< "holes filled"
        std::int64_t count = 0;  ///< > 0
    };
    std::vector<Action> actions;
    SurfaceHealth health;  ///< of the result
};

/// What `repair` does but for crossings, without a look at the result, which takes longer.
/// @throws InputError, Cancelled  as `repair`
std::vector<RepairReport::Action> mend(TriangleMesh& mesh, const RepairOptions& options = {},
                                       const Progress& progress = {});

/// Mends a surface: drops what is not finite, joins vertices, drops repeated triangles, orients
/// triangles alike and outward, separates sheets that meet in an edge or a point, collapses
/// degenerate triangles, drops specks, fills holes, drops unused vertices. What is healthy is not
/// touched. Point data is kept (and interpolated at new vertices); data of triangles is dropped as
/// soon as triangles change.
/// @throws InputError when an index is out of range or an option is; Cancelled
RepairReport repair(TriangleMesh& mesh, const RepairOptions& options = {},
                    const Progress& progress = {});

}  // namespace sinew
