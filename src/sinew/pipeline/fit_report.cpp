#include "sinew/pipeline/fit_report.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/fit/body_fat_percentiles.h"
#include "sinew/render/body_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// A fitted scan to look at and to read.

namespace sinew {

namespace {

constexpr int kPictureWidth = 420;
constexpr int kPictureHeight = 620;
constexpr double kFarMm = 3.0;             // of the distance map's colours
constexpr Eigen::Index kMostDots = 20000;  // of a cloud of points

// The scan in the frame of the fitted skin.
Scene scan_scene(const FitJob& job, const FittedScan& fitted) {
    Scan scan = read_scan(job.scan);
    const ScanPlacement& placement = fitted.skin.report.placement;
    for (Eigen::Index i = 0; i < scan.points.rows(); ++i) {
        scan.points.row(i) = placement(point(scan.points, i)).transpose();
    }
    Scene scene;
    if (scan.triangles.rows() > 0) {
        scene.surfaces.push_back({.name = "scan",
                                  .kind = "other",
                                  .mesh = {.points = scan.points, .triangles = scan.triangles},
                                  .colour = colour_from_hex(0x9fb0bf)});
        return scene;
    }
    SceneDots dots{.name = "scan", .kind = "other", .radius = 0.003};
    const Eigen::Index step = std::max<Eigen::Index>(1, scan.points.rows() / kMostDots);
    for (Eigen::Index i = 0; i < scan.points.rows(); i += step) {
        dots.points.push_back(point(scan.points, i));
    }
    scene.dots.push_back(std::move(dots));
    return scene;
}

Camera camera_for(const Points& points) {
    std::vector<Vec3> seen;
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        seen.push_back(point(points, i));
    }
    return fit_camera(seen, angles_of(View::Front), 14.0 * kDegree,
                      static_cast<double>(kPictureWidth) / kPictureHeight, 0.03);
}

ReportTable masses_of(const FitSummary& s) {
    ReportTable table{.title = "Masses"};
    if (!s.mass || !s.fat || !s.muscle) {
        return table;
    }
    const double share = *s.fat / *s.mass;
    table.lines = {
        {"mass", fmt::format("{:.1f} kg", *s.mass)},
        {"body mass index", fmt::format("{:.1f} kg/m²", *s.mass / s.stature / s.stature)},
        {"fat", fmt::format("{:.1f} kg ({:.1f} %)", *s.fat, 100.0 * share)},
        {"muscle with tendons",
         fmt::format("{:.1f} kg ({:.1f} %)", *s.muscle, 100.0 * *s.muscle / *s.mass)}};
    if (s.sex == "male" || s.sex == "female") {
        const Sex sex = s.sex == "female" ? Sex::Female : Sex::Male;
        const double percentile = kyle_percentile(sex, share);
        const std::string text = percentile <= kPercentiles.front() ? "below 5"
                                 : percentile >= kPercentiles.back()
                                     ? "above 95"
                                     : fmt::format("{:.0f}", percentile);
        table.lines.push_back({"percentile of body fat (Kyle 2001)", text});
        table.lines.push_back(
            {"median of that table", fmt::format("{:.1f} %", 100.0 * kyle_body_fat(sex)[3])});
    }
    return table;
}

ReportTable witnesses_of(const FitSummary& s) {
    ReportTable table{.title = "Published formulas"};
    for (const auto& [name, value] : s.witnesses) {
        if (name == "navy_body_fat") {
            table.lines.push_back({"body fat by girths (Hodgdon 1984, Siri 1961)",
                                   fmt::format("{:.1f} %", 100.0 * value)});
        } else if (name == "lee_muscle_kg") {
            table.lines.push_back({"skeletal muscle by girths without fat (Lee 2000)",
                                   fmt::format("{:.1f} kg", value)});
        } else {
            table.lines.push_back({name, fmt::format("{:.3f}", value)});
        }
    }
    return table;
}

ReportTable lengths_of(std::string title,
                       const std::vector<std::pair<std::string, double>>& lengths) {
    ReportTable table{.title = std::move(title)};
    for (const auto& [name, value] : lengths) {
        std::string words = name;
        std::replace(words.begin(), words.end(), '_', ' ');
        table.lines.push_back({words, fmt::format("{:.1f} cm", 100.0 * value)});
    }
    return table;
}

}  // namespace

