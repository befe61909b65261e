#include "sinew/pipeline/retarget_job.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/archive.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/settings_json.h"
#include "sinew/motion/body_matching.h"
#include "sinew/pipeline/any_model.h"
#include "sinew/pipeline/body_tables.h"
#include "sinew/pipeline/ik_job.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace sinew {

namespace {

constexpr double kMassTold = 0.02;  // of the mass: less is no note

// Whether muscles and coordinates have the same names in the same order.
bool has_same_parts(const MusculoskeletalModel& a, const MusculoskeletalModel& b) {
    const auto is_same = [](const auto& x, const auto& y) { return x.name == y.name; };
    return std::equal(a.muscles.begin(), a.muscles.end(), b.muscles.begin(), b.muscles.end(),
                      is_same) &&
           std::equal(a.coordinates.begin(), a.coordinates.end(), b.coordinates.begin(),
                      b.coordinates.end(), is_same);
}

JointPoints points_of(const JointPointsFile& file, const std::filesystem::path& path) {
    JointPoints out = points_from_views(file.frontal, file.lateral);
    for (const auto& [name, p] : file.points) {
        if (p.size() != 3) {
            throw InputError({.where = fmt::format("points.{} in '{}'", name, path.string()),
                              .found = fmt::format("{} numbers", p.size()),
                              .needs = "three",
                              .remedy = "give the point as [x, y, z], or in two views"});
        }
        out.emplace_back(name, Vec3(p[0], p[1], p[2]));
    }
    for (auto& [name, p] : out) {
        p *= file.unit;
    }
    return out;
}

std::string unrouted_note(const RetargetedMusculature& done) {
    std::size_t count = 0;
    for (const RoutedMuscle& route : done.routes) {
        count += route.is_routed ? 0 : 1;
    }
    return count == 0 ? std::string{}
                      : fmt::format(
                            "{} muscles over surfaces, with moving points or crossing no "
                            "joint keep the paths that their bones give them; their "
                            "lengths are fitted",
                            count);
}

std::vector<std::string> character_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "characters")) {
        if (entry.path().extension() == ".json") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

// A name without an ending, of one of our characters.
std::filesystem::path character_file(const std::string& name) {
    const std::vector<std::string> names = character_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        const std::string near = nearest_word(name, names);
        throw InputError({.where = "--to",
                          .found = fmt::format("'{}'", name),
                          .needs = "a file that exists, or one of " + join(names, ", "),
                          .remedy = near.empty() ? "check the spelling"
                                                 : fmt::format("did you mean '{}'?", near)});
    }
    return data_folder() / "characters" / (name + ".json");
}

// Maximal lengths from poses that the job names, relaxed where muscles must be at ease [Ryu2021,
// 4.2].
MusculoskeletalModel with_lengths_of_poses(const MusculoskeletalModel& model,
                                           const RetargetJob& job, RetargetOutcome& out,
                                           const Progress& progress) {
    if (job.poses.empty()) {
        return model;
    }
    MusculoskeletalModel longer = model;
    const auto poses = read_poses(model, job.poses, job.pose_step, out.notes, progress);
    out.poses = static_cast<int>(poses.size());
    allow_poses(longer, poses);
    out.relaxed = relax_muscles(longer, key_poses(longer));
    return longer;
}

// Maximal lengths for a table. MuJoCo's files hold other curves of muscles, so there the fit is to
// the model that is read back; both kinds of curves scale with their lengths.
ExamFit fit_written_lengths(MusculoskeletalModel& model, const std::vector<ExamRow>& rows,
                            const std::string& file, const ExamFitOptions& options,
                            const Progress& progress) {
    if (lower(std::filesystem::path(file).extension().string()) != ".xml") {
        return fit_examination(model, rows, options, progress);
    }
    write_any_model(file, model);
    MusculoskeletalModel shown = read_any_model(file);
    ExamFit fit = fit_examination(shown, rows, options, progress);
    for (const auto& [name, factor] : fit.muscles) {
        for (MuscleUnit& unit : model.muscles) {
            if (unit.name == name) {
                unit.fibre *= factor;
                unit.tendon *= factor;
            }
        }
    }
    return fit;
}

// The tests on the file that people get.
void examine_again(ExamFit& exam, const MusculoskeletalModel& written,
                   const std::vector<ExamRow>& rows, double tolerance) {
    for (ExamResult& result : exam.tests) {
        result.after = examine_row(written, result.row, rows);
        const bool was_met = result.is_met;
        result.is_met = result.after.end != ExamEnd::Missing &&
                        std::abs(result.after.angle_deg - result.row.value_deg) <= tolerance &&
                        was_met;
        if (was_met && !result.is_met) {
            result.reason =
                "the written file shows another angle: its format holds other curves "
                "of muscles";
        }
    }
}

}  // namespace

