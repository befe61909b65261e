#include "sinew/io/motion_table.h"
#include "sinew/pipeline/any_model.h"
#include "sinew/pipeline/ik_job.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/results.h"
#include "cli/verbs/table_plot.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

using IkSettings = ModelJobSettings<IkJob, IkResultFields>;
using ScaleSettings = ModelJobSettings<ScaleJob, ScaleResult>;

IkJob ik_job(const IkSettings& settings) {
    IkJob job = settings.read();
    if (job.trial.markers.empty()) {
        throw bad_value("ik", "--markers", "nothing", "measured markers (.trc, .c3d)");
    }
    require_ending("ik", "--output", job.output, {".mot", ".sto"});
    require_ending("ik", "--errors", job.errors, {".sto", ".mot"});
    require_ending("ik", "--plot", job.plot, kPlotEndings);
    require_different("ik", {job.output, job.errors, job.plot});
    return job;
}

int run_ik_verb(const IkSettings& settings, const Context& context, Json& result) {
    const IkJob job = ik_job(settings);
    const MusculoskeletalModel model = settings.model.read();
    const IkResult done = run_ik(model, job, context.progress);
    Json markers = Json::object();
    for (const IkResult::Marker& m : done.markers) {
        markers[m.name] = {{"weight", m.weight},
                           {"rms_mm", 1e3 * m.rms},
                           {"largest_mm", 1e3 * m.largest},
                           {"frames", m.seen}};
    }
    const auto frames = static_cast<double>(done.motion.times.size());
    result = {{"model", model.name},
              {"input", job.trial.markers},
              {"frames", done.motion.times.size()},
              {"unsolved_frames", done.unsolved_frames},
              {"frames_per_s", done.seconds > 0.0 ? frames / done.seconds : 0.0},
              {"rms_mm", 1e3 * done.rms},
              {"markers", markers},
              {"notes", done.notes}};
    if (!job.output.empty()) {
        write_motion_table(job.output, done.motion);
        result["output"] = job.output;
    }
    if (!job.errors.empty()) {
        write_motion_table(job.errors, table_of_errors(done));
        result["errors"] = job.errors;
    }
    if (!job.plot.empty()) {
        MotionTable angles = done.motion;
        plot_table(job.plot, angles, {},
                   {.title = model.name + ": coordinates",
                    .x_label = "time (s)",
                    .y_label = "degrees (m for shifts)"});
        result["plot"] = job.plot;
    }
    if (context.tells()) {
        fmt::print("{} frames, {:.0f} per second; markers within {:.1f} mm (RMS)\n", frames,
                   result["frames_per_s"].get<double>(), 1e3 * done.rms);
        for (const IkResult::Marker& m : done.markers) {
            fmt::print("  {:<28} weight {:<5.3g} RMS {:6.1f} mm, largest {:6.1f} mm{}\n", m.name,
                       m.weight, 1e3 * m.rms, 1e3 * m.largest,
                       m.seen < done.motion.times.size()
                           ? fmt::format(", seen in {} frames", m.seen)
                           : "");
        }
        for (const std::string& note : done.notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    return done.unsolved_frames == 0 ? kOk : kUnusable;
}

int run_scale_verb(const ScaleSettings& settings, const Context& context, Json& result) {
    const ScaleJob job = settings.read();
    if (job.trial.markers.empty()) {
        throw bad_value("scale", "--markers", "nothing", "markers of a static trial (.trc, .c3d)");
    }
    require_ending("scale", "--output", job.output, {".osim", ".xml"});
    const MusculoskeletalModel model = settings.model.read();
    const ScaledModel done = run_scale(model, job, context.progress);
    Json factors = Json::object();
    for (std::size_t b = 0; b < done.factors.size(); ++b) {
        const Vec3& f = done.factors[b];
        factors[model.bodies[b].name] = {f.x(), f.y(), f.z()};
    }
    Json pairs = Json::array();
    for (const ScalePair& p : done.pairs) {
        pairs.push_back({{"measurement", p.measurement},
                         {"markers", {p.first, p.second}},
                         {"measured_m", p.measured},
                         {"model_m", p.model}});
    }
    std::vector<std::string> notes = done.notes;
    result = {{"model", model.name},  {"input", job.trial.markers},
              {"factors", factors},   {"pairs", pairs},
              {"mass_kg", done.mass}, {"static_rms_mm", 1e3 * done.marker_rms}};
    if (!job.output.empty()) {
        const std::vector<std::string> lost = write_any_model(job.output, done.model);
        notes.insert(notes.end(), lost.begin(), lost.end());
        result["output"] = job.output;
    }
    result["notes"] = notes;
    if (context.tells()) {
        fmt::print("{}: {:.2f} kg; markers of the static pose within {:.1f} mm (RMS)\n",
                   job.output.empty() ? model.name : job.output, done.mass, 1e3 * done.marker_rms);
        for (std::size_t b = 0; b < done.factors.size(); ++b) {
            const Vec3& f = done.factors[b];
            fmt::print("  {:<28} x {:.3f}  y {:.3f}  z {:.3f}\n", model.bodies[b].name, f.x(),
                       f.y(), f.z());
        }
        for (const std::string& note : notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    return kOk;
}

}  // namespace

Verb ik_verb() {
    auto settings = std::make_shared<IkSettings>();
    Verb verb{
        .name = "ik",
        .summary = "Coordinates of a model that follow measured markers (inverse kinematics)",
        .examples =
            "  sinew ik subject.osim --markers walk.trc -o walk.mot\n"
            "  sinew ik subject.osim --markers walk.trc --weights ik_setup.xml -o walk.mot "
            "--errors errors.sto --plot walk.png\n"
            "  sinew ik subject.osim --markers trial.c3d --marker-weight RASI=5 -o trial.mot\n"
            "  sinew ik body.sinew --markers walk.trc --marker-set markers.json -o walk.mot\n"
            "markers.json: {\"version\": 1, \"markers\": [{\"name\": \"R.ASIS\", \"landmark\": "
            "\"asis_r\"}]}; without it, markers named after landmarks",
        .options = {},
        .run = {}};
    settings->add_to(verb, "motion to write (.mot)");
    verb.run = [settings](const Context& context, Json& result) {
        return run_ik_verb(*settings, context, result);
    };
    return verb;
}

Verb scale_verb() {
    auto settings = std::make_shared<ScaleSettings>();
    Verb verb{.name = "scale",
              .summary = "Scale a model to a person by the markers of a static trial",
              .examples =
                  "  sinew scale generic.osim --markers static.trc --mass 72.6 -o subject.osim\n"
                  "  sinew scale generic.osim --markers static.trc --setup scale_setup.xml -o "
                  "subject.osim\n"
                  "  sinew scale generic.osim --markers static.trc --marker-set markers.xml -o "
                  "subject.osim\n"
                  "  sinew scale generic.osim --markers static.c3d --setup pairs.json --json",
              .options = {},
              .run = {}};
    settings->add_to(verb, "model to write (.osim)");
    verb.run = [settings](const Context& context, Json& result) {
        return run_scale_verb(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
