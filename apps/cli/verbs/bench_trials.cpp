#include "cli/verbs/bench_trials.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

#include "bench/trial_bench.h"

namespace sinew::cli {

namespace {

nlohmann::ordered_json named_json(const bench::TrialBench::Named& values) {
    auto out = nlohmann::ordered_json::object();
    for (const auto& [name, value] : values) {
        out[name] = value;
    }
    return out;
}

}  // namespace

void bench_trials(const std::string& data, const Context& context, nlohmann::ordered_json& result) {
    std::filesystem::path folder = data;
    if (data.empty()) {
        const char* shared = std::getenv("SINEW_SHARED");
        folder =
            std::filesystem::path(shared != nullptr ? shared : "../shared") / "musculoskeletal";
    }
    const bench::TrialBench b = bench::run_trial_bench(folder, context.progress);
    result = {{"bench", "trials"},
              {"moment_error", named_json(b.moment_error)},
              {"estimated_moment_error", named_json(b.estimated_moment_error)},
              {"estimated_force_error", b.estimated_force_error},
              {"residual_share", named_json(b.residual_share)},
              {"ik_rms_m", b.ik_rms_m},
              {"reference_rms_m", b.reference_rms_m},
              {"coordinate_error", named_json(b.coordinate_error)},
              {"ik_frames_per_s", b.ik_frames_per_s},
              {"gait2392_frames_per_s", b.gait2392_frames_per_s},
              {"gait2392_ik_rms_m", b.gait2392_ik_rms_m},
              {"optimisation_frames_per_s", b.optimisation_frames_per_s},
              {"gait2392_optimisation_frames_per_s", b.gait2392_optimisation_frames_per_s},
              {"peak_of_stance", named_json(b.peak_of_stance)}};
    if (context.tells()) {
        for (const auto& [key, value] : result.items()) {
            fmt::print("{:<36} {}\n", key, value.dump());
        }
    }
}

}  // namespace sinew::cli
