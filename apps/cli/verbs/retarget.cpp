#include "sinew/base/units.h"
#include "sinew/motion/muscle_sweep.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/retarget_job.h"
#include "sinew/pipeline/retarget_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>

#include "cli/verbs/exam_output.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/plot_file.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;
using RetargetSettings = ModelJobSettings<RetargetJob, RetargetResult>;

// Options of static trials, beside anything else, would do nothing.
void require_marker_options(const RetargetJob& job) {
    const bool has_markers = job.to.ends_with(".trc") || job.to.ends_with(".c3d");
    for (const auto& [flag, value] :
         {std::pair{"--setup", job.setup}, std::pair{"--marker-set", job.marker_set},
          std::pair{"--mass", job.mass > 0.0 ? fmt::format("{}", job.mass) : std::string{}}}) {
        if (!has_markers && !value.empty()) {
            throw bad_value("retarget", flag, value,
                            "markers of a static trial after --to (.trc, .c3d)");
        }
    }
}

RetargetJob retarget_job(const RetargetSettings& settings) {
    RetargetJob job = settings.read();
    if (job.to.empty() && job.exam.empty() && job.poses.empty()) {
        throw bad_value("retarget", "--to", "nothing",
                        "proportions (.json), or a character of data/characters; or an "
                        "examination (--exam) or poses (--poses) of the model's own body");
    }
    require_marker_options(job);
    if (job.exam.empty() && settings.flags.was_given("exam_tolerance")) {
        throw bad_value("retarget", "--exam-tolerance", fmt::format("{}", job.exam_tolerance),
                        "an examination table (--exam)");
    }
    if (job.poses.empty() && settings.flags.was_given("pose_step")) {
        throw bad_value("retarget", "--pose-step", fmt::format("{}", job.pose_step),
                        "motions to take poses of (--poses)");
    }
    const bool is_body = is_body_file(settings.model.file);
    const bool writes_body = is_body_file(job.output);
    require_ending("retarget", "--output", job.output,
                   is_body ? std::vector<std::string>{".osim", ".xml", ".sinew"}
                           : std::vector<std::string>{".osim", ".xml"});
    require_ending("retarget", "--lines", job.lines, {".osim", ".xml"});
    if (!job.lines.empty() && !writes_body) {
        throw bad_value("retarget", "--lines", job.lines,
                        "a body to write beside it (-o OUT.sinew); a model alone is -o");
    }
    require_ending("retarget", "--plot", job.plot, kPlotEndings);
    require_ending("retarget", "--skills-plot", job.skills_plot, kPlotEndings);
    if (!job.skills_plot.empty() && !job.skills) {
        throw bad_value("retarget", "--skills-plot", job.skills_plot,
                        "the skills that it draws (--skills)");
    }
    require_ending("retarget", "--report", job.report, {".html", ".png"});
    require_different("retarget", {job.output, job.lines, job.report, job.plot, job.skills_plot,
                                   settings.model.file});
    if (!job.plot.empty() && (job.muscle.empty() || job.coordinate.empty())) {
        throw bad_value("retarget", "--plot", job.plot,
                        "a muscle and a coordinate to draw (--muscle, --coordinate)");
    }
    return job;
}

std::size_t need_muscle(const MusculoskeletalModel& model, const std::string& name) {
    std::vector<std::string> names;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        if (model.muscles[m].name == name) {
            return m;
        }
        names.push_back(model.muscles[m].name);
    }
    throw InputError({.where = fmt::format("muscle '{}'", name),
                      .found = fmt::format("no such muscle{}", did_you_mean(name, names)),
                      .needs = "a muscle of the model",
                      .remedy = "list them with `sinew info MODEL --json`"});
}

