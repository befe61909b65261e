#pragma once

#include "sinew/base/progress.h"

#include <filesystem>

namespace sinew::bench {

/// The studio's server and raw clients on loopback, in one process. Times are medians.
struct StudioBench {
    int threads = 0;
    long skin_vertices = 0;        ///< as shown
    double first_change_ms = 0.0;  ///< from a slider's value to the first frame that shows it
    double worst_change_ms = 0.0;
    double updates_per_s = 0.0;  ///< frames of the skin while a muscle slider is dragged
    double fat_updates_per_s = 0.0;
    double bone_updates_per_s = 0.0;
    double motion_frames_per_s = 0.0;  ///< of a skinned walk
    // Process time (server and client, all threads) over the frames above, which a busy machine
    // does not change much.
    double update_cpu_ms = 0.0;
    double fat_update_cpu_ms = 0.0;
    double bone_update_cpu_ms = 0.0;
    double motion_cpu_ms = 0.0;
    double motion_mb_per_s = 0.0;
    double first_picture_ms = 0.0;  ///< from connecting to the whole skin, body loaded
    double memory_mb = 0.0;         ///< resident, after 200 edits
    double memory_growth_mb = 0.0;  ///< over 1000 more
    int clients_served = 0;         ///< of 20 at once, that got the result of an edit
    bool killed_client_is_harmless = false;
    double http_requests_per_s = 0.0;  ///< one after another, each on its own connection
};

/// @param body  a preview body
StudioBench run_studio_bench(const std::filesystem::path& body, const Progress& progress = {});

}  // namespace sinew::bench
