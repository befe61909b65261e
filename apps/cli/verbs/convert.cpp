#include "sinew/body/body.h"
#include "sinew/body/motion_clip.h"
#include "sinew/io/asset.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/model_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/verbs/file_options.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/model_verbs.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct ConvertSettings {
    std::string from;
    std::string to;
    std::string output;
    ModelConversion model;
    bool no_meshes = false;
    FileOptions files;
};

/// What to write, which may be named as a second file or by -o.
std::string target_of(const ConvertSettings& settings) {
    if (settings.to.empty() == settings.output.empty()) {
        throw InputError({.where = "sinew convert",
                          .found = settings.to.empty() ? std::string("no file to write")
                                                       : fmt::format("'{}' and -o '{}' to write",
                                                                     settings.to, settings.output),
                          .needs = "one file to write",
                          .remedy = "name it as in 'sinew convert FROM TO' or 'sinew convert FROM "
                                    "-o TO'"});
    }
    return settings.to.empty() ? settings.output : settings.to;
}

}  // namespace

Verb convert_verb() {
    auto settings = std::make_shared<ConvertSettings>();
    Verb verb{
        .name = "convert",
        .summary = "Convert a file to another format; Sinew writes metres, Y up",
        .examples =
            "  sinew convert scan.obj scan.ply --unit mm --up z\n"
            "  sinew convert scan.obj -o scan.ply    -o as in all other verbs\n"
            "  sinew convert arm.msh arm.vtu         tetrahedra for ParaView\n"
            "  sinew convert arm.msh arm.stl         their surface\n"
            "  sinew convert body.sinew body.glb     all parts as named nodes\n"
            "  sinew convert arm26.osim arm26.xml    a musculoskeletal model for MuJoCo, Z up\n"
            "  sinew convert arm26.osim arm26.xml --up y\n"
            "  sinew convert arm26.osim arm26.glb --motion flex.mot --geometry Geometry\n"
            "  sinew convert body.sinew body.osim    a body's bones and muscles for OpenSim",
        .options = {{.name = "from",
                     .help = "what to read",
                     .target = &settings->from,
                     .metavar = "FILE",
                     .is_required = true},
                    {.name = "to",
                     .help = "what to write; the ending chooses the format",
                     .target = &settings->to,
                     .metavar = "FILE"},
                    {.name = "-o,--output",
                     .help = "the same, as in all other verbs",
                     .target = &settings->output,
                     .metavar = "FILE"},
                    muscles_option(settings->model.muscles),
                    {.name = "--motion",
                     .help = "motion that a model written as .glb plays (.mot, .sto, .bvh)",
                     .target = &settings->model.motion,
                     .metavar = "FILE"},
                    {.name = "--geometry",
                     .help = "folder with the meshes of a model's bones; without it, beside "
                             "the model and in its folder Geometry",
                     .target = &settings->model.geometry,
                     .metavar = "FOLDER"},
                    {.name = "--no-meshes",
                     .help = "leave out meshes of bones, which are else written beside the "
                             "model (NAME_meshes for MuJoCo, Geometry for OpenSim)",
                     .target = &settings->no_meshes}},
        .run = {}};
    // Models say which axis is up, so that the flag is free to ask for it in what is written.
    settings->files.up.clear();
    settings->files.add_to(verb.options);
    verb.options.back().help =
        "axis that points up in files that do not say, else y; or in a model written for MuJoCo, "
        "else z";
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", ConvertResult{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        const std::string to = target_of(*settings);
        const std::string ending = lower(std::filesystem::path(to).extension().string());
        const bool becomes_model =
            is_body_file(settings->from) && (ending == ".osim" || ending == ".xml");
        if (is_model_file(settings->from) || becomes_model) {
            settings->files.require_no_unit(settings->from);
            if (ending != ".xml") {
                settings->files.require_no_up(settings->from);
            }
            ModelConversion conversion = settings->model;
            conversion.up = settings->files.up == "y" ? UpAxis::Y : UpAxis::Z;
            conversion.meshes = !settings->no_meshes;
            return convert_model(settings->from, to, conversion, context, result);
        }
        if (!settings->model.motion.empty()) {
            throw InputError({.where = "--motion",
                              .found = fmt::format("'{}' to convert", settings->from),
                              .needs = "a musculoskeletal model that moves",
                              .remedy = "leave --motion out"});
        }
        require_no_muscles("convert", settings->model.muscles, settings->from);
        require_known_output(to);
        FileOptions files = settings->files;
        files.up = files.up.empty() ? "y" : files.up;
        const Asset asset = read_asset(settings->from, files.read_options());
        const std::string done = write_asset(to, asset);
        ConvertResult said{.input = settings->from, .output = to, .summary = done};
        if (!asset.note.empty()) {
            said.converted = asset.note;
        }
        add_fields(said, result);
        if (context.tells()) {
            fmt::print("{}: {}{}\n", to, done,
                       asset.note.empty() ? "" : fmt::format(" ({})", asset.note));
        }
        return kOk;
    };
    return verb;
}

}  // namespace sinew::cli
