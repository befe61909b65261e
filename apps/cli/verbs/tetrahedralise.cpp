#include "sinew/meshing/tetrahedralise.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/asset.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/mesh_parts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/file_options.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct TetrahedraliseSettings {
    std::vector<std::string> inputs;
    std::string output;
    TetrahedraliseOptions options;
    FileOptions files;
};

}  // namespace

Verb tetrahedralise_verb() {
    auto settings = std::make_shared<TetrahedraliseSettings>();
    Verb verb{
        .name = "tetrahedralise",
        .summary = "Fill closed surfaces with tetrahedra; the surfaces are kept",
        .examples =
            "  sinew tetrahedralise skin.ply -o body.vtu --max-edge 0.02\n"
            "  sinew tetrahedralise skin.ply bone.ply -o arm.msh   nested: regions 1 and 2\n"
            "Runs the separate program TetGen.",
        .options = {{.name = "inputs",
                     .help = "closed surfaces that do not touch; one region each, in this order",
                     .target = &settings->inputs,
                     .metavar = "IN",
                     .is_required = true},
                    {.name = "-o,--output",
                     .help = "tetrahedra: .vtu .msh .mesh .node",
                     .target = &settings->output,
                     .metavar = "FILE",
                     .is_required = true}},
        .run = {}};
    add_field_options(verb.options, settings->options, {"max_memory"});
    settings->files.add_to(verb.options);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", TetrahedraliseResult{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        const std::string ending =
            lower(std::filesystem::path(settings->output).extension().string());
        const std::vector<std::string> endings = writable_tet_endings();
        if (std::find(endings.begin(), endings.end(), ending) == endings.end()) {
            throw bad_value("tetrahedralise", "--output", settings->output,
                            "a file of tetrahedra: " + join(endings, " "));
        }
        require_known_output(settings->output);
        std::vector<TriangleMesh> surfaces;
        for (const std::string& input : settings->inputs) {
            surfaces.push_back(merged(read_surface(input, settings->files.read_options())));
        }
        const TetMesh mesh = tetrahedralise(surfaces, settings->options, context.progress);
        const std::string done = write_asset(settings->output, {.content = mesh});
        add_fields(TetrahedraliseResult{.output = settings->output,
                                        .vertices = mesh.points.rows(),
                                        .tets = mesh.tets.rows(),
                                        .volume = 1e3 * volume(mesh.points, mesh.tets)},
                   result);
        if (context.tells()) {
            fmt::print("{}: {}\n", settings->output, done);
        }
        return kOk;
    };
    return verb;
}

}  // namespace sinew::cli
