#include "sinew/io/asset.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/vtu.h"
#include "sinew/pipeline/solve_job.h"
#include "sinew/pipeline/solve_summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/interrupt.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct SolveSettings {
    std::string scene;
    std::string output;
};

bool is_series(const std::filesystem::path& path) {
    return path.extension() == ".pvd";
}

/// One grid per state beside the collection, which is written last.
class FrameFiles {
public:
    explicit FrameFiles(std::filesystem::path pvd) : pvd_(std::move(pvd)) {}

    void add(double time, const TetMesh& frame) {
        files_.push_back(fmt::format("{}_{:04}.vtu", pvd_.stem().string(), files_.size()));
        times_.push_back(time);
        write_vtu(pvd_.parent_path() / files_.back(), frame);
        note_kept(fmt::format("{} frames are complete: {} to {}", files_.size(), files_.front(),
                              files_.back()));
    }
    int finish() const {
        write_pvd(pvd_, times_, files_);
        return static_cast<int>(files_.size());
    }

private:
    std::filesystem::path pvd_;
    std::vector<std::string> files_;
    std::vector<double> times_;
};

int run_solve(const SolveSettings& settings, const Context& context,
              nlohmann::ordered_json& result) {
    const bool has_frames = is_series(settings.output);
    require_known_output(has_frames
                             ? std::filesystem::path(settings.output).replace_extension(".vtu")
                             : std::filesystem::path(settings.output));
    const SolveScene scene = read_solve_scene(settings.scene);
    SolveSummary summary{settings.output};
    std::string done;
    if (has_frames) {
        FrameFiles files(settings.output);
        summary.result = solve_scene(scene, context.progress,
                                     [&](double time, const TetMesh& f) { files.add(time, f); });
        summary.frames = files.finish();
        done = fmt::format("{} frames", summary.frames);
    } else {
        summary.result = solve_scene(scene, context.progress);
        done = write_asset(settings.output, {.content = summary.result.mesh});
    }
    add_fields(summary, result);
    const SolveResult& solved = summary.result;
    if (context.tells()) {
        fmt::print(
            "{}: {}; {} after {} iterations, residual {:.1e}, energy {:.4g} J, least volume ratio "
            "{:.3f}, {} inverted\n",
            settings.output, done, solved.is_converged ? "converged" : "NOT converged",
            solved.iterations, solved.residual, solved.energy, solved.least_volume_ratio,
            solved.inverted_tets);
        for (const std::string& remark : solved.remarks) {
            fmt::print("  {}\n", remark);
        }
    }
    return solved.is_converged && solved.inverted_tets == 0 ? kOk : kUnusable;
}

}  // namespace

Verb solve_verb() {
    auto settings = std::make_shared<SolveSettings>();
    return {.name = "solve",
            .summary = "Solve an elasticity problem on any tetrahedral mesh, described in JSON",
            .examples =
                "  sinew solve examples/solve_beam.json -o beam.vtu\n"
                "  sinew solve examples/solve_beam.json -o beam.pvd    every load or time step\n"
                "The format is described in docs/solve.md. Exit code 1 when it did not converge or "
                "tetrahedra\n"
                "are inverted; the result is written all the same.",
            .options = {{.name = "scene",
                         .help = "mesh, materials, supports and loads",
                         .target = &settings->scene,
                         .metavar = "SCENE.json",
                         .is_required = true},
                        {.name = "-o,--output",
                         .help = "the deformed mesh with its displacement: .vtu, .msh ...; .pvd: a "
                                 "time series of .vtu beside it",
                         .target = &settings->output,
                         .metavar = "FILE",
                         .is_required = true}},
            .run =
                [settings](const Context& context, nlohmann::ordered_json& result) {
                    return run_solve(*settings, context, result);
                },
            .describe =
                [](nlohmann::ordered_json& definitions) {
                    add_schema("job", SolveJob{}, SchemaOf::File, definitions);
                    add_schema("result", SolveSummary{}, SchemaOf::Result, definitions);
                }};
}

}  // namespace sinew::cli
