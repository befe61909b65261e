#include "sinew/io/atomic_file.h"
#include "sinew/io/motion_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/motion/static_optimisation.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/motion_options.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ActivationsSettings {
    ModelOptions model;
    std::string motion;
    MotionFileOptions reading;
    std::string output;
    std::string forces;
    std::string moments;
    StaticOptimisationOptions options;
};

Json peaks_of(const MotionTable& table) {
    Json out = Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        double peak = 0.0;
        for (std::size_t r = 0; r < table.times.size(); ++r) {
            peak = std::max(peak, std::abs(table.at(r, c)));
        }
        out[table.columns[c]] = peak;
    }
    return out;
}

int run_activations(const ActivationsSettings& settings, const Context& context, Json& result) {
    const std::vector<std::string> kTables = {".sto", ".mot"};
    require_ending("activations", "--output", settings.output, kTables);
    require_ending("activations", "--forces", settings.forces, kTables);
    require_ending("activations", "--moments", settings.moments, kTables);
    require_different("activations", {settings.output, settings.forces, settings.moments});
    if (settings.options.low > settings.options.high) {
        throw bad_value("activations", "--low", fmt::format("{}", settings.options.low),
                        fmt::format("at most --high, {}", settings.options.high));
    }
    const MusculoskeletalModel model = settings.model.read();
    const RetargetedModel read =
        read_model_motion(settings.motion, model, settings.reading.options());
    const MotionTable& motion = read.motion;
    const StaticOptimisation done =
        optimise_motion(model, motion, settings.options, context.progress);
    const double frames = static_cast<double>(done.activations.times.size());
    result = {{"model", model.name},
              {"motion", settings.motion},
              {"frames", done.activations.times.size()},
              {"unsolved_frames", done.unsolved_frames},
              {"frames_per_s", done.seconds > 0.0 ? frames / done.seconds : 0.0},
              {"peak_activation", peaks_of(done.activations)},
              {"peak_force_n", peaks_of(done.forces)},
              {"peak_moment", peaks_of(done.moments)},
              {"peak_reserve", peaks_of(done.reserves)},
              {"notes", done.notes}};
    add_retarget_report(read.report, result);
    if (!settings.output.empty()) {
        write_motion_table(settings.output, done.activations);
        result["output"] = settings.output;
    }
    if (!settings.forces.empty()) {
        write_motion_table(settings.forces, done.forces);
        result["forces"] = settings.forces;
    }
    if (!settings.moments.empty()) {
        write_motion_table(settings.moments, done.moments);
        result["moments"] = settings.moments;
    }
    if (context.tells()) {
        fmt::print("{} frames, {:.0f} per second\n", frames, result["frames_per_s"].get<double>());
        for (const auto& [name, peak] : result["peak_activation"].items()) {
            fmt::print("  {:<36} peak activation {:.3f}, peak force {:.1f} N\n", name,
                       peak.get<double>(), result["peak_force_n"][name].get<double>());
        }
        for (const std::string& note : done.notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    return done.unsolved_frames == 0 ? kOk : kUnusable;
}

}  // namespace

Verb activations_verb() {
    auto settings = std::make_shared<ActivationsSettings>();
    Verb verb{
        .name = "activations",
        .summary = "Which muscles pull how much in a motion (static optimisation)",
        .examples =
            "  sinew activations arm26.osim --motion flex.mot -o activations.sto\n"
            "  sinew activations arm26.osim --motion flex.mot -o a.sto --forces f.sto "
            "--moments id.sto --filter 6\n"
            "  sinew activations human.xml --muscles muscle284.xml --motion walk.bvh -o a.sto",
        .options = {},
        .run = {}};
    settings->model.add_to(verb.options);
    verb.options.push_back(
        {.name = "--motion",
         .help = "coordinates over time (.mot, .sto) or a recording (.bvh, .glb, .gltf, .fbx), "
                 "whose joint names are known (docs/motion.md)",
         .target = &settings->motion,
         .metavar = "FILE",
         .is_required = true});
    settings->reading.add_to(verb.options);
    verb.options.push_back({.name = "-o,--output",
                            .help = "activations (.sto)",
                            .target = &settings->output,
                            .metavar = "FILE"});
    verb.options.push_back({.name = "--forces",
                            .help = "muscle forces (.sto)",
                            .target = &settings->forces,
                            .metavar = "FILE"});
    verb.options.push_back({.name = "--moments",
                            .help = "joint moments (.sto)",
                            .target = &settings->moments,
                            .metavar = "FILE"});
    add_field_options(verb.options, settings->options);
    verb.run = [settings](const Context& context, Json& result) {
        return run_activations(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
