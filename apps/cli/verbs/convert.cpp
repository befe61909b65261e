#include "sinew/body/body.h"
#include "sinew/body/motion_clip.h"
#include "sinew/io/asset.h"
#include "sinew/io/model_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/verbs/file_options.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/model_verbs.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

struct ConvertSettings {
    std::string from;
    std::string to;
    std::string muscles;
    std::string motion;
    std::string world_up = "z";
    FileOptions files;
};

}  // namespace

Verb convert_verb() {
    auto settings = std::make_shared<ConvertSettings>();
    Verb verb{.name = "convert",
              .summary = "Convert a file to another format; Sinew writes metres, Y up",
              .examples =
                  "  sinew convert scan.obj scan.ply --unit mm --up z\n"
                  "  sinew convert arm.msh arm.vtu         tetrahedra for ParaView\n"
                  "  sinew convert arm.msh arm.stl         their surface\n"
                  "  sinew convert body.sinew body.glb     all parts as named nodes\n"
                  "  sinew convert arm26.osim arm26.xml    a musculoskeletal model for MuJoCo\n"
                  "  sinew convert arm26.osim arm26.glb --motion flex.mot\n"
                  "  sinew convert body.sinew body.osim    a body's bones and muscles for OpenSim",
              .options = {{.name = "from",
                           .help = "what to read",
                           .target = &settings->from,
                           .metavar = "FILE",
                           .is_required = true},
                          {.name = "to",
                           .help = "what to write; the ending chooses the format",
                           .target = &settings->to,
                           .metavar = "FILE",
                           .is_required = true},
                          muscles_option(settings->muscles),
                          {.name = "--motion",
                           .help = "motion that a model written as .glb plays (.mot, .sto, .bvh)",
                           .target = &settings->motion,
                           .metavar = "FILE"},
                          {.name = "--world-up",
                           .help = "axis that points up in a model written for MuJoCo",
                           .target = &settings->world_up,
                           .choices = {"z", "y"}}},
              .run = {}};
    settings->files.add_to(verb.options);
    verb.run = [settings](const Context& context, nlohmann::ordered_json& result) {
        const std::string ending = lower(std::filesystem::path(settings->to).extension().string());
        const bool becomes_model =
            is_body_file(settings->from) && (ending == ".osim" || ending == ".xml");
        if (is_model_file(settings->from) || becomes_model) {
            return convert_model(settings->from, settings->muscles, settings->to, settings->motion,
                                 settings->world_up == "y" ? UpAxis::Y : UpAxis::Z, context,
                                 result);
        }
        if (!settings->motion.empty()) {
            throw InputError({.where = "--motion",
                              .found = fmt::format("'{}' to convert", settings->from),
                              .needs = "a musculoskeletal model that moves",
                              .remedy = "leave --motion out"});
        }
        require_no_muscles("convert", settings->muscles, settings->from);
        require_known_output(settings->to);
        const Asset asset = read_asset(settings->from, settings->files.read_options());
        const std::string done = write_asset(settings->to, asset);
        result["input"] = settings->from;
        result["output"] = settings->to;
        result["summary"] = done;
        if (!asset.note.empty()) {
            result["converted"] = asset.note;
        }
        if (context.tells()) {
            fmt::print("{}: {}{}\n", settings->to, done,
                       asset.note.empty() ? "" : fmt::format(" ({})", asset.note));
        }
        return kOk;
    };
    return verb;
}

}  // namespace sinew::cli
