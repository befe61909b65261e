#include "cli/verbs/bench_retarget.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

#include "bench/retarget_bench.h"

namespace sinew::cli {

namespace {

nlohmann::ordered_json exam_rows(const std::vector<bench::ExamBench>& exams) {
    auto out = nlohmann::ordered_json::array();
    for (const bench::ExamBench& e : exams) {
        out.push_back({{"model", e.model},
                       {"asked", e.asked},
                       {"met", e.met},
                       {"worst_deg", e.worst_deg},
                       {"seconds", e.seconds},
                       {"unmet", e.unmet}});
    }
    return out;
}

nlohmann::ordered_json skill_rows(const std::vector<bench::RetargetBench::SkillRow>& skills) {
    auto out = nlohmann::ordered_json::array();
    for (const bench::RetargetBench::SkillRow& s : skills) {
        out.push_back({{"character", s.character},
                       {"name", s.name},
                       {"met_reference", s.reference},
                       {"met_naive", s.naive},
                       {"met", s.retargeted}});
    }
    return out;
}

nlohmann::ordered_json spread_json(const bench::XrayBench::Spread& s, double unit) {
    return {{"mean", unit * s.mean}, {"percentile_95", unit * s.most}, {"worst", unit * s.worst}};
}

nlohmann::ordered_json other_rows(const std::vector<bench::OtherBodyBench>& others) {
    auto out = nlohmann::ordered_json::array();
    for (const bench::OtherBodyBench& o : others) {
        out.push_back({{"name", o.name},
                       {"muscles", o.muscles},
                       {"routed", o.routed},
                       {"seconds", o.seconds},
                       {"length_curve_correlation_naive",
                        {o.correlation_median_naive, o.correlation_low_naive}},
                       {"length_curve_correlation", {o.correlation_median, o.correlation_low}},
                       {"range_error_naive", o.range_naive},
                       {"range_error", o.range},
                       {"peak_torque_deg_naive", o.peak_naive_deg},
                       {"peak_torque_deg", o.peak_deg}});
    }
    return out;
}

}  // namespace

void bench_retarget(const std::string& data, bool is_short, const Context& context,
                    nlohmann::ordered_json& result) {
    std::filesystem::path folder = data;
    if (data.empty()) {
        const char* shared = std::getenv("SINEW_SHARED");
        folder =
            std::filesystem::path(shared != nullptr ? shared : "../shared") / "musculoskeletal";
    }
    const bench::RetargetBench b = bench::run_retarget_bench(folder, is_short, context.progress);
    auto characters = nlohmann::ordered_json::array();
    for (const bench::RetargetBench::Character& c : b.characters) {
        characters.push_back({{"name", c.name},
                              {"seconds", c.seconds},
                              {"length_curve_correlation_naive", c.correlation_naive},
                              {"length_curve_correlation", c.correlation},
                              {"range_error_naive", c.range_naive},
                              {"range_error", c.range},
                              {"peak_torque_deg_naive", c.peak_naive_deg},
                              {"peak_torque_deg", c.peak_deg},
                              {"farthest_waypoint_m", c.farthest_waypoint},
                              {"farthest_over_length", c.farthest_over_length},
                              {"farthest_muscle", c.farthest_muscle},
                              {"bone_depth_naive", c.bone_depth_naive},
                              {"bone_depth", c.bone_depth},
                              {"bone_inside_naive", c.bone_inside_naive},
                              {"bone_inside", c.bone_inside},
                              {"doctor_errors", c.doctor_errors}});
    }
    auto disorders = nlohmann::ordered_json::array();
    for (const bench::RetargetBench::Disorder& d : b.disorders) {
        disorders.push_back({{"muscle", d.muscle},
                             {"limb_length", d.limb_length},
                             {"naive", d.naive},
                             {"retargeted", d.retargeted}});
    }
    auto hips = nlohmann::ordered_json::array();
    for (const bench::RetargetBench::Hip& hip : b.hips) {
        hips.push_back({{"elongation", hip.elongation},
                        {"torsion_deg", hip.torsion_deg},
                        {"rom_error_naive", hip.naive},
                        {"rom_error", hip.retargeted},
                        {"rom_error_blended", hip.blended}});
    }
    result = {{"bench", "retarget"},
              {"muscles", b.muscles},
              {"poses", b.poses},
              {"seconds_worst_character", b.seconds_worst_character},
              {"length_curve_correlation", b.correlation},
              {"peak_torque_deg", b.peak_torque_deg},
              {"finite_difference_speedup", b.finite_difference_speedup},
              {"finite_difference_muscles", b.finite_difference_muscles},
              {"skills", skill_rows(b.skills)},
              {"examinations", exam_rows(b.exams)},
              {"xray",
               {{"noise_mm", 1.0},
                {"trials", b.xray.people * b.xray.noises},
                {"bone_error", spread_json(b.xray.bone, 1.0)},
                {"joint_mm", spread_json(b.xray.joint, 1e3)}}},
              {"validity",
               {{"joint", b.validity.joint},
                {"muscles", b.validity.muscles},
                {"valid_fraction", b.validity.valid_fraction},
                {"poses_per_second", b.validity.poses_per_second},
                {"general_poses_per_second", b.validity.general_poses_per_second}}},
              {"bone_depth_reference", b.bone_depth_reference},
              {"bone_inside_reference", b.bone_inside_reference},
              {"doctor_errors_reference", b.doctor_errors_reference},
              {"characters", std::move(characters)}};
    if (!is_short) {
        result["rom_error_naive"] = b.rom_error_naive;
        result["rom_error"] = b.rom_error;
        result["rom_error_blended"] = b.rom_error_blended;
        result["rom_error_parting"] = b.rom_error_parting;
        result["rom_edit_error"] = b.rom_edit_error;
        result["rom_edit_error_blended"] = b.rom_edit_error_blended;
        result["hip_valid_fraction"] = b.hip_valid_fraction;
        result["hip_valid_fraction_blended"] = b.hip_valid_fraction_blended;
        result["other_bodies"] = other_rows(b.others);
        result["hips"] = std::move(hips);
        result["functional_disorders"] = std::move(disorders);
    }
}

}  // namespace sinew::cli
