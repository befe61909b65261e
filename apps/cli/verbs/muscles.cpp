#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/motion_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/strict_json.h"
#include "sinew/io/text_cursor.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/muscle_sweep.h"
#include "sinew/pipeline/muscle_motion_job.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>
#include <set>

#include "cli/field_options.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/model_results.h"
#include "cli/verbs/motion_options.h"
#include "cli/verbs/table_plot.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kLeastArm = 1e-9;  // m; smaller moment arms are not listed

struct MusclesSettings {
    ModelOptions model;
    std::string pose;
    std::vector<std::string> coordinates;
    std::vector<std::string> only;
    std::string sweep;
    std::string plot;
    double activation = 1.0;
    std::string output;
    std::string job;
    MotionFileOptions reading;
    JobFlags<MuscleMotionJob> flags;
};

// Rest, then the file, then the flags.
std::vector<double> pose_of(const MusclesSettings& settings, const MusculoskeletalModel& model) {
    std::vector<double> q = rest_coordinates(model);
    const auto assign = [&](const std::string& name, double value) {
        const auto c = static_cast<std::size_t>(need_coordinate(model, name));
        q[c] = value * unit_of(model.coordinates[c]);
    };
    if (!settings.pose.empty()) {
        const Json json = parse_json_file(settings.pose);
        if (!json.is_object()) {
            throw bad_value("muscles", "--pose", settings.pose,
                            "a JSON object {\"coordinate\": degrees or metres, ...}");
        }
        for (const auto& [name, value] : json.items()) {
            if (!value.is_number()) {
                throw bad_value("muscles", "--pose", name, "a number per coordinate");
            }
            try {
                assign(name, value.get<double>());
            } catch (const InputError& error) {
                throw error.within(settings.pose);
            }
        }
    }
    for (const std::string& entry : settings.coordinates) {
        const std::size_t equals = entry.find('=');
        double value = 0.0;
        if (equals == std::string::npos || !parse_number(entry.substr(equals + 1), value)) {
            throw bad_value("muscles", "--coordinate", entry, "NAME=VALUE in degrees (or metres)");
        }
        assign(entry.substr(0, equals), value);
    }
    return q;
}

std::vector<std::size_t> chosen(const MusclesSettings& settings,
                                const MusculoskeletalModel& model) {
    if (model.muscles.empty()) {
        throw InputError({.where = fmt::format("model '{}'", model.name),
                          .found = "no muscles",
                          .needs = "at least one",
                          .remedy = "choose a model with muscles"});
    }
    std::vector<std::size_t> out;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        bool counts = settings.only.empty();
        for (const std::string& part : settings.only) {
            counts = counts || lower(model.muscles[m].name).find(lower(part)) != std::string::npos;
        }
        if (counts) {
            out.push_back(m);
        }
    }
    if (out.empty()) {
        throw bad_value("muscles", "--only", join(settings.only, " "), "a part of a muscle's name");
    }
    return out;
}

Json list_muscles(const MusclesSettings& settings, const MusculoskeletalModel& model,
                  const std::vector<double>& q) {
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const ModelPlacement place = tree.place(q);
    const PathState state = paths.evaluate(place);
    std::vector<double> dense(q.size());
    Json list = Json::object();
    for (const std::size_t m : chosen(settings, model)) {
        const MuscleUnit& unit = model.muscles[m];
        paths.scatter(state, m, dense);
        tree.fold_couplers(place, dense);
        Json arms = Json::object();
        for (std::size_t c = 0; c < dense.size(); ++c) {
            if (std::abs(dense[c]) > kLeastArm) {
                arms[model.coordinates[c].name] = -dense[c];
            }
        }
        const MuscleForce force = equilibrium_force(unit, state.length[m], settings.activation);
        list[unit.name] = {
            {"length_m", state.length[m]},     {"moment_arms", arms},
            {"force_max_n", unit.fmax},        {"fibre_m", unit.fibre},
            {"tendon_m", unit.tendon},         {"pennation_deg", unit.pennation * 180.0 / kPi},
            {"fibre_now_m", force.fibre},      {"force_n", force.total},
            {"passive_force_n", force.passive}};
    }
    return list;
}

