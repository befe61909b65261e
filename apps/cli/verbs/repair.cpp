#include "sinew/meshing/repair.h"

#include "sinew/io/asset.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/file_options.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct RepairSettings {
    std::string input;
    std::string output;
    RepairOptions options;
    FileOptions files;
};

}  // namespace

Verb repair_verb() {
    auto settings = std::make_shared<RepairSettings>();
    Verb verb{.name = "repair",
              .summary = "Mend a surface: weld, orient, split, fill holes, and say what was done",
              .examples =
                  "  sinew repair scan.ply -o clean.ply\n"
                  "  sinew repair scan.stl -o clean.ply --unit mm --remove-intersections\n"
                  "Exit code 1 when the result is still not healthy; it is written all the same.",
              .options = {{.name = "input",
                           .help = "a surface; each part is mended by itself",
                           .target = &settings->input,
                           .metavar = "IN",
                           .is_required = true},
                          {.name = "-o,--output",
                           .help = "the mended surface",
                           .target = &settings->output,
                           .metavar = "FILE",
                           .is_required = true}},
              .run = {}};
    add_field_options(verb.options, settings->options);
    settings->files.add_to(verb.options);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", RepairResult{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        require_known_output(settings->output);
        std::vector<MeshPart> parts = read_surface(settings->input, settings->files.read_options());
        bool is_mended = true;
        RepairResult said{.output = settings->output};
        for (MeshPart& part : parts) {
            const RepairReport report = repair(part.mesh, settings->options, context.progress);
            is_mended = is_mended && is_healthy(report.health);
            for (const RepairReport::Action& action : report.actions) {
                said.actions.push_back({.part = part.name,
                                        .what = action.what,
                                        .count = static_cast<Count>(action.count)});
                if (context.tells()) {
                    fmt::print("{}: {} {}\n", part.name, action.count, action.what);
                }
            }
            for (const Problem& left : report.health.problems) {
                context.progress.warn(fmt::format("{}: {} {} left ({}); {}", part.name, left.count,
                                                  left.what, left.where, left.remedy));
            }
        }
        std::erase_if(parts, [](const MeshPart& part) { return part.mesh.triangles.rows() == 0; });
        const std::string done = write_asset(settings->output, {.content = parts});
        said.healthy = is_mended;
        add_fields(said, result);
        if (context.tells()) {
            fmt::print("{}: {}, {}\n", settings->output, done,
                       is_mended ? "healthy" : "still with problems");
        }
        return is_mended ? kOk : kUnusable;
    };
    return verb;
}

}  // namespace sinew::cli
