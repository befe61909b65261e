#include "sinew/base/units.h"
#include "sinew/io/json_schema.h"
#include "sinew/motion/range_of_motion.h"

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
    StretchLimits limits;
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

int run_rom(const RomSettings& settings, const Context& context, Json& result) {
    require_ending("rom", "--plot", settings.plot, kPlotEndings);
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
    Verb verb{.name = "rom",
              .summary = "How far muscles let a joint move",
              .examples =
                  "  sinew rom human.xml --muscles muscle284.xml --joint FemurL --json\n"
                  "  sinew rom human.xml --joint FemurL --plot hip.png",
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
