#include "bench/fit_bench.h"

#include "sinew/base/error.h"
#include "sinew/body/girths.h"
#include "sinew/fit/registration.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/shape_space_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <numbers>

namespace sinew::bench {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

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

Scan scan_from(const fs::path& path) {
    const TriangleMesh mesh = read_surface(path).at(0).mesh;
    Scan scan;
    scan.points = mesh.points;
    scan.triangles = mesh.triangles;
    return scan;
}

struct Templates {
    const Body& man;
    const Body& woman;
    ShapeSpace men = built_in_shape_space(Sex::Male);
    ShapeSpace women = built_in_shape_space(Sex::Female);
};

struct Registered {
    FitBenchRow row;
    RegisteredSkin skin;
    const Body* body = nullptr;
};

Registered registered_scan(const Templates& t, bool is_woman, const Scan& scan,
                           const std::string& name, const Progress& progress) {
    Registered result{.row = {.name = name}, .skin = {}, .body = is_woman ? &t.woman : &t.man};
    const std::clock_t start = std::clock();
    try {
        result.skin =
            register_scan(*result.body, scan, {.shapes = is_woman ? &t.women : &t.men}, progress);
        if (!result.skin.report.is_trusted) {
            result.row.error = "not trusted";
        }
    } catch (const InputError& error) {
        result.row.error = error.what();
        return result;
    }
    result.row.cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    result.row.mean_mm = 1e3 * result.skin.report.skin_to_scan.mean;
    result.row.p95_mm = 1e3 * result.skin.report.skin_to_scan.p95;
    return result;
}

// Chest at the nipples, waist at the navel, hips where they are widest below it: the definitions
// of the folder's README.
std::map<std::string, double> trunk_girths(const Registered& r) {
    std::map<std::string, Vec3> at_name;
    for (const Landmark& landmark : r.skin.landmarks) {
        at_name[landmark.name] = landmark.position;
    }
    const Triangles& triangles = r.body->skin.mesh.triangles;
    const auto girth = [&](double height) {
        Vec3 centre = 0.5 * (at_name["asis_L"] + at_name["asis_R"]);
        centre.z() -= 0.05;
        centre.y() = height;
        return tape_girth(r.skin.posed, triangles, centre, Vec3::UnitY());
    };
    std::map<std::string, double> result;
    result["chest"] = girth(0.5 * (at_name["nipple_L"].y() + at_name["nipple_R"].y()));
    const double navel = at_name["navel"].y();
    result["waist_navel"] = girth(navel);
    for (double below = 0.08; below < 0.20; below += 0.01) {
        result["hip"] = std::max(result["hip"], girth(navel - below));
    }
    return result;
}

FitBenchRow raw_row(const Templates& t, const FitBenchOptions& options, const Json& entry,
                    const Json& truth, const Json& named, const Progress& progress) {
    const std::string file = entry.at("file");
    const std::string name = fs::path(file).stem().string();
    Scan scan = scan_from(options.data / "raw" / file);
    if (options.with_landmarks) {
        for (const auto& [key, p] : named.at(name).items()) {
            scan.landmarks.push_back({key, Vec3(p[0], p[1], p[2])});
        }
    }
    Registered r = registered_scan(t, entry.at("sex") == "female", scan, name, progress);
    if (!r.row.error.empty()) {
        return r.row;
    }
    // Noise is normal: the mean of its size is sqrt(2 / pi) of its root mean square.
    const double rms = truth.at(name).at("scan_to_surface_mm").at("rms");
    r.row.noise_ratio =
        1e3 * r.skin.report.scan_to_skin.mean / (rms * std::sqrt(2.0 / std::numbers::pi));
    for (const Landmark& landmark : r.skin.landmarks) {
        const Json& p = named.at(name).at(landmark.name);
        r.row.landmark_mm += 1e3 * (landmark.position - Vec3(p[0], p[1], p[2])).norm() /
                             static_cast<double>(r.skin.landmarks.size());
    }
    const double litres = truth.at(name).at("volume_l");
    r.row.volume_error =
        1e3 * enclosed_volume(r.skin.posed, r.body->skin.mesh.triangles) / litres - 1.0;
    for (const auto& [girth, value] : trunk_girths(r)) {
        const double real = truth.at(name).at("girths_m").at(girth);
        r.row.girth_errors.emplace_back(girth, value / real - 1.0);
    }
    return r.row;
}

}  // namespace

std::vector<FitBenchRow> run_fit_bench(const Body& man, const Body& woman,
                                       const FitBenchOptions& options, const Progress& progress) {
    const Templates templates{man, woman};
    std::vector<FitBenchRow> rows;
    const Json raw = json_of(options.data / "raw" / "index.json");
    const Json truth = json_of(options.data / "raw" / "truth.json");
    const Json named = json_of(options.data / "raw" / "landmarks.json");
    for (const Json& entry : raw.at("scans")) {
        if (static_cast<int>(rows.size()) < options.raw) {
            rows.push_back(
                raw_row(templates, options, entry, truth.at("scans"), named.at("scans"), progress));
        }
    }
    const Json bodies = json_of(options.data / "registered" / "index.json");
    int count = 0;
    for (const Json& entry : bodies.at("bodies")) {
        if (count++ >= options.registered) {
            break;
        }
        const std::string file = entry.at("file");
        const Scan scan = scan_from(options.data / "registered" / file);
        Registered r = registered_scan(templates, entry.at("sex") == "female", scan,
                                       fs::path(file).stem().string(), progress);
        if (r.row.error.empty()) {
            r.row.volume_error = 1e3 * enclosed_volume(r.skin.posed, r.body->skin.mesh.triangles) /
                                     entry.at("volume_l").get<double>() -
                                 1.0;
        }
        rows.push_back(std::move(r.row));
    }
    for (const char* file : {"template", "kneeling", "arms_up"}) {
        if (options.with_mhr) {
            const Scan scan = scan_from(options.data / "mhr" / fmt::format("{}.ply", file));
            rows.push_back(
                registered_scan(templates, false, scan, fmt::format("mhr_{}", file), progress).row);
        }
    }
    return rows;
}

}  // namespace sinew::bench