// Moment arms over a coordinate's range, as numbers and as a picture.
Json sweep(const MusclesSettings& settings, const MusculoskeletalModel& model,
           const std::vector<double>& q) {
    const Index c = need_coordinate(model, settings.sweep);
    const double unit = unit_of(model.coordinates[at(c)]);
    constexpr int kSamples = 91;
    const MuscleSweep done = sweep_coordinate(model, c, kSamples, q);
    std::vector<double> values = done.values;
    for (double& value : values) {
        value /= unit;
    }
    std::set<std::string> wanted;
    for (const std::size_t m : chosen(settings, model)) {
        wanted.insert(model.muscles[m].name);
    }
    Json out = {{"coordinate", done.coordinate},
                {"unit", done.is_rotation ? "deg" : "m"},
                {"values", values},
                {"muscles", Json::object()}};
    std::vector<Series> shown;
    for (const MuscleSweep::Curve& curve : done.muscles) {
        if (wanted.contains(curve.muscle)) {
            out["muscles"][curve.muscle] = {{"moment_arm_m", curve.moment_arm},
                                            {"length_m", curve.length},
                                            {"force_n", curve.force}};
            shown.push_back({.name = curve.muscle, .x = values, .y = curve.moment_arm});
            for (double& y : shown.back().y) {
                y *= 1000.0;
            }
        }
    }
    if (!settings.plot.empty()) {
        write_plot(settings.plot, shown,
                   {.title = fmt::format("{}: moment arms about {}", model.name, done.coordinate),
                    .x_label = done.coordinate + (done.is_rotation ? " (degrees)" : " (m)"),
                    .y_label = "moment arm (mm)"});
    }
    return out;
}

void print_muscles(const Json& muscles) {
    fmt::print("{:<36} {:>9} {:>9} {:>9} {:>9} {:>9}  moment arms (mm)\n", "muscle", "length cm",
               "fibre cm", "tendon cm", "Fmax N", "force N");
    for (const auto& [name, m] : muscles.items()) {
        std::string arms;
        for (const auto& [coordinate, arm] : m["moment_arms"].items()) {
            arms += fmt::format(" {} {:.1f}", coordinate, 1000.0 * arm.get<double>());
        }
        fmt::print("{:<36} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.0f} {:>9.1f} {}\n", name,
                   100.0 * m["length_m"].get<double>(), 100.0 * m["fibre_m"].get<double>(),
                   100.0 * m["tendon_m"].get<double>(), m["force_max_n"].get<double>(),
                   m["force_n"].get<double>(), arms);
    }
}

MuscleMotionJob motion_job(const MusclesSettings& settings) {
    MuscleMotionJob job =
        settings.job.empty() ? settings.flags.defaults() : read_job<MuscleMotionJob>(settings.job);
    settings.flags.apply(job);
    job.output = settings.output.empty() ? job.output : settings.output;
    job.options.only = settings.only.empty() ? job.options.only : settings.only;
    if (settings.activation != 1.0) {
        job.options.activation = settings.activation;
    }
    const std::vector<std::string> kTables = {".sto", ".mot"};
    require_ending("muscles", "--output", job.output, kTables);
    require_ending("muscles", "--reactions", job.reactions, kTables);
    require_ending("muscles", "--powers", job.powers, kTables);
    require_ending("muscles", "--moments", job.moments, kTables);
    require_different("muscles",
                      {job.output, job.reactions, job.powers, job.moments, settings.plot});
    return job;
}

Json work_json(const std::vector<MuscleAnalysis::Work>& all) {
    Json out = Json::object();
    for (const MuscleAnalysis::Work& w : all) {
        out[w.name] = {{"positive_j", w.positive}, {"negative_j", w.negative}};
    }
    return out;
}

std::string unit_of_quantity(const std::string& quantity) {
    const std::string name = quantity.substr(1);
    const std::string unit = name.ends_with("velocity") ? "m/s"
                             : name.ends_with("force")  ? "N"
                             : name == "power"          ? "W"
                             : name == "pennation"      ? "rad"
                                                        : "m";
    return fmt::format("{} ({})", name, unit);
}

