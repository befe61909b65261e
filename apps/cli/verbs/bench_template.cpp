#include "cli/verbs/bench_template.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "bench/template_bench.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

Json quality_json(const BodyQuality& q) {
    constexpr double kDegrees = 57.29577951308232;
    return {{"inverted_tets", q.inverted},
            {"smallest_dihedral_deg", kDegrees * q.smallest_dihedral},
            {"largest_dihedral_deg", kDegrees * q.largest_dihedral},
            {"largest_radius_edge", q.largest_radius_edge},
            {"mean_radius_edge", q.mean_radius_edge},
            {"skin_genus", q.skin_genus},
            {"intersections", q.skin_intersections},
            {"envelope_inside_skin", q.is_envelope_inside},
            {"enclosed_within_1mm", q.enclosed},
            {"enclosed", q.enclosed_exactly},
            {"least_fat_mm", 1e3 * q.least_fat},
            {"median_fat_mm", 1e3 * q.median_fat},
            {"muscle_volume_error_median", q.median_volume_error},
            {"muscle_volume_error_worst", q.worst_volume_error}};
}

Json atlas_json(const bench::FigureAgainstAtlas& a) {
    Json joints = Json::array();
    double worst = 0.0;
    for (const bench::JointAgainstAtlas& joint : a.joints) {
        joints.push_back({{"name", joint.name},
                          {"method", joint.method},
                          {"centre", {joint.centre.x(), joint.centre.y(), joint.centre.z()}},
                          {"distance_mm", 1e3 * joint.distance}});
        worst = std::max(worst, joint.distance);
    }
    return {{"muscles", a.volumes.muscles},
            {"muscle_volume_error_median", a.volumes.median_error},
            {"muscles_over_5ml_within_10_percent", a.volumes.within_tenth},
            {"muscle_volume_ratio", a.volumes.muscle_ratio},
            {"bone_volume_ratio", a.volumes.bone_ratio},
            {"skull_volume_ratio", a.volumes.skull_ratio},
            {"body_volume_ratio", a.skin.volume_ratio},
            {"skin_distance_mean_mm", 1e3 * a.skin.mean},
            {"skin_distance_95_mm", 1e3 * a.skin.most},
            {"joint_centre_worst_mm", 1e3 * worst},
            {"joints", std::move(joints)}};
}

}  // namespace

void bench_template(bool is_short, const Context& context, Json& result) {
    result = {{"bench", "template"}};
    for (const bench::BuiltBody& b :
         bench::run_template_bench({.with_standard = !is_short}, context.progress)) {
        Json body = {{"seconds", b.seconds},
                     {"cached_seconds", b.cached_seconds},
                     {"memory_mb", b.memory_mb},
                     {"vertices", b.vertices},
                     {"tets", b.tets},
                     {"skin_vertices", b.skin_vertices},
                     {"mass_kg", b.mass},
                     {"body_fat", b.body_fat},
                     {"closed_parts", b.closed_parts},
                     {"aligned_muscles", b.aligned_muscles},
                     {"aligned_end_to_end", b.aligned_end_to_end}};
        for (const bench::FibreCourse& course : b.fibres) {
            if (std::max(course.stroke_angle, course.end_to_end_angle) > 25.0) {
                body["muscles_off_by_25_deg"][course.muscle] = {
                    {"strokes", course.stroke_angle}, {"end_to_end", course.end_to_end_angle}};
            }
        }
        body.update(quality_json(b.quality));
        for (const SegmentShare& s : b.segments) {
            body["segment_mass_shares"][s.name] = {{"share", s.share}, {"deleva1996", s.published}};
        }
        result[b.resolution] = std::move(body);
    }
    if (const auto against = bench::compare_with_shared_atlas(context.progress)) {
        result["figure_against_atlas"] = atlas_json(*against);
    }
}

}  // namespace sinew::cli
