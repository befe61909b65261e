#include "sinew/meshing/remesh.h"

#include "sinew/base/error.h"
#include "sinew/io/asset.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"
#include "sinew/meshing/decimate.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/untangle.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

#include "cli/verbs/file_options.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct RemeshSettings {
    std::string input;
    std::string output;
    double edge = 0.0;
    int triangles = 0;
    FileOptions files;
};

TriangleMesh changed(const TriangleMesh& mesh, const RemeshSettings& settings, double share,
                     const Progress& progress) {
    if (settings.triangles > 0) {
        const auto target = static_cast<Eigen::Index>(std::lround(settings.triangles * share));
        return decimated(mesh, {.target_triangles = std::max<Eigen::Index>(4, target)}, progress);
    }
    return remeshed(mesh, {.edge_length = settings.edge}, progress);
}

/// Pairs of triangles that cross in the new surface and did not in the old one. Edges longer than a
/// finger is thick can make its sides cross.
std::size_t new_crossings(const TriangleMesh& before, const TriangleMesh& after) {
    const std::size_t now = find_self_intersections(after).pairs.size();
    if (now == 0) {
        return 0;
    }
    const std::size_t then = find_self_intersections(before).pairs.size();
    return now > then ? now - then : 0;
}

struct Remeshed {
    TriangleMesh mesh;
    std::size_t crossings = 0;  // that the old surface did not have
};
// A few crossings are smoothed away, so that what was fit to be filled still is.
Remeshed without_new_crossings(const TriangleMesh& before, TriangleMesh after) {
    const std::size_t crossings = new_crossings(before, after);
    if (crossings > 0) {
        TriangleMesh mended = after;
        if (smooth_crossings_away(mended)) {
            return {.mesh = std::move(mended)};
        }
    }
    return {.mesh = std::move(after), .crossings = crossings};
}

}  // namespace

Verb remesh_verb() {
    auto settings = std::make_shared<RemeshSettings>();
    Verb verb{.name = "remesh",
              .summary = "Even triangles of a given edge length, or fewer triangles",
              .examples =
                  "  sinew remesh skin.ply --edge 0.01 -o even.ply       isotropic, 1 cm\n"
                  "  sinew remesh skin.ply --triangles 20000 -o coarse.ply",
              .options = {{.name = "input",
                           .help = "a healthy surface (see 'sinew repair')",
                           .target = &settings->input,
                           .metavar = "IN",
                           .is_required = true},
                          {.name = "-o,--output",
                           .help = "the new surface",
                           .target = &settings->output,
                           .metavar = "FILE",
                           .is_required = true},
                          {.name = "--edge",
                           .help = "edge length aimed at",
                           .target = &settings->edge,
                           .metavar = "M"},
                          {.name = "--triangles",
                           .help = "collapse edges until this many are left",
                           .target = &settings->triangles,
                           .metavar = "N"}},
              .run = {}};
    settings->files.add_to(verb.options);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", RemeshResult{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        if ((settings->edge > 0.0) == (settings->triangles > 0)) {
            throw InputError({.where = "sinew remesh",
                              .found = fmt::format("--edge {:g} and --triangles {}", settings->edge,
                                                   settings->triangles),
                              .needs = "exactly one of --edge M and --triangles N, above 0",
                              .remedy = "give --edge 0.01 for even triangles of 1 cm"});
        }
        require_known_output(settings->output);
        std::vector<MeshPart> parts = read_surface(settings->input, settings->files.read_options());
        double all = 0.0;
        for (const MeshPart& part : parts) {
            all += static_cast<double>(part.mesh.triangles.rows());
        }
        std::size_t crossings = 0;
        for (MeshPart& part : parts) {
            const double share = static_cast<double>(part.mesh.triangles.rows()) / all;
            Remeshed made = without_new_crossings(
                part.mesh, changed(part.mesh, *settings, share, context.progress));
            crossings += made.crossings;
            part.mesh = std::move(made.mesh);
        }
        const std::string done = write_asset(settings->output, {.content = parts});
        add_fields(RemeshResult{.output = settings->output,
                                .summary = done,
                                .new_intersections = static_cast<Count>(crossings)},
                   result);
        if (crossings > 0) {
            context.progress.warn(
                fmt::format("{}: {} pairs of triangles cross that did not before; use a shorter "
                            "--edge or more --triangles, or 'sinew repair --remove-intersections'",
                            settings->output, crossings));
        }
        if (context.tells()) {
            fmt::print("{}: {}\n", settings->output, done);
        }
        return kOk;
    };
    return verb;
}

}  // namespace sinew::cli