// Over a motion: tables, work, a picture of the first quantity that is asked for.
int run_over_motion(const MusclesSettings& settings, const MuscleMotionJob& job,
                    const Context& context, Json& result) {
    const MusculoskeletalModel model = settings.model.read();
    chosen(settings, model);
    const RetargetedModel read = read_model_motion(job.motion, model, settings.reading.options());
    const MuscleAnalysis done = run_muscle_motion(model, read.motion, job, context.progress);
    result = {{"model", model.name},
              {"motion", job.motion},
              {"frames", done.muscles.times.size()},
              {"columns", done.muscles.columns.size()},
              {"muscle_work", work_json(done.muscle_work)},
              {"joint_work", work_json(done.joint_work)},
              {"notes", done.notes}};
    add_retarget_report(read.report, result);
    const auto write = [&](const char* key, const std::string& file, const MotionTable& table) {
        if (!file.empty()) {
            write_motion_table(file, table);
            result[key] = file;
        }
    };
    write("output", job.output, done.muscles);
    write("reactions", job.reactions, done.reactions);
    write("powers", job.powers, done.powers);
    write("moments", job.moments, done.moments);
    if (!settings.plot.empty()) {
        const std::string quantity = job.quantities.empty() ? "_length" : "_" + job.quantities[0];
        plot_table(settings.plot, done.muscles, {quantity},
                   {.title = fmt::format("{}: {}", model.name, quantity.substr(1)),
                    .x_label = "time (s)",
                    .y_label = unit_of_quantity(quantity)});
        result["plot"] = settings.plot;
    }
    if (context.tells()) {
        fmt::print("{} frames, {} columns\n", done.muscles.times.size(),
                   done.muscles.columns.size());
        for (const MuscleAnalysis::Work& w : done.muscle_work) {
            fmt::print("  {:<36} work {:8.2f} J, {:8.2f} J\n", w.name, w.positive, w.negative);
        }
        for (const std::string& note : done.notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    return kOk;
}

int run_muscles(const MusclesSettings& settings, const Context& context, Json& result) {
    if (const MuscleMotionJob job = motion_job(settings); !job.motion.empty()) {
        require_ending("muscles", "--plot", settings.plot, kPlotEndings);
        return run_over_motion(settings, job, context, result);
    }
    if (!settings.output.empty()) {
        throw bad_value("muscles", "--output", settings.output, "--motion beside it");
    }
    if (!settings.plot.empty() && settings.sweep.empty()) {
        throw bad_value("muscles", "--plot", settings.plot, "--sweep COORDINATE beside it");
    }
    require_ending("muscles", "--plot", settings.plot, kPlotEndings);
    const MusculoskeletalModel model = settings.model.read();
    const std::vector<double> q = pose_of(settings, model);
    result["model"] = model.name;
    result["bodies"] = model.bodies.size();
    Json coordinates = Json::object();
    for (std::size_t c = 0; c < q.size(); ++c) {
        coordinates[model.coordinates[c].name] = q[c] / unit_of(model.coordinates[c]);
    }
    result["coordinates"] = coordinates;
    result["muscles"] = list_muscles(settings, model, q);
    if (!settings.sweep.empty()) {
        result["sweep"] = sweep(settings, model, q);
    }
    if (!settings.plot.empty()) {
        result["output"] = settings.plot;
    }
    if (!model.notes.empty()) {
        result["notes"] = model.notes;
    }
    if (context.tells()) {
        print_muscles(result["muscles"]);
        if (!settings.plot.empty()) {
            fmt::print("wrote {}\n", settings.plot);
        }
    }
    return kOk;
}

}  // namespace

Verb muscles_verb() {
    auto settings = std::make_shared<MusclesSettings>();
    Verb verb{.name = "muscles",
              .summary = "List the muscles of a model: lengths, moment arms, forces at a pose",
              .examples =
                  "  sinew muscles arm26.osim --coordinate r_elbow_flex=90\n"
                  "  sinew muscles arm26.osim --sweep r_elbow_flex --plot arms.png\n"
                  "  sinew muscles human.xml --muscles muscle284.xml --only bicep --json\n"
                  "  sinew muscles subject.osim --motion walk.mot -o muscles.sto\n"
                  "  sinew muscles subject.osim --motion walk.mot --activations a.sto "
                  "--loads-setup grf.xml --reactions joints.sto --powers powers.sto\n"
                  "  sinew muscles subject.osim --motion walk.mot --only soleus --quantity "
                  "fibre_length --plot fibres.png",
              .options = {},
              .run = {}};
    settings->model.add_to(verb.options);
    verb.options.push_back({.name = "--pose",
                            .help = "coordinates as JSON, degrees or metres",
                            .target = &settings->pose,
                            .metavar = "FILE"});
    verb.options.push_back({.name = "--coordinate",
                            .help = "one coordinate, degrees or metres; may be repeated",
                            .target = &settings->coordinates,
                            .metavar = "NAME=VALUE"});
    verb.options.push_back({.name = "--only",
                            .help = "muscles whose names contain this",
                            .target = &settings->only,
                            .metavar = "TEXT"});
    verb.options.push_back({.name = "--activation",
                            .help = "at which forces are given, 0 to 1",
                            .target = &settings->activation,
                            .range = {.min = 0.0, .max = 1.0}});
    verb.options.push_back({.name = "--sweep",
                            .help = "moment arms over the range of this coordinate",
                            .target = &settings->sweep,
                            .metavar = "NAME"});
    verb.options.push_back({.name = "--plot",
                            .help = "picture of the sweep, or of a quantity over a motion (.png, "
                                    ".svg)",
                            .target = &settings->plot,
                            .metavar = "FILE"});
    verb.options.push_back({.name = "--job",
                            .help = "what is asked over a motion from a JSON file (docs/jobs.md); "
                                    "flags override it",
                            .target = &settings->job,
                            .metavar = "JOB.json"});
    verb.options.push_back({.name = "-o,--output",
                            .help = "muscles over the motion to write (.sto)",
                            .target = &settings->output,
                            .metavar = "FILE"});
    settings->flags.add_to(verb.options, {"output", "only", "activation"});
    settings->reading.add_to(verb.options);
    verb.describe = [](Json& definitions) {
        add_schema("job", MuscleMotionJob{}, SchemaOf::File, definitions);
        add_schema("result", MusclesResult{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, Json& result) {
        return run_muscles(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
