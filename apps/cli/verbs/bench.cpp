#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "bench/solver_bench.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
    std::string name;
    bool is_short = false;
};

void bench_solver(const Settings& settings, const Context& context, Json& result) {
    bench::SolverBenchOptions options;
    if (settings.is_short) {
        options.with_scaling = false;
        options.with_convergence = false;
    }
    const bench::SolverBench b = bench::run_solver_bench(options, context.progress);
    result = {{"bench", "solver"},
              {"vertices", b.vertices},
              {"tets", b.tets},
              {"threads", b.threads},
              {"iteration_ms", b.iteration_ms},
              {"local_ms", b.local_ms},
              {"global_ms", b.global_ms},
              {"rhs_ms", b.rhs_ms},
              {"factor_s", b.factor_s},
              {"factor_nonzeros", b.factor_nonzeros},
              {"baseline_iteration_ms", b.baseline_iteration_ms},
              {"baseline_factor_s", b.baseline_factor_s},
              {"speedup", b.speedup},
              {"bandwidth_gbs", b.bandwidth_gbs},
              {"global_over_bound", b.global_over_bound},
              {"global_one_thread_ms", b.global_one_thread_ms},
              {"local_mtets_per_s", b.local_mtets_per_s},
              {"memory_mb", b.memory_mb},
              {"scaling_exponent", b.scaling_exponent},
              {"scaling_vertices", b.scaling_vertices},
              {"scaling_ms", b.scaling_ms},
              {"energy_error_after_10", b.energy_error_after_10},
              {"plain_iterations_to_permille", b.plain_iterations_to_permille},
              {"accelerated_iterations_to_permille", b.accelerated_iterations_to_permille}};
}

}  // namespace

Verb bench_verb() {
    auto settings = std::make_shared<Settings>();
    return {.name = "bench",
            .summary = "Time a part of Sinew against a named baseline in the same run",
            .examples =
                "  sinew bench solver --json      about two minutes, on an otherwise idle machine\n"
                "  sinew bench solver --short     without scaling and convergence",
            .options = {{.name = "name",
                         .help = "what to time: solver",
                         .target = &settings->name,
                         .metavar = "NAME",
                         .choices = {"solver"},
                         .is_required = true},
                        {.name = "--short",
                         .help = "only the main scene",
                         .target = &settings->is_short}},
            .run = [settings](const Context& context, Json& result) {
                bench_solver(*settings, context, result);
                if (!context.wants_json) {
                    for (const auto& [key, value] : result.items()) {
                        fmt::print("{:<36} {}\n", key, value.dump());
                    }
                }
                return kOk;
            }};
}

}  // namespace sinew::cli