// The length of one muscle over one coordinate, over its length at rest [Ryu2021, Fig. 14].
void plot_curve(const RetargetJob& job, const MusculoskeletalModel& before,
                const RetargetedMusculature& done) {
    std::vector<Series> series;
    const Index c = need_coordinate(before, job.coordinate);
    const std::pair<const char*, const MusculoskeletalModel*> models[] = {
        {"reference", &before}, {"naive", &done.naive}, {"retargeted", &done.model}};
    for (const auto& [label, model] : models) {
        const MuscleSweep sweep = sweep_coordinate(*model, c, 91);
        for (const MuscleSweep::Curve& curve : sweep.muscles) {
            if (curve.muscle != job.muscle) {
                continue;
            }
            Series line{.name = label};
            double mean = 0.0;
            for (const double length : curve.length) {
                mean += length / static_cast<double>(curve.length.size());
            }
            for (std::size_t k = 0; k < curve.length.size(); ++k) {
                line.x.push_back(sweep.values[k] / unit_of(before.coordinates[at(c)]));
                line.y.push_back(curve.length[k] / mean);
            }
            series.push_back(std::move(line));
        }
    }
    if (series.empty()) {
        throw bad_value("retarget", "--coordinate", job.coordinate,
                        fmt::format("a coordinate that moves '{}'", job.muscle));
    }
    write_plot(job.plot, series,
               {.title = fmt::format("{}, {}", job.muscle, done.model.name),
                .x_label = fmt::format("{} (degrees)", job.coordinate),
                .y_label = "length over its mean"});
}

Json energy_json(const RoutingEnergies& e) {
    return {{"direction", e.direction}, {"length", e.length}, {"waypoint", e.waypoint({})}};
}

Json muscles_json(const MusculoskeletalModel& model, const RetargetOutcome& done) {
    Json out = Json::array();
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const RoutedMuscle& route = done.retargeted.routes[m];
        out.push_back({{"name", model.muscles[m].name},
                       {"routed", route.is_routed},
                       {"energy_before", energy_json(route.before)},
                       {"energy_after", energy_json(route.after)},
                       {"disorder_naive", done.naive.disorder_of(m)},
                       {"disorder", done.kept.disorder_of(m)},
                       {"farthest_move_m", route.farthest_move}});
    }
    return out;
}

Json range_json(const RetargetOutcome& done) {
    Json out = Json::array();
    for (std::size_t k = 0; k < done.kept.range.size(); ++k) {
        out.push_back({{"joint", done.kept.range[k].joint},
                       {"valid_fraction", done.kept.range[k].valid_before},
                       {"error_naive", done.naive.range[k].error},
                       {"error", done.kept.range[k].error}});
    }
    return out;
}

Json findings_json(const std::vector<ModelFinding>& findings) {
    Json list = Json::array();
    std::size_t errors = 0;
    for (const ModelFinding& f : findings) {
        errors += f.is_error ? 1 : 0;
        if (f.is_error) {
            list.push_back({{"what", f.what}, {"where", f.where}, {"value", f.value}});
        }
    }
    return {{"errors", errors}, {"remarks", findings.size() - errors}, {"list", list}};
}

Json equivalence_json(const ModelEquivalence& e) {
    return {{"poses", e.poses},
            {"muscles", e.muscles},
            {"length_mm", 1e3 * e.length.value},
            {"length_muscle", e.length.muscle},
            {"mean_length_mm", 1e3 * e.mean_length},
            {"moment_arm_mm", 1e3 * e.moment_arm.value},
            {"moment_arm_muscle", e.moment_arm.muscle},
            {"moment_arm_coordinate", e.moment_arm.coordinate},
            {"torque_nm", e.torque.value},
            {"torque_coordinate", e.torque.coordinate},
            {"torque_share", e.torque_share}};
}

Json penetration_json(const BonePenetration& p) {
    return {{"depth_over_length", p.depth},
            {"inside", p.inside},
            {"deepest_over_length", p.deepest},
            {"deepest_muscle", p.muscle}};
}

Json flesh_json(const RetargetOutcome& done) {
    const RetargetedBody& f = *done.flesh;
    return {{"stature_m", f.stature},
            {"mass_kg", f.mass},
            {"inverted_tets", f.inverted_tets},
            {"skin_crossings", f.crossing},
            {"skin_crossings_before", f.crossing_before},
            {"largest_gap_mm", 1e3 * f.largest_gap},
            {"lines_force", done.lines->force},
            {"lines_length", done.lines->length},
            {"lines_worst_length", done.lines->worst_length},
            {"lines_worst_length_muscle", done.lines->worst_length_muscle},
            {"lines_fibre", done.lines->fibre},
            {"lines_joint_centres_mm", 1e3 * done.lines->joint_centres}};
}

