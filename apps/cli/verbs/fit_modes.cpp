#include "cli/verbs/fit_modes.h"

#include "sinew/base/error.h"
#include "sinew/body/summary.h"
#include "sinew/build/segment_masses.h"
#include "sinew/fit/average_body.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/composition_files.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/composition_training.h"
#include "sinew/pipeline/fit_pose.h"
#include "sinew/pipeline/growth_recipe.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace sinew::cli {

int run_fit_average(const std::vector<std::string>& files, const std::string& output,
                    const Context& context, nlohmann::ordered_json& result) {
    require_ending("fit", "--output", output, {".sinew"});
    std::vector<Body> people;
    for (const std::string& file : files) {
        people.push_back(read_body_with_tets(file));
    }
    AverageBody mean = average_body(people);
    mean.body.skeleton.segments = weigh_segments(mean.body);
    Provenance& provenance = mean.body.provenance;
    provenance.command = context.command_line;
    for (const std::string& file : files) {
        provenance.inputs.push_back({.name = std::filesystem::path(file).filename().string(),
                                     .hash = file_hash_text(file)});
    }
    write_archive(output, mean.body);
    const BodySummary summary = summarise(mean.body);
    result["output"] = output;
    result["people"] = people.size();
    result["stature_m"] = summary.stature;
    result["mass_kg"] = summary.mass;
    result["body_fat"] = summary.body_fat;
    result["inverted_tets"] = mean.inverted_tets;
    if (context.tells()) {
        fmt::print("{}: mean of {} people, {:.2f} m, {:.1f} kg, {:.1f} % fat, {} inverted\n",
                   output, people.size(), summary.stature, summary.mass, 100.0 * summary.body_fat,
                   mean.inverted_tets);
    }
    return mean.inverted_tets == 0 ? kOk : kUnusable;
}

int run_fit_training(const FitJob& job, const std::string& table, const std::string& output,
                     const Context& context, nlohmann::ordered_json& result) {
    require_ending("fit", "--output", output, {".json"});
    const CompositionTraining training = train_composition_table(job, table, context.progress);
    write_composition(output, training.model);
    TrainingSummary summary = summary_of(training);
    summary.output = output;
    add_fields(summary, result);
    if (context.tells()) {
        fmt::print(
            "{}: {} people, {} refused; of people left out: fat within {:.2f} kg (R2 {:.2f}), "
            "muscle within {:.2f} kg (R2 {:.2f})\n",
            output, summary.people, summary.refused, summary.fat_error, summary.fat_r2,
            summary.muscle_error, summary.muscle_r2);
    }
    return kOk;
}

void write_pose(const std::string& path, const FitSummary& summary) {
    nlohmann::ordered_json pose = {{"version", 1}};
    for (const auto& [name, angle] : summary.pose) {
        pose["degrees"][name] = angle;
    }
    write_file_bytes(path, pose.dump(1) + "\n");
}

int run_fit_pose(const FitJob& job, const std::string& output, const std::string& pose,
                 const Context& context, nlohmann::ordered_json& result) {
    const FitJob defaults;
    if (job.weight || job.body_fat || job.muscle || !job.composition.empty() ||
        !job.template_body.empty() || job.sex != defaults.sex ||
        job.resolution != defaults.resolution) {
        throw bad_value("fit", "--pose-only", "settings of a body that is made",
                        "scan, unit, up, landmarks and files to write alone");
    }
    if (!output.empty()) {
        require_ending("fit", "--output", output, writable_surface_endings());
    }
    require_ending("fit", "--pose-out", pose, {".json"});
    require_different("fit", {job.scan, job.pose_only, output, pose});
    const FittedScan fitted = fit_pose(job, context.progress);
    FitSummary summary = summary_of(fitted);
    summary.input = job.scan;
    summary.output = output;
    for (const std::string& note : summary.notes) {
        context.progress.warn(note);
    }
    if (!output.empty()) {
        write_surface(output, std::vector<MeshPart>{skin_part(fitted)});
    }
    if (!pose.empty()) {
        write_pose(pose, summary);
    }
    add_fields(summary, result);
    if (context.tells()) {
        fmt::print("{}: {} in this pose lies {:.2f} mm from it (95 % {:.2f}); {:.1f} s\n", job.scan,
                   job.pose_only, summary.distance.mean, summary.distance.p95, summary.seconds);
    }
    return kOk;
}

}  // namespace sinew::cli
