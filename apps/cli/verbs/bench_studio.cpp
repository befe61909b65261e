#include "cli/verbs/bench_studio.h"

#include <nlohmann/json.hpp>

#include "bench/studio_bench.h"

namespace sinew::cli {

void bench_studio(const std::string& body, const Context& context, nlohmann::ordered_json& result) {
    const bench::StudioBench b = bench::run_studio_bench(body, context.progress);
    result = {{"bench", "studio"},
              {"threads", b.threads},
              {"skin_vertices", b.skin_vertices},
              {"first_change_ms", b.first_change_ms},
              {"worst_change_ms", b.worst_change_ms},
              {"updates_per_s", b.updates_per_s},
              {"fat_updates_per_s", b.fat_updates_per_s},
              {"bone_updates_per_s", b.bone_updates_per_s},
              {"motion_frames_per_s", b.motion_frames_per_s},
              {"update_cpu_ms", b.update_cpu_ms},
              {"fat_update_cpu_ms", b.fat_update_cpu_ms},
              {"bone_update_cpu_ms", b.bone_update_cpu_ms},
              {"motion_cpu_ms", b.motion_cpu_ms},
              {"motion_mb_per_s", b.motion_mb_per_s},
              {"first_picture_ms", b.first_picture_ms},
              {"memory_mb", b.memory_mb},
              {"memory_growth_mb", b.memory_growth_mb},
              {"clients_served", b.clients_served},
              {"killed_client_is_harmless", b.killed_client_is_harmless},
              {"http_requests_per_s", b.http_requests_per_s}};
}

}  // namespace sinew::cli
