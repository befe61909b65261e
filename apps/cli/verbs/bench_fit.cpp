#include "cli/verbs/bench_fit.h"

#include "sinew/pipeline/body_cache.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "bench/fit_bench.h"

namespace sinew::cli {

namespace {

double median_size(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double largest_size(const std::vector<double>& values) {
    return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

// Pearson's, of pairs; 0 where one side is all alike.
double correlation(const std::vector<std::pair<double, double>>& pairs) {
    const auto n = static_cast<double>(pairs.size());
    double x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (const auto& [a, b] : pairs) {
        x += a / n;
        y += b / n;
    }
    for (const auto& [a, b] : pairs) {
        xx += (a - x) * (a - x);
        yy += (b - y) * (b - y);
        xy += (a - x) * (b - y);
    }
    return xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0;
}

nlohmann::ordered_json json_of(const bench::FitBenchRow& row) {
    nlohmann::ordered_json entry = {{"name", row.name}};
    if (!row.error.empty()) {
        entry["error"] = row.error;
        return entry;
    }
    entry["cpu_s"] = row.cpu_s;
    entry["mean_mm"] = row.mean_mm;
    entry["p95_mm"] = row.p95_mm;
    if (row.noise_ratio > 0.0) {
        entry["noise_ratio"] = row.noise_ratio;
        entry["landmark_mm"] = row.landmark_mm;
    }
    if (!row.girth_errors.empty()) {
        entry["volume_error"] = row.volume_error;
        for (const auto& [girth, error] : row.girth_errors) {
            entry["girth_errors"][girth] = error;
        }
    }
    for (const auto& [joint, distance] : row.joint_mm) {
        entry["joint_mm"][joint] = distance;
    }
    const auto add = [&](const char* name, const auto& value) {
        if (value) {
            entry[name] = *value;
        }
    };
    add("crossings", row.crossings);
    add("inverted_tets", row.inverted_tets);
    add("fat_error_kg", row.fat_error_kg);
    add("muscle_error_kg", row.muscle_error_kg);
    add("body_fat", row.body_fat);
    add("navy_body_fat", row.navy_body_fat);
    return entry;
}

// Medians and worst of all scans together.
void add_totals(const std::vector<bench::FitBenchRow>& rows, nlohmann::ordered_json& result) {
    std::vector<double> sizes, joints, points, masses;
    std::vector<std::pair<double, double>> fat;
    int fitted = 0, crossings = 0, inverted = 0;
    for (const bench::FitBenchRow& row : rows) {
        fitted += row.error.empty() ? 1 : 0;
        if (row.noise_ratio > 0.0) {
            points.push_back(row.landmark_mm);
            sizes.push_back(std::abs(row.volume_error));
            for (const auto& [girth, error] : row.girth_errors) {
                sizes.push_back(std::abs(error));
            }
        }
        for (const auto& [joint, distance] : row.joint_mm) {
            joints.push_back(distance);
        }
        crossings += row.crossings.value_or(0);
        inverted += row.inverted_tets.value_or(0);
        if (row.fat_error_kg) {
            masses.push_back(std::abs(*row.fat_error_kg));
        }
        if (row.muscle_error_kg) {
            masses.push_back(std::abs(*row.muscle_error_kg));
        }
        if (row.body_fat && row.navy_body_fat) {
            fat.emplace_back(*row.body_fat, *row.navy_body_fat);
        }
    }
    result["fitted"] = fitted;
    result["median_size_error"] = median_size(sizes);
    result["worst_size_error"] = largest_size(sizes);
    result["median_landmark_mm"] = median_size(points);
    result["median_joint_mm"] = median_size(joints);
    result["crossings"] = crossings;
    result["inverted_tets"] = inverted;
    result["median_mass_error_kg"] = median_size(masses);
    result["worst_mass_error_kg"] = largest_size(masses);
    result["body_fat_navy_correlation"] = correlation(fat);
}

}  // namespace

void bench_fit(const std::string& data, bool is_short, const Context& context,
               nlohmann::ordered_json& result) {
    bench::FitBenchOptions options;
    options.data = data;
    options.cache = BodyCache::default_folder();
    if (is_short) {
        options.resolution = BodyResolution::Preview;
        options.raw = 2;
        options.registered = 2;
        options.with_mhr = false;
    }
    const std::vector<bench::FitBenchRow> rows = bench::run_fit_bench(options, context.progress);
    result["bench"] = "fit";
    for (const bench::FitBenchRow& row : rows) {
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
        result["scans"].push_back(json_of(row));
    }
    add_totals(rows, result);
}

}  // namespace sinew::cli
