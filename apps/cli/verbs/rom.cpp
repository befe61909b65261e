#include "sinew/base/units.h"
#include "sinew/io/json_schema.h"
#include "sinew/motion/musculature_retargeting.h"
#include "sinew/motion/range_editing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "cli/verbs/model_options.h"
#include "cli/verbs/plot_file.h"
#include "cli/verbs/results.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct RomSettings {
    ModelOptions model;
    std::string joint;
    std::string plot;
    std::string output;
    StretchLimits limits;
    JobFlags<RangeEdit> edit;
};

// Joints may be named with or without "_joint".
const ModelJoint& find_joint(const MusculoskeletalModel& model, const std::string& name) {
    std::vector<std::string> names;
    for (const ModelJoint& joint : model.joints) {
        if (joint.name == name || joint.name == name + "_joint") {
            return joint;
        }
        names.push_back(joint.name);
    }
    throw InputError({.where = fmt::format("joint '{}'", name),
                      .found = fmt::format("no such joint{}", did_you_mean(name, names)),
                      .needs = fmt::format("one of {}", join(names, ", ")),
                      .remedy = "name a joint of the model"});
}

// Every direction of the shaft as a dot: its distance from the middle is the swing, its colour the
// range of twists that is left there [Ryu2021, Fig. 11, the sphere laid flat].
void write_picture(const std::string& file, const BallRangeMap& map, const std::string& about) {
    struct Shade {
        const char* name;
        int least;  // twists of kTwists
        Rgb8 colour;
    };
    constexpr std::array<Shade, 5> kShades = {{{"no twist allowed", 0, {225, 225, 225}},
                                               {"twist up to 90 degrees", 1, {254, 217, 118}},
                                               {"to 180", 10, {253, 141, 60}},
                                               {"to 270", 19, {227, 26, 28}},
                                               {"to 360", 28, {128, 0, 38}}}};
    std::array<Series, kShades.size()> series;
    for (std::size_t k = 0; k < kShades.size(); ++k) {
        series[k].name = kShades[k].name;
        series[k].form = SeriesForm::Dots;
        series[k].colour = kShades[k].colour;
    }
    for (int s = 0; s < BallRangeMap::kSwings; ++s) {
        for (int d = 0; d < BallRangeMap::kDirections; ++d) {
            const auto cell = static_cast<std::size_t>((s * BallRangeMap::kDirections + d) *
                                                       BallRangeMap::kTwists);
            int twists = 0;
            for (std::size_t t = 0; t < BallRangeMap::kTwists; ++t) {
                twists += map.valid[cell + t];
            }
            std::size_t k = kShades.size() - 1;
            while (twists < kShades[k].least) {
                --k;
            }
            const double swing = 180.0 * (s + 0.5) / BallRangeMap::kSwings;
            const double turn = (d + 0.5) * 2.0 * kPi / BallRangeMap::kDirections;
            series[k].x.push_back(swing * std::cos(turn));
            series[k].y.push_back(swing * std::sin(turn));
        }
    }
    write_plot(file, series,
               {.width = 900,
                .height = 900,
                .title = fmt::format("{}: {:.1f} % of all rotations", map.joint,
                                     100.0 * map.valid_fraction),
                .x_label = fmt::format("swing about {} (degrees)", about),
                .y_label = "swing across it (degrees)"});
}

Json ball_json(const BallRangeMap& map) {
    // One string of 0 and 1 per swing and direction, twists in order.
    Json rows = Json::array();
    for (std::size_t k = 0; k < map.valid.size(); k += BallRangeMap::kTwists) {
        std::string row;
        for (std::size_t t = 0; t < BallRangeMap::kTwists; ++t) {
            row += map.valid[k + t] != 0 ? '1' : '0';
        }
        rows.push_back(row);
    }
    Json limiting = Json::object();
    for (std::size_t k = 0; k < std::min<std::size_t>(10, map.limiting.size()); ++k) {
        limiting[map.limiting[k].first] = map.limiting[k].second;
    }
    return {{"swings", BallRangeMap::kSwings},
            {"directions", BallRangeMap::kDirections},
            {"twists", BallRangeMap::kTwists},
            {"cells", map.valid.size()},
            {"valid_cells", std::count(map.valid.begin(), map.valid.end(), 1)},
            {"valid_fraction", map.valid_fraction},
            {"limiting_muscles", limiting},
            {"valid", rows}};
}

Json range_json(const MusculoskeletalModel& model, const CoordinateRange& range, Index c) {
    const double unit = unit_of(model.coordinates[at(c)]);
    return {{"coordinate", range.coordinate},   {"low", range.low / unit},
            {"high", range.high / unit},        {"low_muscle", range.low_muscle},
            {"high_muscle", range.high_muscle}, {"rest_is_valid", range.rest_is_valid}};
}

bool is_any_given(const JobFlags<RangeEdit>& flags) {
    bool is_given = false;
    visit_fields(flags.defaults(), [&](const auto&, const Field& field) {
        is_given = is_given || flags.was_given(field.name);
    });
    return is_given;
}