void tell_flesh(const RetargetOutcome& done) {
    const RetargetedBody& f = *done.flesh;
    fmt::print(
        "  flesh: {:.3f} m, {:.1f} kg, {} tetrahedra inside out, {} pairs of skin triangles cross "
        "({} before), at most {:.2f} mm from its bones\n",
        f.stature, f.mass, f.inverted_tets, f.crossing, f.crossing_before, 1e3 * f.largest_gap);
    fmt::print(
        "  lines against those that `convert` makes of the new body: joints within {:.3f} mm, "
        "forces within {:.2g} %, lengths {:.1f} % (median; {} {:.0f} %), fibres {:.1f} %\n",
        1e3 * done.lines->joint_centres, 100.0 * done.lines->force, 100.0 * done.lines->length,
        done.lines->worst_length_muscle, 100.0 * done.lines->worst_length,
        100.0 * done.lines->fibre);
}

void tell(const RetargetOutcome& done, const RetargetJob& job) {
    std::size_t routed = 0;
    for (const RoutedMuscle& route : done.retargeted.routes) {
        routed += route.is_routed ? 1 : 0;
    }
    fmt::print("{}: {} of {} muscles routed in {:.1f} s\n",
               job.output.empty() ? done.retargeted.model.name : job.output, routed,
               done.retargeted.routes.size(), done.retargeted.seconds);
    const auto line = [](const char* what, double naive, double now, const char* unit) {
        fmt::print("  {:<52} naive {:8.3f}  retargeted {:8.3f} {}\n", what, naive, now, unit);
    };
    line("correlation of length-angle curves, median", done.naive.correlation_at(0.5),
         done.kept.correlation_at(0.5), "");
    line("the same, 5th percentile", done.naive.correlation_at(0.05),
         done.kept.correlation_at(0.05), "");
    line("poses whose validity changes, worst joint", 100.0 * done.naive.worst_range_error(),
         100.0 * done.kept.worst_range_error(), "%");
    line("angle of peak torque, mean distance", done.naive.peak.value_or(0.0) * 180.0 / kPi,
         done.kept.peak.value_or(0.0) * 180.0 / kPi, "degrees");
    if (done.written) {
        const ModelEquivalence& e = *done.written;
        fmt::print(
            "  the file read back, {} random poses: lengths within {:.4f} mm, moment arms {:.4f} "
            "mm, torques {:.4f} N m ({:.2g} of their RMS)\n",
            e.poses, 1e3 * e.length.value, 1e3 * e.moment_arm.value, e.torque.value,
            e.torque_share);
    }
    if (!job.poses.empty()) {
        tell_pose_lengths(done);
    }
    if (done.exam) {
        tell_exam(*done.exam);
    }
    tell_skills(done.skills);
    if (done.bones_before) {
        fmt::print("  {:<52} reference {:.3f}, naive {:.3f}, retargeted {:.3f} %\n",
                   "lines in bones, depth over length", 100.0 * done.bones_before->depth,
                   100.0 * done.bones_naive.depth, 100.0 * done.bones.depth);
    }
    if (done.flesh) {
        tell_flesh(done);
    }
    fmt::print("  doctor: {} findings before, {} after\n", done.doctor_before.size(),
               done.doctor_after.size());
    for (const std::string& note : done.notes) {
        fmt::print("  note: {}\n", note);
    }
}

