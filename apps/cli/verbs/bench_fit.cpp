#include "cli/verbs/bench_fit.h"

#include "sinew/fit/body_fat_percentiles.h"
#include "sinew/pipeline/body_cache.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "bench/fit_bench.h"

namespace sinew::cli {

namespace {

using BenchJson = nlohmann::ordered_json;
using Rows = std::vector<bench::FitBenchRow>;

// Median fat and fat-free mass over stature squared at 18 to 34 years, kg/m^2 [Schutz2002].
struct SchutzMedian {
    double fat, fat_free;
};
constexpr SchutzMedian kYoungMen = {4.0, 18.9};
constexpr SchutzMedian kYoungWomen = {5.5, 15.4};

// Of a list of sizes: its quantile q in [0, 1], by linear interpolation; 0 for nobody.
double quantile(std::vector<double> values, double q) {
    if (values.empty()) {
        return 0.0;
    }
    std::sort(values.begin(), values.end());
    const double place = q * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (place - static_cast<double>(low)) * (values[high] - values[low]);
}

double largest(const std::vector<double>& values) {
    return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

double mean(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) {
        sum += value;
    }
    return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

using Pairs = std::vector<std::pair<double, double>>;

struct Line {
    double slope = 0.0;
    double at_zero = 0.0;
    double correlation = 0.0;  ///< Pearson's
};

// Least squares of the second by the first; all 0 where one side is all alike.
Line line_through(const Pairs& pairs) {
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
    if (!(xx > 0.0 && yy > 0.0)) {
        return {};
    }
    return {.slope = xy / xx, .at_zero = y - x * xy / xx, .correlation = xy / std::sqrt(xx * yy)};
}

template <class Rows_, class F>
auto collected(const Rows_& rows, F&& f) {
    std::vector<double> values;
    for (const auto& row : rows) {
        values.push_back(f(row));
    }
    return values;
}

BenchJson json_of(const bench::FitBenchRow& row) {
    BenchJson entry = {{"kind", row.kind}, {"name", row.name}};
    if (!row.error.empty()) {
        entry["error"] = row.error;
        return entry;
    }
    entry["mean_mm"] = row.mean_mm;
    entry["p95_mm"] = row.p95_mm;
    if (row.kind == "raw") {
        entry["noise_ratio"] = row.noise_ratio;
        entry["landmark_mm"] = row.landmark_mm;
        entry["is_sex_right"] = row.is_sex_right;
    }
    if (!row.girth_errors.empty()) {
        entry["volume_error"] = row.volume_error;
        for (const auto& [girth, error] : row.girth_errors) {
            entry["girth_errors"][girth] = error;
        }
    }
    for (const bench::JointOffset& joint : row.joints) {
        entry["joint_offset_mm"][joint.joint] = joint.offset_mm;
    }
    entry["crossings"] = row.crossings;
    entry["inverted_tets"] = row.inverted_tets;
    entry["skin_crossings"] = row.skin_crossings;
    entry["is_regressed"] = row.is_regressed;
    entry["fat_error_kg"] = row.fat_error_kg;
    entry["muscle_error_kg"] = row.muscle_error_kg;
    entry["body_fat"] = row.body_fat;
    entry["navy_body_fat"] = row.navy_body_fat;
    return entry;
}

// "knee" of "knee_l".
std::string joint_kind(const std::string& name) {
    return name.substr(0, name.rfind('_'));
}

using Offsets = std::map<std::string, std::array<double, 3>>;

// By how much our joints lie elsewhere than the rig's on the mean: what a knee is differs.
Offsets mean_offsets(const Rows& rows) {
    Offsets sum;
    std::map<std::string, int> count;
    for (const bench::FitBenchRow& row : rows) {
        for (const bench::JointOffset& joint : row.joints) {
            const std::string kind = joint_kind(joint.joint);
            ++count[kind];
            for (std::size_t k = 0; k < 3; ++k) {
                sum[kind][k] += joint.offset_mm[k];
            }
        }
    }
    for (auto& [kind, offset] : sum) {
        for (double& x : offset) {
            x /= count[kind];
        }
    }
    return sum;
}

// Distances of joints from the rig, and what is left of them without `offsets`.
BenchJson joint_totals(const Rows& rows, const Offsets& offsets) {
    std::map<std::string, std::vector<double>> all, left;
    for (const bench::FitBenchRow& row : rows) {
        for (bench::JointOffset joint : row.joints) {
            const std::string kind = joint_kind(joint.joint);
            for (const std::string& name : {kind, std::string("all")}) {
                all[name].push_back(joint.distance_mm());
            }
            const auto it = offsets.find(kind);
            for (std::size_t k = 0; k < 3 && it != offsets.end(); ++k) {
                joint.offset_mm[k] -= it->second[k];
            }
            for (const std::string& name : {kind, std::string("all")}) {
                left[name].push_back(joint.distance_mm());
            }
        }
    }
    BenchJson result;
    for (const auto& [name, distances] : all) {
        result[name] = {{"median_mm", quantile(distances, 0.5)},
                        {"median_mm_without_offset", quantile(left[name], 0.5)}};
    }
    return result;
}

// Medians and worst of the scans of one kind.
BenchJson totals_of(const std::string& kind, const Rows& all, const Offsets& offsets) {
    Rows rows;
    int asked = 0;
    for (const bench::FitBenchRow& row : all) {
        asked += row.kind == kind ? 1 : 0;
        if (row.kind == kind && row.error.empty()) {
            rows.push_back(row);
        }
    }
    if (rows.empty()) {
        return {{"asked", asked}, {"fitted", 0}};
    }
    const auto spread = [&](auto f) -> BenchJson {
        const std::vector<double> values = collected(rows, f);
        return {{"median", quantile(values, 0.5)}, {"worst", largest(values)}};
    };
    const auto sum = [&](auto f) {
        int total = 0;
        for (const bench::FitBenchRow& row : rows) {
            total += static_cast<int>(f(row));
        }
        return total;
    };
    BenchJson result = {{"asked", asked}, {"fitted", rows.size()}};
    result["mean_mm"] = spread([](const auto& r) { return r.mean_mm; });
    result["p95_mm"] = spread([](const auto& r) { return r.p95_mm; });
    if (kind == "raw") {
        result["noise_ratio"] = spread([](const auto& r) { return r.noise_ratio; });
        result["landmark_mm"] = spread([](const auto& r) { return r.landmark_mm; });
        result["sex_right"] = sum([](const auto& r) { return r.is_sex_right; });
    }
    if (!rows[0].girth_errors.empty()) {
        std::vector<double> girths;
        for (const bench::FitBenchRow& row : rows) {
            for (const auto& [name, error] : row.girth_errors) {
                girths.push_back(std::abs(error));
            }
        }
        result["volume_error"] = spread([](const auto& r) { return std::abs(r.volume_error); });
        result["girth_error"] = {
            {"median", quantile(girths, 0.5)},
            {"worst", largest(girths)},
            {"of", girths.size()},
            {"above_3_percent",
             std::count_if(girths.begin(), girths.end(), [](double e) { return e > 0.03; })}};
        result["joints"] = joint_totals(rows, offsets);
    }
    result["crossings"] = sum([](const auto& r) { return r.crossings; });
    result["skin_crossings"] = sum([](const auto& r) { return r.skin_crossings; });
    result["inverted_tets"] = sum([](const auto& r) { return r.inverted_tets; });
    result["regressed"] = sum([](const auto& r) { return r.is_regressed; });
    result["fat_error_kg"] = spread([](const auto& r) { return std::abs(r.fat_error_kg); });
    result["muscle_error_kg"] = spread([](const auto& r) { return std::abs(r.muscle_error_kg); });
    Pairs fat;
    for (const bench::FitBenchRow& row : rows) {
        fat.emplace_back(row.body_fat, row.navy_body_fat);
    }
    result["body_fat_navy_correlation"] = line_through(fat).correlation;
    return result;
}

// Percentiles of body fat of people drawn: as they are, by regressors, by formula, and published.
BenchJson people_totals(const std::vector<bench::DrawnPersonRow>& all, bool is_woman) {
    std::vector<bench::DrawnPersonRow> people;
    Pairs by_bmi;
    std::vector<double> fitted;
    for (const bench::DrawnPersonRow& person : all) {
        if (person.is_woman == is_woman) {
            people.push_back(person);
            by_bmi.emplace_back(person.bmi, person.regressed_body_fat);
            if (person.fitted) {
                fitted.push_back(std::abs(*person.fitted - person.body_fat));
            }
        }
    }
    BenchJson result = {{"people", people.size()}};
    result["percentiles"] = kPercentiles;
    const auto add = [&](const char* name, auto f) {
        const std::vector<double> values = collected(people, f);
        for (const double p : kPercentiles) {
            result[name].push_back(quantile(values, p / 100.0));
        }
    };
    add("bmi", [](const auto& p) { return p.bmi; });
    add("body_fat", [](const auto& p) { return p.body_fat; });
    add("regressed_body_fat", [](const auto& p) { return p.regressed_body_fat; });
    add("navy_body_fat", [](const auto& p) { return p.navy_body_fat; });
    result["kyle_body_fat"] = kyle_body_fat(is_woman ? Sex::Female : Sex::Male);
    result["fat_error_kg"] =
        mean(collected(people, [](const auto& p) { return std::abs(p.fat_error_kg); }));
    result["muscle_error_kg"] =
        mean(collected(people, [](const auto& p) { return std::abs(p.muscle_error_kg); }));
    // Kyle's people are leaner than soldiers: the same body mass index is compared.
    const SchutzMedian young = is_woman ? kYoungWomen : kYoungMen;
    const double bmi = young.fat + young.fat_free;
    const Line line = line_through(by_bmi);
    result["at_bmi"] = {{"bmi", bmi},
                        {"regressed_body_fat", line.at_zero + line.slope * bmi},
                        {"schutz_body_fat", young.fat / bmi}};
    result["fitted"] = {{"people", fitted.size()}, {"worst_body_fat_error", largest(fitted)}};
    return result;
}

void tell(const bench::FitBenchRow& row) {
    if (!row.error.empty()) {
        fmt::print("{:10} {}\n", row.name, row.error);
        return;
    }
    fmt::print("{:10} {:.2f} mm, 95 % {:.2f}", row.name, row.mean_mm, row.p95_mm);
    if (row.kind == "raw") {
        fmt::print(", noise x {:.2f}, points {:.1f} mm", row.noise_ratio, row.landmark_mm);
    }
    if (!row.girth_errors.empty()) {
        fmt::print(", volume {:+.2f} %", 100.0 * row.volume_error);
    }
    fmt::print(", fat {:.1f} % (formula {:.1f} %)\n", 100.0 * row.body_fat,
               100.0 * row.navy_body_fat);
}

}  // namespace

void bench_fit(const std::string& data, const std::string& folder, bool is_short,
               const Context& context, BenchJson& result) {
    bench::FitBenchOptions options;
    options.data = data;
    options.cache = BodyCache::default_folder();
    options.folder = folder.empty() ? options.cache / "bench_fit" : std::filesystem::path(folder);
    if (is_short) {
        options.raw = 2;
        options.registered = 2;
        options.with_mhr = false;
        options.people = 0;
    }
    const bench::FitBench bench = bench::run_fit_bench(options, context.progress);
    result["bench"] = "fit";
    result["resolution"] = "preview";
    for (const bench::FitBenchRow& row : bench.rows) {
        if (context.tells()) {
            tell(row);
        }
        result["scans"].push_back(json_of(row));
    }
    Rows registered = bench.rows;
    std::erase_if(registered, [](const auto& row) { return row.kind != "registered"; });
    const Offsets offsets = mean_offsets(registered);
    for (const auto& [joint, offset] : offsets) {
        result["joint_offset_mm"][joint] = {
            {"away_from_trunk", offset[0]}, {"forwards", offset[1]}, {"outwards", offset[2]}};
    }
    for (const char* kind : {"raw", "registered", "mhr"}) {
        result[kind] = totals_of(kind, bench.rows, offsets);
    }
    if (!bench.people.empty()) {
        result["men"] = people_totals(bench.people, false);
        result["women"] = people_totals(bench.people, true);
    }
    result["made"] = bench.made;
    result["cpu_s"] = bench.cpu_s;
    for (const auto& [stage, seconds] : bench.stages) {
        result["stage_seconds"][stage] = seconds;
    }
    result["stages_cpu_s"] = bench.stages_cpu_s;
}

}  // namespace sinew::cli
