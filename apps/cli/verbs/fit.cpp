#include "sinew/base/error.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/fit_batch.h"
#include "sinew/pipeline/fit_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/fit_modes.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using FitJson = nlohmann::ordered_json;

struct FitSettings {
    std::string scan;
    std::string batch;
    std::string output;
    std::string rest;
    std::string pose;
    std::string part;
    std::string report;
    std::vector<std::string> average;
    std::string train;
    bool skins_only = false;
    JobFlags<FitJob> flags;
};

std::vector<Option> fit_options(FitSettings& s) {
    std::vector<Option> options = {
        {.name = "scan",
         .help = "surface or cloud of points of one person: .ply, .obj, .stl, .glb ...",
         .target = &s.scan,
         .metavar = "SCAN"},
        {.name = "--batch",
         .help = "a table of scans (columns scan, and sex, unit, up, landmarks, weight_kg, "
                 "body_fat, muscle_kg where known); -o is a folder",
         .target = &s.batch,
         .metavar = "LIST.csv"},
        {.name = "--part",
         .help = "of a list: the K-th of N workers that write into one folder",
         .target = &s.part,
         .metavar = "K/N"},
        {.name = "--skins-only",
         .help = "of a list: skins without the bodies inside",
         .target = &s.skins_only},
        {.name = "--rest-out",
         .help = "also the skin in the template's rest pose",
         .target = &s.rest,
         .metavar = "FILE"},
        {.name = "--pose-out",
         .help = "also the joint angles, in degrees",
         .target = &s.pose,
         .metavar = "POSE.json"},
        {.name = "--report",
         .help = "also pictures and numbers of the fit on one page: .html or .png",
         .target = &s.report,
         .metavar = "R.html"},
        {.name = "--average",
         .help = "instead of a scan: the mean of fitted or grown bodies of one template",
         .target = &s.average,
         .metavar = "BODY.sinew"},
        {.name = "--train",
         .help = "instead of a scan: regressors from a table of people (columns scan, fat_kg, "
                 "muscle_kg; or people.csv of 'sinew people'); -o is MODEL.json",
         .target = &s.train,
         .metavar = "TABLE.csv"},
        {.name = "-o,--output",
         .help = "the person as a body: .sinew; or the skin on the scan alone, with confidence and "
                 "distance_mm: .ply, .obj, .glb ...",
         .target = &s.output,
         .metavar = "FILE"}};
    s.flags.add_to(options, {});
    return options;
}

FitJob job_from(const FitSettings& s) {
    FitJob job;
    s.flags.apply(job);
    job.scan = s.scan;
    job.cache = BodyCache::default_folder();
    return job;
}

int run_fit_batch(const FitSettings& s, const Context& context, FitJson& result) {
    if (!s.rest.empty() || !s.pose.empty() || !s.report.empty()) {
        throw bad_value("fit", "--batch", "a list and settings of a single scan",
                        "either a scan or a list");
    }
    FitJob common = job_from(s);
    common.makes_body = !s.skins_only;
    const std::vector<FitRow> rows = read_fit_list(s.batch, common);
    const BatchPart part = s.part.empty() ? BatchPart{} : batch_part(s.part);
    make_output_folder(s.output);
    const std::vector<FitBatchRow> done = fit_batch(rows, s.output, part, context.progress);
    std::map<std::string, std::size_t> count;
    for (const FitBatchRow& row : done) {
        ++count[row.status];
        FitJson entry = {{"name", row.name}, {"status", row.status}};
        if (!row.message.empty()) {
            entry["message"] = row.message;
        }
        result["scans"].push_back(entry);
    }
    result["output"] = s.output;
    for (const char* status : {"done", "kept", "refused", "failed", "waiting"}) {
        result[status] = count[status];
    }
    if (context.tells()) {
        fmt::print("{}: {} scans, {} done, {} kept, {} refused, {} failed, {} waiting\n", s.output,
                   done.size(), count["done"], count["kept"], count["refused"], count["failed"],
                   count["waiting"]);
    }
    return count["done"] + count["kept"] + count["waiting"] == 0 && !done.empty() ? kUnusable : kOk;
}

// --template LAYERS.vtu: shows the layers of the template instead of fitting them.
int run_fit_template(const FitSettings& s, const Context& context, FitJson& result) {
    FitJob job = job_from(s);
    const std::string output = job.template_body;
    if (!s.scan.empty() || !s.output.empty()) {
        throw bad_value("fit", "--template", output + " and a scan or --output",
                        "a .vtu to write alone, or a .sinew to put onto the scan");
    }
    job.template_body.clear();
    const TetMesh layers = layered_template(job, context.progress);
    write_tets(output, layers);
    result["output"] = output;
    result["tets"] = layers.tets.rows();
    if (context.tells()) {
        fmt::print("{}: {} tetrahedra of fat and muscle\n", output, layers.tets.rows());
    }
    return kOk;
}