int run_retarget_verb(const RetargetSettings& settings, const Context& context, Json& result) {
    const RetargetJob job = retarget_job(settings);
    const bool is_body = is_body_file(settings.model.file);
    Body body = is_body ? read_body_with_tets(settings.model.file) : Body{};
    body.provenance.command = context.command_line;
    std::vector<std::string> missing_meshes;  // without them lines are not kept out of bones
    const MusculoskeletalModel read =
        is_body ? MusculoskeletalModel{}
                : read_model_with_shapes(settings.model.file, settings.model.muscles, {},
                                         missing_meshes);
    if (!job.plot.empty() && !is_body) {
        need_muscle(read, job.muscle);
        need_coordinate(read, job.coordinate);
    }
    const RetargetOutcome done = is_body ? run_retarget(body, job, context.progress)
                                         : run_retarget(read, job, context.progress);
    const MusculoskeletalModel& model = done.reference;
    result = {{"model", model.name},
              {"to", job.to},
              {"seconds", done.retargeted.seconds},
              {"length_curve_correlation_naive",
               {done.naive.correlation_at(0.5), done.naive.correlation_at(0.05)}},
              {"length_curve_correlation",
               {done.kept.correlation_at(0.5), done.kept.correlation_at(0.05)}},
              {"peak_torque_deg_naive", done.naive.peak.value_or(0.0) * 180.0 / kPi},
              {"peak_torque_deg", done.kept.peak.value_or(0.0) * 180.0 / kPi},
              {"muscles", muscles_json(model, done)},
              {"rom", range_json(done)},
              {"doctor",
               {{"before", findings_json(done.doctor_before)},
                {"after", findings_json(done.doctor_after)}}},
              {"notes", done.notes}};
    if (done.exam) {
        result["exam"] = exam_json(*done.exam);
    }
    if (!job.poses.empty()) {
        result["poses"] = pose_lengths_json(done);
    }
    if (job.skills) {
        result["skills"] = skills_json(done.skills);
    }
    if (!job.skills_plot.empty()) {
        plot_skills(job.skills_plot, done.skills, done.retargeted.model.name);
        result["skills_plot"] = job.skills_plot;
    }
    if (done.parted) {
        result["single_bone_points"] = {
            {"length_curve_correlation",
             {done.parted->correlation_at(0.5), done.parted->correlation_at(0.05)}},
            {"rom_error", done.parted->worst_range_error()}};
    }
    if (!job.output.empty()) {
        result["output"] = job.output;
    }
    if (done.written) {
        result["equivalence"] = equivalence_json(*done.written);
    }
    if (done.flesh) {
        result["flesh"] = flesh_json(done);
    }
    if (!job.plot.empty()) {
        plot_curve(job, done.reference, done.retargeted);
        result["plot"] = job.plot;
    }
    if (!job.report.empty()) {
        write_report(job.report, retarget_report(done, is_body ? &body : nullptr));
        result["report"] = job.report;
    }
    if (done.bones_before) {
        result["bones"] = {{"reference", penetration_json(*done.bones_before)},
                           {"naive", penetration_json(done.bones_naive)},
                           {"retargeted", penetration_json(done.bones)}};
    }
    if (context.tells()) {
        tell(done, job);
    }
    const bool is_sound = !done.flesh || (done.flesh->inverted_tets == 0 &&
                                          done.flesh->crossing <= done.flesh->crossing_before);
    return is_sound ? kOk : kUnusable;
}

}  // namespace

Verb retarget_verb() {
    auto settings = std::make_shared<RetargetSettings>();
    Verb verb{.name = "retarget",
              .summary = "Move a model's muscles into a body of other proportions",
              .examples =
                  "  sinew retarget human.xml --to alien -o alien.osim\n"
                  "  sinew retarget gait2392.osim --to tall.json -o tall.osim --json\n"
                  "  sinew retarget gait2392.osim --to person.sinew -o person.osim\n"
                  "  sinew retarget gait2392.osim --to static.trc --mass 72.6 -o person.osim\n"
                  "  sinew retarget gait2392.osim --exam clinic.csv -o stiff.osim --json\n"
                  "  sinew retarget human.xml --to hulk --skills --skills-plot skills.png\n"
                  "  sinew retarget human.xml --poses recordings/ --poses limits -o long.osim\n"
                  "  sinew retarget human.xml --to dwarf --plot knee.png --muscle "
                  "L_Vastus_Lateralis --coordinate TibiaL\n"
                  "  sinew retarget human.xml --to dwarf -o dwarf.osim --report dwarf.html\n"
                  "  sinew retarget man.sinew --to giant -o giant.sinew --lines giant.osim\n"
                  "tall.json: {\"version\": 1, \"femur\": {\"elongation\": 1.1}, \"tibia\": "
                  "{\"elongation\": 1.1, \"torsion\": 5}, \"left\": {\"foot\": {\"scale\": 0.9}}}\n"
                  "clinic.csv: test,side,value_deg / popliteal_unilateral,left,45 / "
                  "hip_internal_rotation,both,40",
              .options = {},
              .run = {}};
    settings->add_to(verb,
                     "model to write (.osim, .xml for MuJoCo), or of a body the body (.sinew)");
    verb.run = [settings](const Context& context, Json& result) {
        return run_retarget_verb(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
