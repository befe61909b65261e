#include "sinew/base/error.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/fit_batch.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

#include "cli/field_options.h"
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
    JobFlags<FitJob> flags;
};

std::vector<Option> fit_options(FitSettings& s) {
    std::vector<Option> options = {
        {.name = "scan",
         .help = "surface or cloud of points of one person: .ply, .obj, .stl, .glb ...",
         .target = &s.scan,
         .metavar = "SCAN"},
        {.name = "--batch",
         .help = "a table of scans (columns scan, sex, unit, up, landmarks); -o is a folder",
         .target = &s.batch,
         .metavar = "LIST.csv"},
        {.name = "--rest-out",
         .help = "also the skin in the template's rest pose",
         .target = &s.rest,
         .metavar = "FILE"},
        {.name = "--pose-out",
         .help = "also the joint angles, in degrees",
         .target = &s.pose,
         .metavar = "POSE.json"},
        {.name = "-o,--output",
         .help = "the person as a body: .sinew; or the skin on the scan alone, with confidence and "
                 "distance_mm: .ply, .obj, .glb ...",
         .target = &s.output,
         .metavar = "FILE",
         .is_required = true}};
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
    if (!s.scan.empty() || !s.rest.empty() || !s.pose.empty()) {
        throw bad_value("fit", "--batch", "a list and settings of a single scan",
                        "either a scan or a list");
    }
    const std::vector<FitRow> rows = read_fit_list(s.batch, job_from(s));
    make_output_folder(s.output);
    const std::vector<FitBatchRow> done = fit_batch(rows, s.output, context.progress);
    std::size_t refused = 0;
    for (const FitBatchRow& row : done) {
        refused += row.status == "refused" ? 1 : 0;
        FitJson entry = {{"name", row.name}, {"status", row.status}};
        if (!row.message.empty()) {
            entry["message"] = row.message;
        }
        result["scans"].push_back(entry);
    }
    result["output"] = s.output;
    result["refused"] = refused;
    if (context.tells()) {
        fmt::print("{}: {} scans, {} refused\n", s.output, done.size(), refused);
    }
    return refused == done.size() && !done.empty() ? kUnusable : kOk;
}

int run_fit(const FitSettings& s, const Context& context, FitJson& result) {
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
    require_different("fit", {s.scan, s.output, s.rest, s.pose});
    FitJob job = job_from(s);
    job.makes_body = makes_body;
    FittedScan fitted = fit_scan(job, context.progress);
    FitSummary summary = summary_of(fitted);
    for (const std::string& note : summary.notes) {
        context.progress.warn(note);
    }
    MeshPart skin = skin_part(fitted);
    if (fitted.person) {
        Provenance& provenance = fitted.person->body.provenance;
        provenance.command = context.command_line;
        provenance.inputs.push_back({.name = std::filesystem::path(s.scan).filename().string(),
                                     .hash = file_hash_text(s.scan)});
        write_archive(s.output, fitted.person->body);
    } else {
        write_surface(s.output, std::vector<MeshPart>{skin});
    }
    if (!s.rest.empty()) {
        skin.mesh.points = fitted.skin.rest;
        write_surface(s.rest, std::vector<MeshPart>{skin});
    }
    if (!s.pose.empty()) {
        FitJson pose = {{"version", 1}};
        for (const auto& [name, angle] : summary.pose) {
            pose["degrees"][name] = angle;
        }
        write_file_bytes(s.pose, pose.dump(1) + "\n");
    }
    summary.input = s.scan;
    summary.output = s.output;
    add_fields(summary, result);
    if (context.tells()) {
        fmt::print(
            "{}: {} {:.2f} m, {:.1f} l; skin to scan {:.2f} mm (95 % {:.2f}), {:.0f} % of "
            "the skin seen; {:.1f} s\n",
            s.output, summary.sex, summary.stature, summary.volume, summary.distance.mean,
            summary.distance.p95, 100.0 * summary.seen, summary.seconds);
    }
    return kOk;
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