int run_fit(const FitSettings& s, const Context& context, FitJson& result) {
    if (!s.scan.empty() + !s.batch.empty() + !s.average.empty() + !s.train.empty() > 1) {
        throw bad_value("fit", "SCAN", "several of SCAN, --batch, --average and --train",
                        "one of them");
    }
    if (job_from(s).template_body.ends_with(".vtu")) {
        return run_fit_template(s, context, result);
    }
    if (const FitJob job = job_from(s); !job.pose_only.empty()) {
        if (s.scan.empty() || !s.rest.empty() || !s.report.empty()) {
            throw bad_value("fit", "--pose-only", "no scan, or --rest-out or --report",
                            "a scan, and -o or --pose-out where files are wanted");
        }
        return run_fit_pose(job, s.output, s.pose, context, result);
    }
    if (s.output.empty()) {
        throw bad_value("fit", "--output", "nothing", "the file to write, with -o");
    }
    if (!s.train.empty()) {
        return run_fit_training(job_from(s), s.train, s.output, context, result);
    }
    if (!s.average.empty()) {
        return run_fit_average(s.average, s.output, context, result);
    }
    if (!s.batch.empty()) {
        return run_fit_batch(s, context, result);
    }
    if (s.scan.empty()) {
        throw bad_value("fit", "SCAN", "nothing", "a scan, or --batch LIST.csv");
    }
    const bool makes_body = s.output.ends_with(".sinew");
    if (!makes_body) {
        require_ending("fit", "--output", s.output, writable_surface_endings());
    }
    require_ending("fit", "--rest-out", s.rest, writable_surface_endings());
    require_ending("fit", "--pose-out", s.pose, {".json"});
    require_ending("fit", "--report", s.report, {".html", ".png"});
    require_different("fit", {s.scan, s.output, s.rest, s.pose, s.report});
    FitJob job = job_from(s);
    job.makes_body = makes_body;
    FittedScan fitted = fit_scan(job, context.progress);
    FitSummary summary = summary_of(fitted);
    for (const std::string& note : summary.notes) {
        context.progress.warn(note);
    }
    MeshPart skin = skin_part(fitted);
    if (fitted.person) {
        write_person(s.output, fitted, s.scan, context.command_line);
    } else {
        write_surface(s.output, std::vector<MeshPart>{skin});
    }
    if (!s.rest.empty()) {
        skin.mesh.points = fitted.skin.rest;
        write_surface(s.rest, std::vector<MeshPart>{skin});
    }
    if (!s.pose.empty()) {
        write_pose(s.pose, summary);
    }
    summary.input = s.scan;
    summary.output = s.output;
    if (!s.report.empty()) {
        write_fit_report(s.report, job, fitted, summary, context.progress);
    }
    add_fields(summary, result);
    if (context.tells()) {
        fmt::print(
            "{}: {} {:.2f} m, {:.1f} l; skin to scan {:.2f} mm (95 % {:.2f}), {:.0f} % of "
            "the skin seen; {:.1f} s\n",
            s.output, summary.sex, summary.stature, summary.volume, summary.distance.mean,
            summary.distance.p95, 100.0 * summary.seen, summary.seconds);
    }
    return summary.inverted_tets.value_or(0) > 0 ? kUnusable : kOk;
}

}  // namespace

Verb fit_verb() {
    auto settings = std::make_shared<FitSettings>();
    return {
        .name = "fit",
        .summary = "Make a scan of a person into a body of bones, muscles and fat",
        .examples =
            "  sinew fit scan.ply -o anna.sinew --weight 61 --json\n"
            "  sinew fit scan.ply -o skin.ply\n"
            "  sinew fit scan.obj --sex female --landmarks points.json -o skin.glb\n"
            "  sinew fit cloud.ply --unit mm --up z -o skin.ply --rest-out rest.ply "
            "--pose-out pose.json\n"
            "  sinew fit --batch scans.csv -o fitted\n"
            "  sinew fit --batch scans.csv --part 2/4 -o fitted   # the second of four workers\n"
            "  sinew fit scan.ply -o anna.sinew --report anna.html\n"
            "  sinew fit squat.ply --pose-only anna.sinew --pose-out squat.json --json\n"
            "  sinew fit --average anna.sinew berta.sinew -o mean.sinew\n"
            "  sinew people --count 200 --sex male -o men && sinew fit --train men/people.csv "
            "--sex male --resolution preview -o men.json\n"
            "  sinew fit scan.ply --composition men.json -o anna.sinew\n"
            "  sinew fit --template layers.vtu --sex female   skin, muscles, bones: prisms\n"
            "Unit, axes, sex and landmarks are found where they are not given; see docs/fit.md.",
        .options = fit_options(*settings),
        .run = [settings](const Context& context,
                          FitJson& result) { return run_fit(*settings, context, result); },
        .describe =
            [](FitJson& definitions) {
                add_schema("result", FitSummary{}, SchemaOf::Result, definitions);
            }};
}

}  // namespace sinew::cli
