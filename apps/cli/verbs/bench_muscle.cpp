#include "cli/verbs/bench_muscle.h"

#include "sinew/base/units.h"
#include "sinew/body/names.h"
#include "sinew/io/archive.h"
#include "sinew/muscle/muscle_volume.h"
#include "sinew/muscle/spline_solid.h"
#include "sinew/pipeline/contract.h"

#include <nlohmann/json.hpp>

#include "bench/muscle_bench.h"

namespace sinew::cli {

namespace {

constexpr double kDegrees = 180.0 / kPi;

ContractJob arm_job(const std::string& body) {
    ContractJob job;
    job.body = body;
    job.muscles = {"biceps_brachii_long_head_l",
                   "biceps_brachii_short_head_l",
                   "brachialis_l",
                   "triceps_brachii_long_head_l",
                   "triceps_brachii_lateral_head_l",
                   "triceps_brachii_medial_head_l"};
    job.activation = parse_activation("keys", "bench");
    MotionTable& keys = job.keys.coordinates;
    keys.columns = {"elbow_l_flexion", "shoulder_l_flexion"};
    keys.times = {0.0, 0.4, 0.7, 1.0};
    for (const double degrees : {0.0, 0.0, 75.0, 30.0, 20.0, 50.0, 60.0, 20.0}) {
        keys.values.push_back(degrees / kDegrees);
    }
    return job;
}

void bench_arm(const std::string& body, const Context& context, nlohmann::ordered_json& result) {
    const ContractRun run = run_contraction(arm_job(body), context.progress);
    result["arm_tets"] = run.scene.volume.mesh.tets.rows();
    result["arm_fill_s"] = run.seconds_fill;
    result["arm_simulate_s"] = run.seconds_simulate;
    result["arm_volume_change"] = run.largest_volume_change;
    result["arm_finite"] = run.is_finite;
    result["arm_stalled_steps"] = run.stalled_steps;
    result["arm_penetration_mm"] = 1e3 * run.deepest.depth;
}

void bench_splines(const std::string& path, nlohmann::ordered_json& result) {
    const Body body = read_archive(path);
    double least = 1.0;
    double error = 0.0;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const char* name : {"biceps_brachii_short_head_l", "triceps_brachii_lateral_head_l",
                             "deltoid_acromial_part_l", "rectus_femoris_l"}) {
        std::vector<Index> found;
        try {
            found = find_muscles(body.muscles, name, "bench");
        } catch (const std::exception&) {
            continue;
        }
        const MuscleScene scene = muscle_scene_from_body(body, std::span(found).first(1),
                                                         {.tets = 4000, .has_bones = false});
        const SplineFibres spline(scene.volume);
        const InverseMapReport report = check_inverse_map(spline.solid(), scene.volume.mesh);
        const FibreDifference d = compare_fibres(fibre_directions(spline, scene.volume.mesh),
                                                 scene.volume.fibre, scene.volume.mesh);
        list.push_back({{"name", scene.names[0]},
                        {"converged", report.converged},
                        {"largest_error_mm", 1e3 * report.largest_error},
                        {"mean_difference_deg", kDegrees * d.mean},
                        {"p95_difference_deg", kDegrees * d.p95}});
        least = std::min(least, report.converged);
        error = std::max(error, report.largest_error);
    }
    result["body_splines"] = list;
    result["body_spline_converged"] = least;
    result["body_spline_error_mm"] = 1e3 * error;
}

}  // namespace

Image bench_muscles(bool is_short, const std::string& body, const Context& context,
                    nlohmann::ordered_json& result) {
    const bench::MuscleBench b = bench::run_muscle_bench(is_short, context.progress);
    result = {{"bench", "muscle"},
              {"threads", b.threads},
              {"tets", b.tets},
              {"stress_error", b.stress_error},
              {"tangent_error", b.tangent_error},
              {"uniaxial_error", b.uniaxial_error},
              {"fvm_fem_error", b.fvm_fem_error},
              {"isometric_force_n", b.isometric_force},
              {"isometric_predicted_n", b.isometric_predicted},
              {"isometric_error", b.isometric_force / b.isometric_predicted - 1.0},
              {"volume_change", b.volume_change},
              {"volume_change_plain", b.volume_change_plain},
              {"section_growth", b.section_growth},
              {"section_growth_plain", b.section_growth_plain},
              {"tendon_strain", b.tendon_strain},
              {"fibre_stretch", b.fibre_stretch},
              {"squeeze_force_plain", b.squeeze_plain},
              {"squeeze_force_patches", b.squeeze_patches},
              {"explicit_stable_step_s", b.stable_step},
              {"explicit_step_ms", b.explicit_step_ms},
              {"explicit_second_s", b.explicit_second_s},
              {"implicit_step_ms", b.implicit_step_ms},
              {"implicit_second_s", b.implicit_second_s},
              {"explicit_rest_error", b.explicit_rest_error},
              {"implicit_rest_error", b.implicit_rest_error},
              {"spline_converged", b.spline_converged},
              {"spline_error_mm", 1e3 * b.spline_error},
              {"spline_difference_deg", kDegrees * b.spline_difference.mean},
              {"torus_stable_step_s", b.torus_stable_step},
              {"torus_half_second_s", b.torus_seconds}};
    if (!body.empty()) {
        bench_splines(body, result);
        bench_arm(body, context, result);
    }
    return {};
}

}  // namespace sinew::cli
