#include "bench/fit_bench.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/file_bytes.h"
#include "sinew/pipeline/fit_scan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace sinew::bench {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// Girths and joints of the folder's README, and ours.
constexpr std::pair<const char*, const char*> kSameGirths[] = {{"chest", "chest"},
                                                               {"waist", "waist"},
                                                               {"waist_navel", "waist_navel"},
                                                               {"hip", "hips"},
                                                               {"neck", "neck"},
                                                               {"thigh_L", "thigh_l"},
                                                               {"calf_L", "calf_l"},
                                                               {"thigh_R", "thigh_r"},
                                                               {"calf_R", "calf_r"},
                                                               {"upper_arm_L", "upper_arm_l"},
                                                               {"upper_arm_R", "upper_arm_r"}};
constexpr std::pair<const char*, const char*> kSameJoints[] = {
    {"lowerleg01.L", "knee_l"}, {"lowerleg01.R", "knee_r"},  {"foot.L", "ankle_l"},
    {"foot.R", "ankle_r"},      {"lowerarm01.L", "elbow_l"}, {"lowerarm01.R", "elbow_r"},
    {"wrist.L", "wrist_l"},     {"wrist.R", "wrist_r"}};

Json json_of(const fs::path& path) {
    const Json document = Json::parse(read_file_bytes(path), nullptr, false);
    if (document.is_discarded()) {
        throw InputError({.where = path.filename().string(),
                          .found = "no JSON",
                          .needs = "the file that the folder's README describes",
                          .remedy = "give the folder with --data"});
    }
    return document;
}

struct FittedRow {
    FitBenchRow row;
    std::optional<FittedScan> fitted = {};
};

FittedRow fitted_row(FitJob job, const fs::path& scan, ScanSex sex, FitTemplates& templates,
                     const Progress& progress) {
    FittedRow result{.row = {.name = scan.stem().string()}};
    FitBenchRow& row = result.row;
    job.scan = scan.string();
    job.sex = sex;
    // Templates are made once; they are no part of a scan's time.
    const Sex own = sex == ScanSex::Female ? Sex::Female : Sex::Male;
    templates.of(own, progress);
    if (job.makes_body) {
        templates.fitter_of(own, progress);
    }
    const std::clock_t start = std::clock();
    try {
        result.fitted = fit_scan(job, templates, progress);
    } catch (const InputError& error) {
        row.error = error.what();
        return result;
    }
    row.cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const FittedScan& fitted = *result.fitted;
    row.mean_mm = 1e3 * fitted.skin.report.skin_to_scan.mean;
    row.p95_mm = 1e3 * fitted.skin.report.skin_to_scan.p95;
    for (const auto& [name, value] : fitted.witnesses) {
        if (name == "navy_body_fat") {
            row.navy_body_fat = value;
        }
    }
    if (fitted.person) {
        const PersonFitReport& person = fitted.person->report;
        row.crossings = static_cast<int>(person.crossings + person.bones_outside);
        row.inverted_tets = static_cast<int>(person.inverted_tets);
        row.body_fat = person.body_fat;
        const CompositionTargets& asked = fitted.targets;
        if (asked.fat_kg) {
            row.fat_error_kg = person.fat_kg - *asked.fat_kg;
        } else if (asked.body_fat && asked.weight_kg) {
            row.fat_error_kg = person.fat_kg - *asked.body_fat * *asked.weight_kg;
        }
        if (asked.muscle_kg) {
            row.muscle_error_kg = person.muscle_kg - *asked.muscle_kg;
        }
    }
    return result;
}

