// Besides io this is the one place that touches files: TetGen (AGPL) is never linked, it is a
// program that reads and writes files, and so it is handed some in a temporary folder.
#include "sinew/meshing/tetrahedralise.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/validity.h"
#include "sinew/meshing/child_process.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/problem_list.h"
#include "sinew/meshing/tet_regions.h"
#include "sinew/meshing/tetgen_format.h"
#include "sinew/meshing/work_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

namespace sinew {

namespace {

void require_usable(const TriangleMesh& surface, std::size_t number) {
    const std::string where = fmt::format("tetrahedralise, surface {}", number);
    require_valid(surface, where);
    const SurfaceHealth health = check_health(surface, {.find_intersections = false});
    if (!is_healthy(health)) {
        throw InputError({.where = where,
                          .found = summary(health.problems),
                          .needs = "a closed surface that looks outward",
                          .remedy = health.problems.front().remedy});
    }
}

void require_apart(const JoinedSurfaces& all) {
    const std::vector<Index> first = first_coincident(all.mesh.points);
    for (Index v = 0; v < all.mesh.points.rows(); ++v) {
        if (first[static_cast<std::size_t>(v)] != v) {
            throw InputError(
                {.where = "tetrahedralise",
                 .found = fmt::format("{} and {} coincide at {}",
                                      all.name_of_vertex(first[static_cast<std::size_t>(v)]),
                                      all.name_of_vertex(v), place(point(all.mesh.points, v))),
                 .needs = "surfaces that do not touch, not even in a point",
                 .remedy = "move them apart, weld the seam or remesh with a level set"});
        }
    }
    const Intersections found = find_self_intersections(all.mesh, {.max_pairs = 10000});
    if (found.pairs.empty()) {
        return;
    }
    std::string text = fmt::format("{}{} pairs of triangles intersect",
                                   found.is_complete ? "" : ">= ", found.pairs.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(4, found.pairs.size()); ++i) {
        const auto [a, b] = found.pairs[i];
        const Vec3 at = (point(all.mesh.points, all.mesh.triangles(a, 0)) +
                         point(all.mesh.points, all.mesh.triangles(a, 1)) +
                         point(all.mesh.points, all.mesh.triangles(a, 2))) /
                        3.0;
        text += fmt::format("{}{} and {} near {}", i == 0 ? ": " : "; ", all.name_of_triangle(a),
                            all.name_of_triangle(b), place(at));
    }
    throw InputError({.where = "tetrahedralise",
                      .found = text,
                      .needs = "surfaces that intersect neither themselves nor each other",
                      .remedy = "mend them with 'sinew repair --remove-intersections', or shrink "
                                "the inner ones"});
}

// TetGen writes "#n" behind a facet: our marker n is the joined triangle n-1.
std::string facets_in(const std::string& output, const JoinedSurfaces& all) {
    std::string text;
    int named = 0;
    for (std::size_t at = output.find('#'); at != std::string::npos && named < 4;
         at = output.find('#', at + 1)) {
        const long marker = std::strtol(output.c_str() + at + 1, nullptr, 10);
        if (marker >= 1 && marker <= all.mesh.triangles.rows()) {
            const auto t = static_cast<Index>(marker - 1);
            text += fmt::format("{}{} near {}", named++ == 0 ? "; facets: " : ", ",
                                all.name_of_triangle(t),
                                place(point(all.mesh.points, all.mesh.triangles(t, 0))));
        }
    }
    return text;
}

std::string last_lines(const std::string& output) {
    std::size_t at = output.size();
    while (at > 0 && (output[at - 1] == '\n' || output[at - 1] == ' ')) {
        --at;
    }
    const std::string trimmed = output.substr(0, at);
    for (int k = 0; k < 3 && at != std::string::npos && at > 0; ++k) {
        at = trimmed.rfind('\n', at - 1);
    }
    std::string text = at == std::string::npos ? trimmed : trimmed.substr(at);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.substr(0, 400);
}

[[noreturn]] void tetgen_failed(const std::string& how, const ChildResult& result,
                                const JoinedSurfaces& all) {
    throw InputError({.where = "tetrahedralise",
                      .found = fmt::format("TetGen {}: '{}'{}", how, last_lines(result.output),
                                           facets_in(result.output, all)),
                      .needs = "surfaces that TetGen can fill",
                      .remedy = "remesh the surfaces (needles and nearly touching sheets are "
                                "what it stumbles over), or ask for coarser tetrahedra"});
}

double volume_limit(const TetrahedraliseOptions& options, std::size_t surface) {
    // A regular tetrahedron of edge a has the volume a^3 / (6 sqrt 2).
    double limit = std::numeric_limits<double>::infinity();
    if (options.max_edge > 0.0) {
        limit = std::pow(options.max_edge, 3) / (6.0 * std::numbers::sqrt2);
    }
    if (options.max_volume > 0.0) {
        limit = std::min(limit, options.max_volume);
    }
    if (surface < options.max_volumes.size() && options.max_volumes[surface] > 0.0) {
        limit = std::min(limit, options.max_volumes[surface]);
    }
    return std::isfinite(limit) ? limit : -1.0;
}

// Told before hours and all memory are spent on a wrong unit.
void require_bearable(const std::vector<TriangleMesh>& surfaces,
                      const TetrahedraliseOptions& options) {
    constexpr double kMostTets = 5e7;
    double tets = 0.0;
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
        const double limit = volume_limit(options, s);
        tets += limit > 0.0 ? std::abs(enclosed_volume(surfaces[s])) / limit : 0.0;
    }
    if (tets > kMostTets) {
        throw InputError({.where = "tetrahedralise",
                          .found = fmt::format("about {:.3g} tetrahedra", tets),
                          .needs = fmt::format("at most {:.3g}", kMostTets),
                          .remedy = "ask for longer edges, or check the unit of the surfaces"});
    }
}

std::string input_text(const JoinedSurfaces& all, const TetrahedraliseOptions& options) {
    std::vector<int> markers(static_cast<std::size_t>(all.mesh.triangles.rows()));
    for (std::size_t t = 0; t < markers.size(); ++t) {
        markers[t] = static_cast<int>(t) + 1;
    }
    const Seeds seeds = find_seeds(all);
    std::vector<RegionSeed> regions;
    for (const auto& [at, surface] : seeds.regions) {
        regions.push_back({at, static_cast<double>(surface + 1),
                           volume_limit(options, static_cast<std::size_t>(surface))});
    }
    return format_smesh(all.mesh.points, all.mesh.triangles, markers, seeds.voids, regions);
}

TetMesh run_tetgen(const JoinedSurfaces& all, const TetrahedraliseOptions& options,
                   const Progress& progress) {
    const std::filesystem::path program = find_program(options.program);
    if (program.empty()) {
        throw InputError({.where = "tetrahedralise",
                          .found = fmt::format("no program '{}' in PATH", options.program),
                          .needs = "TetGen, a separate program",
                          .remedy = "install the Debian package 'tetgen'"});
    }
    const WorkFolder folder("sinew-tetgen");
    folder.write("in.smesh", input_text(all, options));
    // p: fill a surface; Y: keep it; M: merge nothing; q, a: quality and size; z: count from 0;
    // F: leave out the faces, which are not read here.
    const double degrees = options.min_dihedral * 180.0 / kPi;
    const std::string switches =
        fmt::format("-pYMq{:.6g}/{:.6g}aAzFQ", options.radius_edge, degrees);
    const ChildResult result =
        run_program(program, {switches, "in.smesh"}, folder.path(),
                    {.seconds = options.timeout, .memory = options.max_memory}, progress);
    // Whatever it says then, this is why.
    const auto require_room = [&] {
        if (folder.is_full()) {
            throw InputError({.where = folder.path().parent_path().string(),
                              .found = "no space left on the disk for TetGen's files",
                              .needs = "free space for temporary files",
                              .remedy = "free some space, or set TMPDIR to another disk"});
        }
    };
    if (result.timed_out) {
        tetgen_failed(fmt::format("took longer than {} s", options.timeout), result, all);
    }
    if (result.has_flooded) {
        tetgen_failed("printed without end", result, all);
    }
    if (result.signal != 0 || result.exit_code != 0) {
        require_room();
    }
    if (result.signal != 0) {
        tetgen_failed(fmt::format("crashed (signal {})", result.signal), result, all);
    }
    if (result.exit_code != 0) {
        tetgen_failed(fmt::format("gave up (exit code {})", result.exit_code), result, all);
    }
    const std::string node = folder.read("in.1.node");
    const std::string ele = folder.read("in.1.ele");
    if (node.empty() || ele.empty()) {
        require_room();
        tetgen_failed("wrote no mesh", result, all);
    }
    try {
        return parse_tetgen(node, ele, "TetGen's result");
    } catch (const InputError&) {
        require_room();
        throw;
    }
}

}  // namespace