std::vector<SheetPicture> fit_pictures(const FitJob& job, const FittedScan& fitted,
                                       const Progress& progress) {
    RenderOptions options;
    options.width = kPictureWidth;
    options.height = kPictureHeight;
    options.backdrop = Backdrop::White;
    options.camera = camera_for(fitted.skin.posed);
    std::vector<SheetPicture> pictures;
    const auto add = [&](const Scene& scene, std::string caption) {
        pictures.push_back(
            {.image = render(scene, options, progress), .caption = std::move(caption)});
    };
    add(scan_scene(job, fitted), "scan");
    const std::vector<MeshPart> skin = {skin_part(fitted)};
    Scene plain = scene_from_parts(skin);
    add(plain, "skin on the scan");
    plain.scalar = ScalarMap{
        .attribute = "distance_mm", .low = 0.0, .high = kFarMm, .title = "distance", .unit = "mm"};
    add(plain, "distance from the scan");
    if (fitted.person) {
        const Body& person = fitted.person->body;
        options.camera = camera_for(person.skin.mesh.points);
        for (const BodyPanel& panel : body_panels(person)) {
            if (panel.caption == "muscles and bones" || panel.caption == "skeleton" ||
                panel.caption == "tissues, cut open") {
                add(panel.scene, panel.caption);
            }
        }
    }
    return pictures;
}

std::vector<ReportTable> fit_tables(const FitSummary& s) {
    std::vector<ReportTable> tables;
    tables.push_back({.title = "Person",
                      .lines = {{"sex", s.sex},
                                {"stature", fmt::format("{:.3f} m", s.stature)},
                                {"volume", fmt::format("{:.1f} l", s.volume)},
                                {"trusted", s.is_trusted ? "yes" : "no"}}});
    tables.push_back(masses_of(s));
    tables.push_back(witnesses_of(s));
    tables.push_back(
        {.title = "Distance",
         .lines = {{"skin to scan, mean", fmt::format("{:.2f} mm", s.distance.mean)},
                   {"95 % stay below", fmt::format("{:.2f} mm", s.distance.p95)},
                   {"scan to skin, mean", fmt::format("{:.2f} mm", s.scan_distance.mean)},
                   {"skin that sees the scan", fmt::format("{:.0f} %", 100.0 * s.seen)}}});
    if (s.inverted_tets && s.crossings) {
        tables.back().lines.push_back({"inverted tetrahedra", fmt::format("{}", *s.inverted_tets)});
        tables.back().lines.push_back({"layers that cross", fmt::format("{}", *s.crossings)});
    }
    tables.push_back(lengths_of("Girths", s.girths));
    tables.push_back(lengths_of("Bones, between joints", s.bone_lengths));
    ReportTable confidence{.title = "Confidence"};
    for (const auto& [name, value] : s.confidence) {
        confidence.lines.push_back({name, fmt::format("{:.2f}", value)});
    }
    tables.push_back(std::move(confidence));
    std::erase_if(tables, [](const ReportTable& table) { return table.lines.empty(); });
    return tables;
}

ReportPage fit_report_page(const FitSummary& s, std::vector<SheetPicture> pictures) {
    return {.title = std::filesystem::path(s.input).filename().string(),
            .pictures = std::move(pictures),
            .tables = fit_tables(s),
            .notes = s.notes};
}

void write_fit_report(const std::filesystem::path& path, const FitJob& job,
                      const FittedScan& fitted, const FitSummary& summary,
                      const Progress& progress) {
    write_report(path, fit_report_page(summary, fit_pictures(job, fitted, progress)));
}

}  // namespace sinew
