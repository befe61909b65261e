#include "cli/verbs/bench_fit.h"

#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "bench/fit_bench.h"

namespace sinew::cli {

namespace {

Body bench_human(FigureSex sex, BodyResolution resolution, const Progress& progress) {
    MakeBodyOptions options;
    options.figure.sex = sex;
    options.body.resolution = resolution;
    options.cache = BodyCache::default_folder();
    return make_body(options, progress).body;
}

double median_size(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

void bench_fit(const std::string& data, bool is_short, const Context& context,
               nlohmann::ordered_json& result) {
    const BodyResolution resolution = is_short ? BodyResolution::Preview : BodyResolution::Standard;
    bench::FitBenchOptions options;
    options.data = data;
    if (is_short) {
        options.raw = 2;
        options.registered = 2;
        options.with_mhr = false;
    }
    const std::vector<bench::FitBenchRow> rows = bench::run_fit_bench(
        bench_human(FigureSex::Male, resolution, context.progress),
        bench_human(FigureSex::Female, resolution, context.progress), options, context.progress);
    result["bench"] = "fit";
    std::vector<double> sizes;
    int fitted = 0;
    for (const bench::FitBenchRow& row : rows) {
        nlohmann::ordered_json entry = {{"name", row.name}};
        if (!row.error.empty()) {
            entry["error"] = row.error;
        } else {
            ++fitted;
            entry["cpu_s"] = row.cpu_s;
            entry["mean_mm"] = row.mean_mm;
            entry["p95_mm"] = row.p95_mm;
            entry["volume_error"] = row.volume_error;
        }
        if (row.noise_ratio > 0.0) {
            entry["noise_ratio"] = row.noise_ratio;
            entry["landmark_mm"] = row.landmark_mm;
            sizes.push_back(std::abs(row.volume_error));
            for (const auto& [girth, error] : row.girth_errors) {
                entry["girth_errors"][girth] = error;
                sizes.push_back(std::abs(error));
            }
        }
        if (context.tells()) {
            fmt::print(
                "{:10} {}\n", row.name,
                row.error.empty()
                    ? fmt::format("{:.2f} mm, 95 % {:.2f}, noise x {:.2f}, points {:.1f} mm, "
                                  "volume {:+.2f} %, cpu {:.1f} s",
                                  row.mean_mm, row.p95_mm, row.noise_ratio, row.landmark_mm,
                                  100.0 * row.volume_error, row.cpu_s)
                    : row.error);
        }
        result["scans"].push_back(entry);
    }
    result["fitted"] = fitted;
    result["median_size_error"] = median_size(sizes);
    result["worst_size_error"] =
        sizes.empty() ? 0.0 : *std::max_element(sizes.begin(), sizes.end());
}

}  // namespace sinew::cli
