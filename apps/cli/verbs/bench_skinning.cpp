#include "cli/verbs/bench_skinning.h"

#include "sinew/render/plot.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/skinning_bench.h"

namespace sinew::cli {

Image bench_skinning(bool is_short, const Context& context, nlohmann::ordered_json& result) {
    const bench::SkinningBench b =
        bench::run_skinning_bench({.with_scaling = !is_short}, context.progress);
    result = {{"bench", "skinning"},
              {"simulated_vertices", b.simulated_vertices},
              {"tets", b.tets},
              {"fine_vertices", b.fine_vertices},
              {"threads", b.threads},
              {"fps", b.fps},
              {"fps_local_collisions", b.fps_local_collisions},
              {"fps_global_collisions", b.fps_global_collisions},
              {"mean_penetration_mm_none", 1e3 * b.mean_penetration_none},
              {"mean_penetration_mm_local", 1e3 * b.mean_penetration_local},
              {"mean_penetration_mm_global", 1e3 * b.mean_penetration_global},
              {"max_penetration_mm_global", 1e3 * b.max_penetration_global},
              {"fps_upsampled", b.fps_upsampled},
              {"local_slowdown", b.local_slowdown},
              {"upsampling_share", b.upsampling_share},
              {"local_ms", b.local_ms},
              {"global_ms", b.global_ms},
              {"preprocess_s", b.preprocess_s},
              {"preprocess_local_s", b.preprocess_local_s},
              {"upsampling_s", b.upsampling_s}};
    for (const bench::SkinComparison& c : b.comparison) {
        result["comparison"][c.pose][c.method] = {
            {"volume_error", c.volume_error},
            {"max_penetration_mm", 1e3 * c.deepest},
            {"mean_penetration_mm", 1e3 * c.mean_penetration}};
    }
    if (is_short) {
        return {};
    }
    result["scaling_vertices"] = b.scaling_vertices;
    result["scaling_ms"] = b.scaling_ms;
    result["scaling_exponent"] = b.scaling_exponent;
    Series measured{.name = "measured"};
    Series linear{.name = "linear from the smallest"};
    for (std::size_t k = 0; k < b.scaling_ms.size(); ++k) {
        const double n = b.scaling_vertices[k];
        measured.x.push_back(n);
        measured.y.push_back(b.scaling_ms[k]);
        linear.x.push_back(n);
        linear.y.push_back(b.scaling_ms[0] * n / b.scaling_vertices[0]);
    }
    const Series all[] = {measured, linear};
    return plot(all, {.title = fmt::format("One skinning frame, {} threads", b.threads),
                      .x_label = "vertices",
                      .y_label = "ms",
                      .log_x = true,
                      .log_y = true});
}

}  // namespace sinew::cli