TetMesh tetrahedralise(const std::vector<TriangleMesh>& surfaces,
                       const TetrahedraliseOptions& options, const Progress& progress) {
    check_ranges(options, "tetrahedralise");
    if (surfaces.empty()) {
        throw InputError({.where = "tetrahedralise",
                          .found = "no surface",
                          .needs = "at least one closed surface",
                          .remedy = "add one"});
    }
    if (!options.labels.empty() && options.labels.size() != surfaces.size()) {
        throw InputError({.where = "tetrahedralise, labels",
                          .found = fmt::format("{} labels for {} surfaces", options.labels.size(),
                                               surfaces.size()),
                          .needs = "one per surface, or none",
                          .remedy = "add or remove labels"});
    }
    Progress::Stage stage = progress.stage("tetrahedra", 3);
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
        require_usable(surfaces[s], s);
    }
    require_bearable(surfaces, options);
    const JoinedSurfaces all(surfaces);
    require_apart(all);
    stage.advance();
    TetMesh mesh = run_tetgen(all, options, progress);
    stage.advance();
    mesh.region.clear();
    mesh.tet_data.clear();
    restore_points(mesh, all);
    std::vector<int> labels = options.labels;
    for (std::size_t s = labels.size(); s < surfaces.size(); ++s) {
        labels.push_back(static_cast<int>(s) + 1);
    }
    label_regions(mesh, all, labels);
    stage.advance();
    return mesh;
}

}  // namespace sinew
