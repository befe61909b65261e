#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/summary.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
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
    MakeBodyOptions make;
    std::string output;
    std::string atlas;
    std::string cache;
    bool is_uncached = false;
};

int run_build(const BuildSettings& settings, const Context& context,
              nlohmann::ordered_json& result) {
    if (lower(std::filesystem::path(settings.output).extension().string()) != ".sinew") {
        throw bad_value("build", "--output", settings.output, "a name that ends in .sinew");
    }
    require_writable_place(settings.output);
    MakeBodyOptions options = settings.make;
    options.command = context.command_line;
    options.atlas = settings.atlas;
    if (context.seed.value != 0) {
        options.body.seed = static_cast<int>(context.seed.value % 2000000000);
    }
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
    const BodySummary summary = summarise(made.body);
    result["file"] = settings.output;
    result["vertices"] = summary.points;
    result["tets"] = summary.tets;
    result["skin_vertices"] = summary.skin_vertices;
    result["muscles"] = summary.muscles.size();
    result["bones"] = summary.bones.size();
    result["mass_kg"] = summary.mass;
    result["stature_m"] = summary.stature;
    result["body_fat"] = summary.body_fat;
    result["unused"] = nlohmann::ordered_json::array();
    for (const AtlasPartReport& part : made.atlas.parts) {
        if (!part.is_used) {
            result["unused"].push_back({{"name", part.name}, {"reason", part.reason}});
        }
    }
    result["cached"] = made.was_cached;
    result["seconds"] = made.seconds;
    if (!context.is_quiet && !context.wants_json) {
        fmt::print("{}: {} vertices, {} tetrahedra, {} muscles, {} bones, {:.1f} kg, {:.1f} s{}\n",
                   settings.output, summary.points, summary.tets, summary.muscles.size(),
                   summary.bones.size(), summary.mass, made.seconds,
                   made.was_cached ? " (cached)" : "");
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
            "  sinew build --from atlas -o mine.sinew            a folder with an atlas.json\n"
            "  sinew build --cache DIR -o man.sinew              finished stages are kept there",
        .options =
            {{.name = "--from",
              .help = "folder of an anatomical atlas with its atlas.json (docs/formats.md); else "
                      "the built-in human",
              .target = &settings->atlas,
              .metavar = "DIR"},
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
    add_field_options(verb.options, settings->make.body, {"seed"});
    add_field_options(verb.options, settings->make.figure,
                      {"part_cell", "thin_part_cell", "simplify", "skin_cell"});
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        return run_build(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