// Volume and girths of the truth, and its rig in the scan's pose.
void compare(const Json& truth, const Json& joint_order, const Json& joints, FittedRow& one) {
    if (!one.fitted) {
        return;
    }
    const FittedScan& fitted = *one.fitted;
    FitBenchRow& row = one.row;
    row.volume_error = 1e3 * fitted.volume / truth.at("volume_l").get<double>() - 1.0;
    for (const auto& [theirs, ours] : kSameGirths) {
        for (const auto& [name, value] : fitted.girths) {
            if (name == ours && truth.at("girths_m").contains(theirs)) {
                row.girth_errors.emplace_back(
                    name, value / truth.at("girths_m").at(theirs).get<double>() - 1.0);
            }
        }
    }
    for (const auto& [theirs, ours] : kSameJoints) {
        const auto place = std::find(joint_order.begin(), joint_order.end(), theirs);
        const auto joint = std::find_if(fitted.joints.begin(), fitted.joints.end(),
                                        [name = ours](const auto& j) { return j.first == name; });
        if (place != joint_order.end() && joint != fitted.joints.end()) {
            const Json& p = joints.at(static_cast<std::size_t>(place - joint_order.begin()));
            row.joint_mm.emplace_back(joint->first,
                                      1e3 * (joint->second - Vec3(p[0], p[1], p[2])).norm());
        }
    }
}

void compare_points(const Json& truth, const Json& named, FittedRow& one) {
    if (!one.fitted) {
        return;
    }
    const RegisteredSkin& skin = one.fitted->skin;
    // Noise is normal: the mean of its size is sqrt(2 / pi) of its root mean square.
    const double rms = truth.at("scan_to_surface_mm").at("rms");
    one.row.noise_ratio = 1e3 * skin.report.scan_to_skin.mean / (rms * std::sqrt(2.0 / kPi));
    for (const Landmark& landmark : skin.landmarks) {
        const Json& p = named.at(landmark.name);
        one.row.landmark_mm += 1e3 * (landmark.position - Vec3(p[0], p[1], p[2])).norm() /
                               static_cast<double>(skin.landmarks.size());
    }
}

ScanSex sex_of(const Json& entry) {
    return entry.at("sex") == "female" ? ScanSex::Female : ScanSex::Male;
}

}  // namespace

std::vector<FitBenchRow> run_fit_bench(const FitBenchOptions& options, const Progress& progress) {
    FitJob job;
    job.resolution = options.resolution;
    job.cache = options.cache;
    job.makes_body = options.with_bodies;
    FitTemplates templates(job);
    std::vector<FitBenchRow> rows;
    const Json raw = json_of(options.data / "raw" / "index.json");
    const Json truth = json_of(options.data / "raw" / "truth.json");
    const Json named = json_of(options.data / "raw" / "landmarks.json");
    for (const Json& entry : raw.at("scans")) {
        if (static_cast<int>(rows.size()) >= options.raw) {
            break;
        }
        FittedRow one = fitted_row(job, options.data / "raw" / entry.at("file").get<std::string>(),
                                   sex_of(entry), templates, progress);
        const Json& real = truth.at("scans").at(one.row.name);
        compare(real, truth.at("joint_order"), real.at("joints"), one);
        compare_points(real, named.at("scans").at(one.row.name), one);
        rows.push_back(std::move(one.row));
    }
    const Json bodies = json_of(options.data / "registered" / "index.json");
    const Json rig = json_of(options.data / "registered" / "truth_joints.json");
    int count = 0;
    for (const Json& entry : bodies.at("bodies")) {
        if (count++ >= options.registered) {
            break;
        }
        FittedRow one =
            fitted_row(job, options.data / "registered" / entry.at("file").get<std::string>(),
                       sex_of(entry), templates, progress);
        compare(entry, rig.at("joint_order"), rig.at("bodies").at(one.row.name), one);
        rows.push_back(std::move(one.row));
    }
    for (const char* file : {"template", "kneeling", "arms_up"}) {
        if (options.with_mhr) {
            rows.push_back(fitted_row(job, options.data / "mhr" / fmt::format("{}.ply", file),
                                      ScanSex::Male, templates, progress)
                               .row);
            rows.back().name = fmt::format("mhr_{}", file);
        }
    }
    return rows;
}

}  // namespace sinew::bench
