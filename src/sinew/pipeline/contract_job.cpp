#include "sinew/pipeline/contract_job.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/settings_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The job of `sinew contract`, between its file and what runs: which settings go together, and what
// is reported of each kind of run.

namespace sinew {

namespace {

constexpr double kMostContractFrames = 1e5;

[[noreturn]] void refuse_contract(const FieldPlace& place, std::string found, std::string needs) {
    throw InputError({.where = place.text(),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "see docs/muscle.md"});
}

bool is_table(const std::string& text) {
    return text.ends_with(".sto") || text.ends_with(".mot");
}

KeyFrames keys_of(const std::vector<ContractSettings::Key>& keys, const FieldPlace& place) {
    KeyFrames frames;
    MotionTable& table = frames.coordinates;
    for (std::size_t k = 0; k < keys.size(); ++k) {
        const FieldPlace here = place.item(k);
        if (k == 0) {
            for (const auto& [name, angle] : keys[k].pose) {
                table.columns.push_back(name);
            }
        } else if (keys[k].time <= keys[k - 1].time) {
            refuse_contract(here, "a time that is not later than the last", "rising times");
        }
        if (keys[k].pose.size() != table.columns.size()) {
            refuse_contract(here, "other coordinates than in the first key",
                            "the same in every key");
        }
        table.times.push_back(keys[k].time);
        for (const std::string& name : table.columns) {
            const auto found = std::find_if(keys[k].pose.begin(), keys[k].pose.end(),
                                            [&](const auto& entry) { return entry.first == name; });
            if (found == keys[k].pose.end()) {
                refuse_contract(here, fmt::format("no coordinate '{}'", name),
                                "the same coordinates in every key");
            }
            table.values.push_back(found->second * kDegree);
        }
    }
    return frames;
}

void require_fitting(const ContractSettings& s, const FieldPlace& place) {
    if (!s.body.empty() && s.muscles.empty()) {
        refuse_contract(place, "no muscles",
                        "muscles or groups of the body, as in --muscles biceps,triceps");
    }
    if (!s.body.empty() && !s.curves.empty()) {
        refuse_contract(place.field("curves"), "curves of a body",
                        "a scene without a body: the bench");
    }
    if (s.body.empty() && (!s.muscles.empty() || !s.keys.empty() || s.is_whole_body)) {
        refuse_contract(place, "muscles, keys or the whole body, but no body",
                        "a body (.sinew) that has them");
    }
}

/// Options that differ from their defaults and would do nothing in this kind of contraction.
void require_useful(const ContractSettings& s, const FieldPlace& place) {
    const ContractSettings plain;
    const bool is_ramp_at_rest =
        s.is_static && s.keys.empty() &&
        !(s.activation && std::holds_alternative<std::string>(*s.activation) &&
          is_table(std::get<std::string>(*s.activation)));
    const bool is_in_time = !s.is_static && !s.is_whole_body;
    const auto refuse_if = [&](bool is_given, const char* name, const char* where_it_counts) {
        if (is_given) {
            refuse_contract(place.field(name), "an option that does nothing here", where_it_counts);
        }
    };
    refuse_if(s.static_frames != plain.static_frames && !is_ramp_at_rest, "frames",
              "--statics on a ramp of activation");
    refuse_if(s.substeps != plain.substeps && !is_in_time, "substeps", "a contraction in time");
    refuse_if(s.rate != plain.rate && (is_ramp_at_rest || s.is_whole_body), "rate",
              "a contraction in time, or statics along keys or a table");
    refuse_if(s.simulator.damping != plain.simulator.damping && !is_in_time, "damping",
              "a contraction in time");
    refuse_if(s.simulator.step_still != plain.simulator.step_still && !is_in_time, "step_still",
              "a contraction in time");
    refuse_if(s.simulator.step_iterations != plain.simulator.step_iterations && !is_in_time,
              "step_iterations", "a contraction in time");
    refuse_if(s.stretch != plain.stretch && !s.body.empty(), "stretch",
              "a scene without a body: the bench");
    refuse_if(s.is_torus && !s.body.empty(), "torus", "a scene without a body");
    refuse_if(s.is_whole_body && s.is_static, "statics", "muscles without --whole-body");
    refuse_if(s.is_whole_body && s.duration.has_value(), "duration",
              "muscles without --whole-body");
    refuse_if(s.is_whole_body && !s.keys.empty(), "keys", "muscles without --whole-body");
    refuse_if(s.is_whole_body && s.has_measures_only, "measures_only",
              "muscles without --whole-body");
    refuse_if(s.is_whole_body && s.scene.tets != plain.scene.tets, "tets",
              "muscles without --whole-body");
}

}  // namespace

ContractSettings read_contract_settings(const std::filesystem::path& path) {
    ContractSettings settings = read_job<ContractSettings>(path);
    if (auto* text =
            settings.activation ? std::get_if<std::string>(&*settings.activation) : nullptr;
        text != nullptr && is_table(*text)) {
        *text = (path.parent_path() / *text).string();
    }
    return settings;
}

ContractJob job_of(const ContractSettings& s, const std::string& where) {
    const FieldPlace place(where);
    check_ranges(s, where);
    require_fitting(s, place);
    require_useful(s, place);
    ContractJob job{.body = s.body,
                    .is_torus = s.is_torus,
                    .muscles = s.muscles,
                    .keys = keys_of(s.keys, place.field("keys")),
                    .rate = s.rate,
                    .substeps = s.substeps,
                    .is_static = s.is_static,
                    .static_frames = s.static_frames,
                    .stretch = s.stretch,
                    .curves = s.curves,
                    .scene = s.scene,
                    .simulator = s.simulator};
    if (s.activation) {
        const auto* number = std::get_if<double>(&*s.activation);
        job.activation = parse_activation(
            number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(*s.activation),
            place.field("activation").text());
    }
    if (s.is_whole_body && job.activation.kind != ActivationPlan::Kind::Constant) {
        refuse_contract(place.field("activation"), "a course of activation of the whole body",
                        "a number");
    }
    // As long as what is given in time; a body's contraction is over after half a second.
    job.duration = s.duration ? *s.duration
                   : job.activation.kind == ActivationPlan::Kind::Table
                       ? job.activation.table.times.back()
                   : !s.keys.empty() ? s.keys.back().time
                   : s.body.empty()  ? job.duration
                                     : 0.5;
    if (!(job.duration * job.rate <= kMostContractFrames)) {
        refuse_contract(place, fmt::format("{} s at {} frames per second", job.duration, job.rate),
                        "at most 100 000 frames");
    }
    return job;
}

ContractJob read_contract_job(const std::filesystem::path& path) {
    return job_of(read_contract_settings(path), path.string());
}

namespace {

ContractSummary::Muscle muscle_summary(const ContractRun& run, std::size_t m) {
    const MuscleState& last = run.frames.back().muscles[m];
    ContractSummary::Muscle muscle{.name = last.name,
                                   .activation = last.activation,
                                   .force = last.force,
                                   .peak_force = 0.0,
                                   .greatest_force = run.scene.fmax[m],
                                   .length = last.length,
                                   .fibre_stretch = last.mean_fibre_stretch,
                                   .tendon_stretch = last.mean_tendon_stretch,
                                   .section = last.belly_section,
                                   .section_at_start = run.frames.front().muscles[m].belly_section};
    for (const ContractFrame& frame : run.frames) {
        const MuscleState& s = frame.muscles[m];
        if (std::abs(s.volume_change) > std::abs(muscle.volume_change)) {
            muscle.volume_change = s.volume_change;
        }
        muscle.least_volume_ratio =
            std::min(muscle.least_volume_ratio.value_or(1.0), s.least_volume_ratio);
        muscle.peak_force = std::max(*muscle.peak_force, s.force);
        muscle.max_fibre_stress = std::max(muscle.max_fibre_stress, s.max_fibre_stress);
    }
    return muscle;
}

/// Which muscle lies in what, and where along it.
ContractSummary::Overlap overlap_summary(const ContractRun& run) {
    const MuscleOverlap& o = run.deepest;
    const MuscleScene& scene = run.scene;
    const auto name = [&](Index m) { return scene.names[at(m)]; };
    return {.muscle = name(o.muscle),
            .in = o.other >= 0 ? name(o.other) : scene.obstacles[at(o.bone)].name,
            .share_of_way = scene.volume.share[at(o.vertex)]};
}

}  // namespace

ContractSummary summary_of(const ContractRun& run) {
    ContractSummary summary{.tets = run.scene.volume.mesh.tets.rows(),
                            .frames = run.frames.size(),
                            .fill_seconds = run.seconds_fill,
                            .simulate_seconds = run.seconds_simulate,
                            .largest_volume_change = run.largest_volume_change,
                            .deepest_penetration = 1e3 * run.deepest.depth,
                            .stalled_steps = run.stalled_steps,
                            .is_finite = run.is_finite};
    for (std::size_t m = 0; m < run.scene.names.size(); ++m) {
        summary.muscles.push_back(muscle_summary(run, m));
    }
    if (run.deepest.muscle >= 0) {
        summary.deepest = overlap_summary(run);
    }
    return summary;
}

ContractSummary summary_of(const StretchCurves& curves) {
    ContractSummary summary{.rest_length = curves.rest_length,
                            .greatest_force = curves.greatest_force,
                            .length = curves.length,
                            .curves = std::vector<ContractSummary::Curve>{},
                            .unsettled = curves.unsettled};
    for (std::size_t a = 0; a < curves.activation.size(); ++a) {
        ContractSummary::Curve curve{.activation = curves.activation[a]};
        for (const MuscleState& m : curves.muscles[a]) {
            curve.force.push_back(m.force);
            curve.fibre_stretch.push_back(m.mean_fibre_stretch);
            if (std::abs(m.volume_change) > std::abs(curve.volume_change)) {
                curve.volume_change = m.volume_change;
            }
            curve.max_fibre_stress = std::max(curve.max_fibre_stress, m.max_fibre_stress);
        }
        summary.curves->push_back(std::move(curve));
    }
    return summary;
}

ContractSummary summary_of(const BodyContraction& done) {
    ContractSummary summary{.iterations = done.iterations,
                            .prepare_seconds = done.seconds_prepare,
                            .seconds_per_iteration = done.seconds_per_iteration,
                            .largest_skin_move = 1e3 * done.largest_skin_move,
                            .inverted_tets = done.inverted_tets};
    for (const BodyContraction::Muscle& m : done.muscles) {
        summary.muscles.push_back({.name = m.name,
                                   .activation = m.activation,
                                   .volume_change = m.volume_change,
                                   .force = m.force,
                                   .length = m.length,
                                   .max_fibre_stress = m.max_fibre_stress,
                                   .fibre_stretch = m.fibre_stretch});
    }
    return summary;
}

ContractSummary summary_of(const TorusRun& torus) {
    return {.tets = torus.mesh.tets.rows(),
            .frames = torus.frames.size(),
            .simulate_seconds = torus.seconds,
            .stable_step = torus.stable_step,
            .step = torus.step,
            .steps = torus.steps,
            .rebound = torus.highest_rebound};
}

}  // namespace sinew