BodyProportions read_proportions(const std::string& to, const MusculoskeletalModel& model,
                                 std::vector<std::string>& left_out) {
    std::filesystem::path file = to;
    if (!file.has_extension() && !std::filesystem::exists(file)) {
        file = character_file(to);
        auto character =
            settings_from_json<BodyProportions>(read_settings_text(file), file.string());
        left_out = drop_missing_segments(model, character);
        return character;
    }
    if (file.extension() != ".json") {
        return proportions_of(model, read_any_model(file));
    }
    const std::string text = read_settings_text(file);
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    const auto has = [&](const char* key) { return json.is_object() && json.contains(key); };
    if (has("points") || has("frontal") || has("lateral")) {
        return proportions_from_joints(
            model, points_of(settings_from_json<JointPointsFile>(text, file.string()), file));
    }
    return settings_from_json<BodyProportions>(text, file.string());
}

BodyProportions read_job_proportions(const RetargetJob& job, const MusculoskeletalModel& model,
                                     RetargetOutcome& out) {
    if (job.to.empty()) {
        return {};
    }
    const std::string ending = lower(std::filesystem::path(job.to).extension().string());
    if (ending == ".csv") {
        return proportions_from_measures(model, read_segment_table(job.to));
    }
    if (ending == ".trc" || ending == ".c3d") {
        // What `sinew scale` makes of them, as a body to go to.
        ScaleJob scale{.setup = job.setup, .mass = job.mass, .place_markers = false};
        scale.trial.markers = job.to;
        scale.trial.marker_set = job.marker_set;
        const ScaledModel scaled = run_scale(model, scale);
        out.notes.insert(out.notes.end(), scaled.notes.begin(), scaled.notes.end());
        return proportions_of(model, scaled.model);
    }
    std::vector<std::string> left_out;
    BodyProportions proportions = read_proportions(job.to, model, left_out);
    if (!left_out.empty()) {
        out.notes.push_back(fmt::format("the model has no {}, which '{}' would change",
                                        join(left_out, ", "), job.to));
    }
    return proportions;
}

std::vector<SkillOutcome> compare_skills(const MusculoskeletalModel& reference,
                                         const MusculoskeletalModel& naive,
                                         const MusculoskeletalModel& retargeted,
                                         const Progress& progress) {
    std::vector<SkillOutcome> out;
    for (const Skill skill : {Skill::Squat, Skill::ArmLift, Skill::Kick}) {
        if (!can_do(reference, skill)) {
            continue;
        }
        // Each in its own body, where its feet stand.
        const auto track = [&](const MusculoskeletalModel& model) {
            return track_accelerations(model, skill_motion(model, skill), {}, progress);
        };
        out.push_back({skill, track(reference), track(naive), track(retargeted)});
    }
    return out;
}

