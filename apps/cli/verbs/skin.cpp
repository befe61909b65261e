#include "sinew/io/json_schema.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/skin_job.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/field_options.h"
#include "cli/interrupt.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct SkinSettings {
    std::string mesh;
    std::string output;
    std::string job;
    std::string cache;
    bool is_uncached = false;
    JobFlags<SkinJob> flags;
};

void tell(const SkinJob& job, const SkinSummary& done) {
    if (job.rig) {
        fmt::print("{}: a rig of {} joints, {} vertices with four weights each, {} frames\n",
                   done.output, *done.joints, *done.vertices, done.frames);
        return;
    }
    fmt::print(
        "{}: {} frames; {} simulated vertices, {} tetrahedra, {:.0f} frames/s ({:.0f} shown), "
        "ready after {:.2f} s;\n  deepest penetration {:.1f} mm, least volume {:.1f} %\n",
        done.output, done.frames, *done.simulated_vertices, *done.tets, *done.frames_per_s,
        *done.shown_frames_per_s, *done.preprocess_s, *done.max_penetration,
        1e2 * *done.volume_ratio_min);
    if (!job.compare.empty()) {
        fmt::print("{}: three methods side by side\n", job.compare);
    }
}

int run_skin(const SkinSettings& settings, const Context& context, nlohmann::ordered_json& result) {
    SkinJob job = settings.job.empty() ? settings.flags.defaults() : read_skin_job(settings.job);
    settings.flags.apply(job);
    job.mesh = settings.mesh.empty() ? job.mesh : settings.mesh;
    job.output = settings.output.empty() ? job.output : settings.output;
    if (job.mesh.empty()) {
        throw bad_value("skin", "MESH", "nothing", "a skin or a body, here or in the job file");
    }
    if (job.output.empty()) {
        throw bad_value("skin", "--output", "nothing", "a file or a folder to write");
    }
    SkinJobRun run{.kept = [](const std::string& kept) { note_kept(kept); }};
    if (!settings.is_uncached) {
        run.cache = settings.cache.empty() ? BodyCache::default_folder()
                                           : std::filesystem::path(settings.cache);
    }
    const SkinSummary summary = run_skin_job(job, run, context.progress);
    add_fields(summary, result);
    if (context.tells()) {
        tell(job, summary);
    }
    return kOk;
}

}  // namespace

Verb skin_verb() {
    auto settings = std::make_shared<SkinSettings>();
    Verb verb{
        .name = "skin",
        .summary = "Move any character by its bones: no weights, flesh that bulges and slides",
        .examples =
            "  sinew skin man.ply --skeleton man.json --motion wave.json -o wave.glb\n"
            "  sinew skin character.glb --motion dance.bvh -o out.glb\n"
            "  sinew skin body.sinew --motion squat.json -o squat.glb\n"
            "  sinew skin body.sinew --motion walk --layers skin,muscles,bones -o walk.glb\n"
            "  sinew skin man.ply --skeleton man.json --motion squat.json --collisions global "
            "--compare strip.png -o squat.glb\n"
            "  sinew skin man.ply --skeleton walk.bvh --motion walk.bvh -o walk.usda\n"
            "  sinew skin man.ply --skeleton man.json --motion wave.json --simulate-vertices "
            "4600 -o frames\n"
            "  sinew skin man.ply --skeleton man.json --motion walk.bvh --rig -o man.glb\n"
            "  sinew skin --job walk.json -o walk.glb\n"
            "Skeletons and motions are described in docs/skinning.md, job files in docs/jobs.md.",
        .options = {{.name = "mesh",
                     .help = std::string(field_named<SkinJob>("mesh").help),
                     .target = &settings->mesh,
                     .metavar = "MESH"},
                    {.name = "--job",
                     .help = "all of this from a JSON file (docs/jobs.md); flags override it",
                     .target = &settings->job,
                     .metavar = "JOB.json"},
                    {.name = "-o,--output",
                     .help = std::string(field_named<SkinJob>("output").help),
                     .target = &settings->output,
                     .metavar = "OUT"}},
        .run = {}};
    settings->flags.add_to(verb.options, {"mesh", "output"});
    verb.options.push_back(
        {.name = "--cache",
         .help = "folder where weights of fine skins are kept; default ~/.cache/sinew",
         .target = &settings->cache,
         .metavar = "DIR"});
    verb.options.push_back({.name = "--no-cache",
                            .help = "compute these weights and keep none",
                            .target = &settings->is_uncached});
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("job", SkinJob{}, SchemaOf::File, definitions);
        add_schema("result", SkinSummary{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        return run_skin(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
