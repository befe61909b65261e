#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/json_schema.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/make_body.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct BuildSettings {
    std::string output;
    std::string job;
    std::string cache;
    bool is_uncached = false;
    JobFlags<MakeBodyOptions> flags;
};

MakeBodyOptions job_from(const BuildSettings& settings) {
    MakeBodyOptions job =
        settings.job.empty() ? MakeBodyOptions{} : read_job<MakeBodyOptions>(settings.job);
    settings.flags.apply(job);
    const FigureOptions usual;
    visit_fields(usual, [&](const auto&, const Field& field) {
        if (!job.atlas.empty() && settings.flags.was_given(field.name)) {
            throw bad_value("build", flag_of(field), job.atlas,
                            "the built-in human, without --from: an atlas has its own shape");
        }
    });
    check_make_body(job);
    return job;
}

int run_build(const BuildSettings& settings, const Context& context,
              nlohmann::ordered_json& result) {
    require_ending("build", "--output", settings.output, {".sinew"});
    MakeBodyOptions options = job_from(settings);
    options.command = context.command_line;
    if (!settings.is_uncached) {
        options.cache = settings.cache.empty() ? BodyCache::default_folder()
                                               : std::filesystem::path(settings.cache);
    }
    const MadeBody made = make_body(options, context.progress);
    if (made.archive.empty()) {
        write_archive(settings.output, made.body);
    } else {
        write_file_bytes(settings.output, made.archive);
    }
    BuildSummary summary = summary_of(made);
    summary.output = settings.output;
    add_fields(summary, result);
    if (context.tells()) {
        fmt::print("{}: {} vertices, {} tetrahedra, {} muscles, {} bones, {:.1f} kg, {:.1f} s{}\n",
                   settings.output, summary.vertices, summary.tets, summary.muscles, summary.bones,
                   summary.mass, made.seconds, made.was_cached ? " (cached)" : "");
    }
    return kOk;
}

}  // namespace

Verb build_verb() {
    auto settings = std::make_shared<BuildSettings>();
    Verb verb{
        .name = "build",
        .summary = "Make a body for simulation: tetrahedra, tissues, fibres, skeleton",
        .examples =
            "  sinew build -o man.sinew                          76k vertices\n"
            "  sinew build --resolution preview -o man.sinew     10k vertices, for trying out\n"
            "  sinew build --sex female --stature 1.70 -o woman.sinew\n"
            "  sinew build --muscles specimen -o man.sinew       muscles as they were measured\n"
            "  sinew build --from atlas -o mine.sinew            a folder with an atlas.json\n"
            "  sinew build --cache DIR -o man.sinew              finished stages are kept there",
        .options = {{.name = "--job",
                     .help = "all of this from a JSON file (docs/jobs.md); flags override it",
                     .target = &settings->job,
                     .metavar = "JOB.json"},
                    {.name = "-o,--output",
                     .help = "body to write",
                     .target = &settings->output,
                     .metavar = "FILE.sinew",
                     .is_required = true},
                    {.name = "--cache",
                     .help = "folder of finished stages; else XDG_CACHE_HOME/sinew or "
                             "~/.cache/sinew",
                     .target = &settings->cache,
                     .metavar = "DIR"},
                    {.name = "--no-cache",
                     .help = "make everything anew and keep nothing",
                     .target = &settings->is_uncached}},
        .run = {}};
    settings->flags.add_to(verb.options);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("job", MakeBodyOptions{}, SchemaOf::File, definitions);
        add_schema("result", BuildSummary{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        return run_build(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
