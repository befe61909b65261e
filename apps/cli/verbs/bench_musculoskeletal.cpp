#include "cli/verbs/bench_musculoskeletal.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

#include "bench/musculoskeletal_bench.h"

namespace sinew::cli {

void bench_musculoskeletal(const std::string& data, const Context& context,
                           nlohmann::ordered_json& result) {
    std::filesystem::path folder = data;
    if (data.empty()) {
        const char* shared = std::getenv("SINEW_SHARED");
        folder =
            std::filesystem::path(shared != nullptr ? shared : "../shared") / "musculoskeletal";
    }
    const bench::MusculoskeletalBench b =
        bench::run_musculoskeletal_bench(folder, context.progress);
    result = {{"bench", "musculoskeletal"},
              {"units", b.units},
              {"coordinates", b.coordinates},
              {"paths_us", b.paths_us},
              {"fixed_paths_us", b.fixed_paths_us},
              {"mujoco_tendons_us", b.mujoco_tendons_us},
              {"paths_speedup", b.paths_speedup},
              {"mujoco_length_error_m", b.mujoco_length_error_m},
              {"blended_length_difference_m", b.blended_length_difference_m},
              {"steps_per_s", b.steps_per_s},
              {"frames_per_s", b.frames_per_s},
              {"arm_frames_per_s", b.arm_frames_per_s},
              {"arm_moment_error", b.arm_moment_error},
              {"arm_activation_error", b.arm_activation_error},
              {"arm_force_error", b.arm_force_error}};
}

}  // namespace sinew::cli