// Maximal lengths for another range, and what the written file allows of it.
void add_edit(const RomSettings& settings, const MusculoskeletalModel& model,
              const ModelJoint& joint, const Context& context, Json& result) {
    RangeEdit edit = settings.edit.defaults();
    settings.edit.apply(edit);
    RangeFitOptions options;
    options.limits = settings.limits;
    const MusculoskeletalModel reference = with_single_bone_points(model, {}, context.progress);
    const auto number = static_cast<std::size_t>(&joint - model.joints.data());
    const EditedRange edited = edit_range(reference, number, edit, options);
    Json notes = Json::array();
    if (has_blended_points(model)) {
        notes.push_back(
            "waypoints that follow two bones became points on either, for no file can hold them");
    }
    for (const std::string& note : write_any_model(settings.output, edited.model)) {
        notes.push_back(note);
    }
    result["edit"] = {{"valid_before", edited.valid_before},
                      {"valid_wished", edited.valid_wished},
                      {"valid", edited.valid},
                      {"error", edited.error},
                      {"output", settings.output}};
    result["notes"] = notes;
    if (context.tells()) {
        fmt::print(
            "{}: of {}'s poses {:.1f} % were allowed, {:.1f} % are wished, {:.1f} % are "
            "allowed now; {:.2f} % differ from the wish\n",
            settings.output, joint.name, 100.0 * edited.valid_before, 100.0 * edited.valid_wished,
            100.0 * edited.valid, 100.0 * edited.error);
        for (const Json& note : notes) {
            fmt::print("  note: {}\n", note.get<std::string>());
        }
        fmt::print("before:\n");
    }
}

int run_rom(const RomSettings& settings, const Context& context, Json& result) {
    require_ending("rom", "--plot", settings.plot, kPlotEndings);
    const bool is_edited = is_any_given(settings.edit);
    if (is_edited == settings.output.empty()) {
        throw bad_value("rom", "--output", is_edited ? "nothing" : settings.output,
                        is_edited ? "a model to write the edited range to (.osim, .xml)"
                                  : "a change of the range, such as --width 0.8");
    }
    require_ending("rom", "--output", settings.output, {".osim", ".xml"});
    require_different("rom", {settings.output, settings.plot, settings.model.file});
    const MusculoskeletalModel model = settings.model.read();
    const ModelJoint& joint = find_joint(model, settings.joint);
    const bool is_ball = joint.axes[0].coordinate >= 0 && joint.axes[1].coordinate >= 0 &&
                         joint.axes[2].coordinate >= 0;
    if (!is_ball && !settings.plot.empty()) {
        throw bad_value("rom", "--plot", settings.plot,
                        fmt::format("a ball joint, which '{}' is not: leave it out", joint.name));
    }
    result["model"] = model.name;
    result["joint"] = joint.name;
    Json ranges = Json::array();
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        if (&model.joints[at(model.coordinates[c].joint)] == &joint) {
            const auto index = static_cast<Index>(c);
            ranges.push_back(
                range_json(model, coordinate_range(model, index, settings.limits), index));
        }
    }
    result["ranges"] = ranges;
    if (is_ball) {
        const BallRangeMap map =
            map_ball_range(model, joint.name, settings.limits, context.progress);
        result.update(ball_json(map));
        if (!settings.plot.empty()) {
            write_picture(settings.plot, map, model.coordinates[at(joint.axes[0].coordinate)].name);
            result["output"] = settings.plot;
        }
    }
    if (is_edited) {
        add_edit(settings, model, joint, context, result);
    }
    if (context.tells()) {
        for (const Json& r : ranges) {
            fmt::print(
                "{}: {:.1f} to {:.1f}{}{}\n", r["coordinate"].get<std::string>(),
                r["low"].get<double>(), r["high"].get<double>(),
                r["low_muscle"] == "" ? "" : ", below by " + r["low_muscle"].get<std::string>(),
                r["high_muscle"] == "" ? "" : ", above by " + r["high_muscle"].get<std::string>());
        }
        if (is_ball) {
            fmt::print("{:.1f} % of all rotations are allowed ({} of {} cells)\n",
                       100.0 * result["valid_fraction"].get<double>(),
                       result["valid_cells"].get<int>(), result["cells"].get<int>());
            if (result["limiting_muscles"].empty()) {
                fmt::print("no muscle is ever longer than {} fibre and {} tendon lengths\n",
                           settings.limits.fibre, settings.limits.tendon);
            }
        }
    }
    return kOk;
}

}  // namespace

Verb rom_verb() {
    auto settings = std::make_shared<RomSettings>();
    Verb verb{
        .name = "rom",
        .summary = "How far muscles let a joint move",
        .examples =
            "  sinew rom human.xml --muscles muscle284.xml --joint FemurL --json\n"
            "  sinew rom human.xml --joint FemurL --plot hip.png\n"
            "  sinew rom model.osim --joint hip_r --coordinate-limits     bones and ligaments too\n"
            "  sinew rom gait2392.osim --joint hip_r --width 0.8 -o stiff.osim\n"
            "  sinew rom gait2392.osim --joint hip_r --tilt 10 --tilt-direction 180 -o hip.osim",
        .options = {},
        .run = {}};
    settings->model.add_to(verb.options);
    verb.options.push_back({.name = "--joint",
                            .help = "joint of the model",
                            .target = &settings->joint,
                            .metavar = "NAME",
                            .is_required = true});
    verb.options.push_back({.name = "--fibre-stretch",
                            .help = "longest fibre, in optimal lengths",
                            .target = &settings->limits.fibre,
                            .range = {.max = 100.0, .above = 0.0}});
    verb.options.push_back({.name = "--tendon-stretch",
                            .help = "longest tendon, in slack lengths",
                            .target = &settings->limits.tendon,
                            .range = {.max = 100.0, .above = 0.0}});
    verb.options.push_back({.name = "--coordinate-limits",
                            .help = "the ranges of the model's clamped coordinates bound poses too",
                            .target = &settings->limits.has_coordinates});
    settings->edit.add_to(verb.options, {});
    verb.options.push_back({.name = "-o,--output",
                            .help = "model whose muscles allow the changed range (.osim, .xml)",
                            .target = &settings->output,
                            .metavar = "FILE"});
    verb.options.push_back({.name = "--plot",
                            .help = "picture of a ball joint's range (.png, .svg)",
                            .target = &settings->plot,
                            .metavar = "FILE"});
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", RomResult{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, Json& result) {
        return run_rom(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
