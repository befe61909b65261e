#include "cli/verbs/bench_trials.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

#include "bench/trial_bench.h"
#include "bench/trial_doctor.h"
#include "bench/trial_mujoco.h"

namespace sinew::cli {

namespace {

nlohmann::ordered_json named_json(const bench::TrialBench::Named& values) {
    auto out = nlohmann::ordered_json::object();
    for (const auto& [name, value] : values) {
        out[name] = value;
    }
    return out;
}

// Faults planted in models and found as errors, and what healthy models are accused of.
nlohmann::ordered_json doctor_json(const bench::DoctorTrial& trial) {
    auto models = nlohmann::ordered_json::array();
    for (const bench::DoctorRow& row : trial.rows) {
        models.push_back({{"model", row.model},
                          {"errors", row.errors},
                          {"remarks", row.remarks},
                          {"planted", row.planted},
                          {"found", row.found},
                          {"missed", row.missed}});
    }
    return {{"found", trial.found_share()},
            {"false_errors", trial.false_share()},
            {"models", std::move(models)},
            {"unread", trial.unread}};
}

// How many muscles have something that MJCF has no word for.
nlohmann::ordered_json lacking(const MujocoCheck& check) {
    auto out = nlohmann::ordered_json::object();
    for (const MujocoCheck::Muscle& muscle : check.muscles) {
        if (!muscle.lacks.empty()) {
            out[muscle.lacks] = out.value(muscle.lacks, 0) + 1;
        }
    }
    return out;
}

nlohmann::ordered_json mujoco_json(const std::vector<bench::MujocoRow>& rows) {
    auto models = nlohmann::ordered_json::array();
    for (const bench::MujocoRow& row : rows) {
        const std::string refused = row.refused.empty() ? row.check.refusal : row.refused;
        models.push_back({{"model", row.model},
                          {"is_written", row.is_written},
                          {"refused", refused},
                          {"poses", row.check.poses},
                          {"length_rms_m", row.check.length_rms},
                          {"length_most_m", row.check.length_most},
                          {"fraction_over_1mm", row.check.share_over_1mm},
                          {"muscles", row.check.muscles.size()},
                          {"expressible", row.check.expressible},
                          {"expressible_most_m", row.check.expressible_most},
                          {"expressible_over_1mm", row.check.expressible_over_1mm},
                          {"cannot_express", lacking(row.check)},
                          {"force_rms", row.check.force_rms},
                          {"ran_s", row.check.ran}});
    }
    return models;
}

}  // namespace

void bench_trials(const std::string& data, const Context& context, nlohmann::ordered_json& result) {
    std::filesystem::path folder = data;
    if (data.empty()) {
        const char* shared = std::getenv("SINEW_SHARED");
        folder =
            std::filesystem::path(shared != nullptr ? shared : "../shared") / "musculoskeletal";
    }
    const bench::TrialBench b = bench::run_trial_bench(folder, context.progress);
    result = {{"bench", "trials"},
              {"moment_error", named_json(b.moment_error)},
              {"estimated_moment_error", named_json(b.estimated_moment_error)},
              {"estimated_force_error", b.estimated_force_error},
              {"residual_share", named_json(b.residual_share)},
              {"ik_rms_m", b.ik_rms_m},
              {"reference_rms_m", b.reference_rms_m},
              {"coordinate_error", named_json(b.coordinate_error)},
              {"ik_frames_per_s", b.ik_frames_per_s},
              {"gait2392_frames_per_s", b.gait2392_frames_per_s},
              {"gait2392_ik_rms_m", b.gait2392_ik_rms_m},
              {"optimisation_frames_per_s", b.optimisation_frames_per_s},
              {"gait2392_optimisation_frames_per_s", b.gait2392_optimisation_frames_per_s},
              {"peak_of_stance", named_json(b.peak_of_stance)},
              {"doctor", doctor_json(bench::run_doctor_trial(folder, 6, context.progress))},
              {"mujoco", mujoco_json(bench::run_mujoco_trial(folder, {}, context.progress))}};
    if (context.tells()) {
        for (const auto& [key, value] : result.items()) {
            fmt::print("{:<36} {}\n", key, value.dump());
        }
    }
}

}  // namespace sinew::cli
