#include "sinew/io/asset.h"
#include "sinew/io/json_schema.h"
#include "sinew/pipeline/solve_job.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct SolveSettings {
    std::string scene;
    std::string output;
};

}  // namespace

Verb solve_verb() {
    auto settings = std::make_shared<SolveSettings>();
    return {
        .name = "solve",
        .summary = "Solve an elasticity problem on any tetrahedral mesh, described in JSON",
        .examples =
            "  sinew solve examples/solve_beam.json -o beam.vtu\n"
            "The format is described in docs/solve.md. Exit code 1 when it did not converge or "
            "tetrahedra\n"
            "are inverted; the result is written all the same.",
        .options = {{.name = "scene",
                     .help = "mesh, materials, supports and loads",
                     .target = &settings->scene,
                     .metavar = "SCENE.json",
                     .is_required = true},
                    {.name = "-o,--output",
                     .help = "the deformed mesh with its displacement: .vtu, .msh ...",
                     .target = &settings->output,
                     .metavar = "FILE",
                     .is_required = true}},
        .run =
            [settings](const Context& context, nlohmann::ordered_json& result) {
                require_known_output(settings->output);
                const SolveResult solved =
                    solve_scene(read_solve_scene(settings->scene), context.progress);
                const std::string done = write_asset(settings->output, {.content = solved.mesh});
                add_fields(SolveSummary{settings->output, solved}, result);
                if (context.tells()) {
                    fmt::print(
                        "{}: {}; {} after {} iterations, residual {:.1e}, energy {:.4g} J, {} "
                        "inverted\n",
                        settings->output, done, solved.is_converged ? "converged" : "NOT converged",
                        solved.iterations, solved.residual, solved.energy, solved.inverted_tets);
                }
                return solved.is_converged && solved.inverted_tets == 0 ? kOk : kUnusable;
            },
        .describe =
            [](nlohmann::ordered_json& definitions) {
                add_schema("job", SolveJob{}, SchemaOf::File, definitions);
                add_schema("result", SolveSummary{}, SchemaOf::Result, definitions);
            }};
}

}  // namespace sinew::cli
