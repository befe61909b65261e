#include "sinew/fit/registration_measures.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

// How well a skin lies on a scan, both ways, and how much of the person the scan has shown: per
// vertex, per region, and in one word. Hands and feet may be missing from a scan, trunk, head and
// limbs may not.

namespace sinew {
namespace {

constexpr double kSees = 0.01;  // m: a vertex farther from the scan has not seen it
constexpr double kShown = 0.4;  // confidence below which a region was not scanned
constexpr double kLies = 0.02;  // m: points of the scan farther from the skin are not explained

// The part of the body that a segment belongs to.
std::string region_of(const std::string& segment) {
    const auto has = [&](const char* word) { return segment.find(word) != std::string::npos; };
    const std::string side = segment.size() > 2 && segment[segment.size() - 2] == '_'
                                 ? segment.substr(segment.size() - 2)
                                 : "";
    if (has("finger") || has("thumb") || has("metacarpal") || has("capitate") || has("hand") ||
        has("trapez") || has("hamate") || has("scaphoid") || has("lunate") || has("triquetral")) {
        return "hand" + side;
    }
    if (has("toe") || has("metatarsal") || has("calcaneus") || has("talus") || has("cuneiform") ||
        has("cuboid") || has("navicular") || has("foot")) {
        return "foot" + side;
    }
    if (has("humerus")) {
        return "upper_arm" + side;
    }
    if (has("ulna") || has("radius")) {
        return "forearm" + side;
    }
    if (has("femur")) {
        return "thigh" + side;
    }
    if (has("tibia") || has("fibula") || has("patella")) {
        return "shank" + side;
    }
    if (has("skull") || has("mandible") || has("vertebra_c")) {
        return "head";
    }
    return "trunk";
}

}  // namespace

DistanceMeasures measures_of(std::vector<double> distances) {
    DistanceMeasures result;
    if (distances.empty()) {
        return result;
    }
    for (const double d : distances) {
        result.mean += d;
        result.rms += d * d;
        result.max = std::max(result.max, d);
    }
    const auto n = static_cast<double>(distances.size());
    result.mean /= n;
    result.rms = std::sqrt(result.rms / n);
    const std::size_t at95 = std::min(distances.size() - 1, distances.size() * 95 / 100);
    std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(at95),
                     distances.end());
    result.p95 = distances[at95];
    return result;
}

void measure_fit(const Points& x, const PoseRig& rig, const ScanIndex& index, const Scan& scan,
                 const Body& body, RegisteredSkin& result) {
    const Triangles& triangles = rig.rest().triangles;
    const Points normals = vertex_normals(x, triangles);
    const std::vector<ScanMatch> seen = index.matches(x, normals, 0.05, 1.05);
    const Eigen::VectorXd areas = triangle_areas(x, triangles);
    std::vector<double> area(seen.size(), 0.0);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            area[at(triangles(t, k))] += areas[t] / 3.0;
        }
    }
    RegistrationReport& report = result.report;
    std::vector<double> forward;
    result.confidence.assign(seen.size(), 0.0);
    double total = 0.0;
    double seen_area = 0.0;
    std::vector<std::string> region_of_group(body.skeleton.segments.size() + 1, "trunk");
    for (std::size_t s = 0; s < body.skeleton.segments.size(); ++s) {
        region_of_group[at(rig.group_of_segment(static_cast<Index>(s)))] =
            region_of(body.skeleton.segments[s].name);
    }
    std::map<std::string, std::pair<double, double>> regions;
    for (std::size_t v = 0; v < seen.size(); ++v) {
        if (seen[v].is_valid) {
            forward.push_back(seen[v].distance);
            // 1 on the scan, a half at 5 mm, 0 where nothing is near.
            const double q = seen[v].distance / 0.005;
            result.confidence[v] = seen[v].distance < kSees ? 1.0 / (1.0 + q * q) : 0.0;
        }
        total += area[v];
        seen_area += seen[v].is_valid && seen[v].distance < kSees ? area[v] : 0.0;
        const auto heaviest = std::max_element(
            rig.weights()[v].begin(), rig.weights()[v].end(),
            [](const PoseRig::Weight& a, const PoseRig::Weight& b) { return a.value < b.value; });
        auto& [sum, all] = regions[region_of_group[at(heaviest->group)]];
        sum += area[v] * result.confidence[v];
        all += area[v];
    }
    report.skin_to_scan = measures_of(std::move(forward));
    const std::vector<double> nearest = index.distances(x, 0.05);
    for (std::size_t v = 0; v < nearest.size(); ++v) {
        const double d = seen[v].is_valid ? seen[v].distance : nearest[v];
        result.distance_mm.push_back(1e3 * std::min(d, 0.05));
    }
    report.seen = total > 0.0 ? seen_area / total : 0.0;
    const SurfaceTree tree(x, triangles);
    std::vector<double> back;
    double explained = 0.0;
    for (const ClosestPoint& c : tree.closest_points(scan.points)) {
        back.push_back(c.distance);
        explained += c.distance < kLies ? 1.0 : 0.0;
    }
    explained /= static_cast<double>(back.size());
    report.scan_to_skin = measures_of(std::move(back));
    for (const auto& [name, sums] : regions) {
        report.confidence.emplace_back(name, sums.second > 0.0 ? sums.first / sums.second : 0.0);
    }
    report.explained = explained;
    // Hands and feet may be missing, the rest of a person may not.
    std::string missing;
    for (const auto& [name, value] : report.confidence) {
        const bool is_small = name.starts_with("hand") || name.starts_with("foot");
        if (!is_small && value < kShown) {
            missing += (missing.empty() ? "" : ", ") + name;
        }
    }
    if (!missing.empty()) {
        report.remarks.push_back("the scan hardly shows: " + missing);
    }
    report.is_trusted = explained > 0.95 && report.seen > 0.6 && missing.empty();
    if (explained <= 0.95) {
        report.remarks.push_back(fmt::format(
            "{:.0f} % of the scan lie more than 20 mm off the skin", 100.0 * (1.0 - explained)));
    }
    if (report.seen <= 0.85) {
        report.remarks.push_back(
            fmt::format("{:.0f} % of the skin were not seen", 100.0 * (1.0 - report.seen)));
    }
}

}  // namespace sinew
