#include "cli/verbs/bench_motion.h"

#include "sinew/base/units.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bench/motion_bench.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

Json row_of(const bench::MotionFit& fit) {
    return {{"clip", fit.clip},
            {"refused", fit.is_refused},
            {"limb_mean_deg", fit.limb_mean / kDegree},
            {"limb_largest_deg", fit.limb_largest / kDegree},
            {"unlimited_mean_deg", fit.unlimited_mean / kDegree},
            {"limited_fraction", fit.limited},
            {"foot_depth_mm", 1e3 * fit.foot_depth},
            {"slide_mm", 1e3 * fit.slide},
            {"slide_p95_mm", 1e3 * fit.slide_p95},
            {"slide_median_mm", 1e3 * fit.slide_median},
            {"recorded_slide_mm", 1e3 * fit.recorded_slide},
            {"slide_excess_mm", 1e3 * fit.excess},
            {"lifted_fraction", fit.lifted},
            {"steps", fit.steps},
            {"steps_over_1_cm", fit.steps_over},
            {"steps_1_cm_over_recorded", fit.steps_over_excess},
            {"ms_per_frame", fit.ms_per_frame}};
}

}  // namespace

void bench_motion(const std::string& data, bool is_short, const Context& context, Json& result) {
    const char* shared = std::getenv("SINEW_SHARED");
    const std::string folder = !data.empty() ? data : shared != nullptr ? shared : "../shared";
    const bench::MotionBench done = bench::run_motion_bench(folder, is_short, context.progress);
    result["runs"] = done.fits.size();
    result["refused"] = done.refused;
    for (const bench::MotionFit& fit : done.fits) {
        Json& target = result["targets"][fit.target];
        target["clips"].push_back(row_of(fit));
    }
    for (auto& [name, target] : result["targets"].items()) {
        const auto over = [&, &rows = target["clips"]](const char* key, bool is_mean) {
            double sum = 0.0;
            double most = 0.0;
            for (const Json& row : rows) {
                sum += row[key].get<double>() / static_cast<double>(rows.size());
                most = std::max(most, row[key].get<double>());
            }
            return is_mean ? sum : most;
        };
        const double mean = over("limb_mean_deg", true);
        const double unlimited = over("unlimited_mean_deg", true);
        const double depth = over("foot_depth_mm", false);
        const double slide = over("slide_p95_mm", true);
        const double excess = over("slide_excess_mm", false);
        const double count = static_cast<double>(target["clips"].size());
        const double steps = std::round(count * over("steps", true));
        const double further = std::round(count * over("steps_1_cm_over_recorded", true));
        target["limb_mean_deg"] = mean;
        target["unlimited_mean_deg"] = unlimited;
        target["deepest_foot_mm"] = depth;
        target["mean_slide_p95_mm"] = slide;
        target["largest_slide_excess_mm"] = excess;
        target["steps"] = static_cast<int>(steps);
        target["steps_1_cm_over_recorded"] = static_cast<int>(further);
    }
}

}  // namespace sinew::cli