namespace {

std::vector<ExamRow> rows_of(const RetargetJob& job) {
    return job.exam.empty() ? std::vector<ExamRow>{} : read_exam_table(job.exam);
}

// What is no file of a model: a body goes beside its lines.
std::string model_output(const RetargetJob& job) {
    return is_body_file(job.output) ? job.lines : job.output;
}

// Retargets, writes, reads back and compares. `stand` puts the model where its flesh stands.
void retarget_lines(const MusculoskeletalModel& model, const BodyProportions& proportions,
                    const std::vector<ExamRow>& rows, const RetargetJob& job,
                    const MusculatureOptions& options,
                    const std::function<void(MusculoskeletalModel&)>& stand, RetargetOutcome& out,
                    const Progress& progress) {
    // Both formats hold waypoints on one bone only; what that changes is told apart from what the
    // other body changes.
    out.reference = with_single_bone_points(model, {}, progress);
    if (has_blended_points(model)) {
        out.parted = compare_musculatures(model, out.reference);
        out.notes.push_back(fmt::format(
            "waypoints that follow two bones became points on either, for no file can hold them: "
            "{:.1f} % of random poses of the worst joint change their validity by that alone",
            100.0 * out.parted->worst_range_error()));
    }
    if (job.to.empty()) {
        out.retargeted.naive = out.retargeted.model = out.reference;
        out.retargeted.routes.resize(out.reference.muscles.size());
    } else {
        out.retargeted = retarget_musculature(out.reference, proportions, options, progress);
        if (stand) {
            stand(out.retargeted.naive);
            stand(out.retargeted.model);
        }
    }
    if (!rows.empty()) {
        ExamFitOptions fit;
        fit.tolerance_deg = job.exam_tolerance;
        out.exam =
            fit_written_lengths(out.retargeted.model, rows, model_output(job), fit, progress);
    }
    if (!proportions.name.empty()) {
        out.retargeted.model.name = fmt::format("{} as {}", model.name, proportions.name);
    }
    // What people get is what is measured: the file, read back.
    MusculoskeletalModel written = out.retargeted.model;
    if (const std::string file = model_output(job); !file.empty()) {
        for (std::string& note : write_any_model(file, out.retargeted.model)) {
            out.notes.push_back(std::move(note));
        }
        written = read_any_model(file);
        out.written = compare_models(out.retargeted.model, written);
    }
    if (out.exam && !model_output(job).empty()) {
        examine_again(*out.exam, written, rows, job.exam_tolerance);
    }
    const Progress::Stage stage = progress.stage("comparing", 0);
    if (const BoneDepths bones(out.reference); !bones.is_empty()) {
        const std::vector<JointMotion> motions = joint_motions(out.reference);
        const BoneDepths bones_after(out.retargeted.model);
        out.bones_before = measure_penetration(out.reference, bones, motions);
        out.bones_naive = measure_penetration(out.retargeted.naive, bones_after, motions);
        out.bones = measure_penetration(out.retargeted.model, bones_after, motions);
    }
    out.naive = compare_musculatures(out.reference, out.retargeted.naive);
    const bool is_file = has_same_parts(out.reference, written);
    if (!is_file) {
        out.notes.push_back(
            "the file orders or names coordinates and muscles otherwise; curves and ranges are "
            "those of the model before it was written");
    }
    out.kept = compare_musculatures(out.reference, is_file ? written : out.retargeted.model);
    if (job.skills) {
        out.skills = compare_skills(out.reference, out.retargeted.naive,
                                    is_file ? written : out.retargeted.model, progress);
    }
    out.doctor_before = examine_model(model);
    out.doctor_after = examine_model(written);
    if (const std::string note = unrouted_note(out.retargeted); !job.to.empty() && !note.empty()) {
        out.notes.push_back(note);
    }
}

// Flesh has its own masses.
std::string mass_note(const MusculoskeletalModel& model, const BodyProportions& proportions,
                      const RetargetedBody& flesh) {
    const ProportionedBodies bodies = proportioned_bodies(model, proportions);
    double asked = 0.0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        asked += bodies.mass_ratios[b] * model.bodies[b].mass;
    }
    if (std::abs(asked - flesh.mass) < kMassTold * flesh.mass) {
        return {};
    }
    return fmt::format(
        "the proportions' masses make {:.1f} kg, the flesh weighs {:.1f} kg: the body and its "
        "lines have the flesh's masses and forces",
        asked, flesh.mass);
}

}  // namespace

RetargetOutcome run_retarget(const MusculoskeletalModel& given, const RetargetJob& job,
                             const Progress& progress) {
    RetargetOutcome out;
    const std::vector<ExamRow> rows = rows_of(job);
    const BodyProportions proportions = read_job_proportions(job, given, out);
    const MusculoskeletalModel model = with_lengths_of_poses(given, job, out, progress);
    retarget_lines(model, proportions, rows, job, {}, {}, out, progress);
    return out;
}

RetargetOutcome run_retarget(const Body& body, const RetargetJob& job, const Progress& progress) {
    RetargetOutcome out;
    const std::vector<ExamRow> rows = rows_of(job);
    const MusculoskeletalModel model =
        with_lengths_of_poses(model_with_bones(body), job, out, progress);
    const BodyProportions proportions = read_job_proportions(job, model, out);
    out.flesh = retarget_body(body, model, proportions, progress);
    if (!proportions.name.empty()) {
        out.flesh->body.name = fmt::format("{} as {}", body.name, proportions.name);
    }
    if (is_body_file(job.output)) {
        write_archive(job.output, out.flesh->body);
    }
    if (std::string note = mass_note(model, proportions, *out.flesh); !note.empty()) {
        out.notes.push_back(std::move(note));
    }
    // What the flesh alone would have its muscles be, and what its bodies weigh.
    const MusculoskeletalModel own = model_with_markers(out.flesh->body);
    retarget_lines(
        model, proportions, rows, job, {.forces = out.flesh->forces},
        [&](MusculoskeletalModel& lines) { stand_in_flesh(lines, *out.flesh, own); }, out,
        progress);
    out.lines = compare_lines(out.retargeted.model, own);
    return out;
}

}  // namespace sinew
