#include "sinew/io/atomic_file.h"
#include "sinew/io/motion_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/pipeline/activations_job.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/model_results.h"
#include "cli/verbs/motion_options.h"
#include "cli/verbs/plot_file.h"
#include "cli/verbs/table_plot.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ActivationsSettings : ModelJobSettings<ActivationsJob, ActivationsResult> {
    MotionFileOptions reading;
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

ActivationsJob activations_job(const ActivationsSettings& settings) {
    ActivationsJob job = settings.read();
    if (job.motion.empty()) {
        throw bad_value("activations", "--motion", "nothing", "coordinates over time");
    }
    const std::vector<std::string> kTables = {".sto", ".mot"};
    require_ending("activations", "--output", job.output, kTables);
    require_ending("activations", "--forces", job.forces, kTables);
    require_ending("activations", "--moments", job.moments, kTables);
    require_ending("activations", "--reserve-moments", job.reserve_moments, kTables);
    require_ending("activations", "--loads-output", job.loads_output, kTables);
    require_ending("activations", "--plot", job.plot, kPlotEndings);
    require_different("activations", {job.output, job.forces, job.moments, job.reserve_moments,
                                      job.loads_output, job.plot});
    if (job.options.low > job.options.high) {
        throw bad_value("activations", "--low", fmt::format("{}", job.options.low),
                        fmt::format("at most --high, {}", job.options.high));
    }
    return job;
}

Json residuals_json(const std::vector<Residual>& residuals) {
    Json out = Json::object();
    for (const Residual& r : residuals) {
        out[r.coordinate] = {{"peak", r.peak},
                             {"rms", r.rms},
                             {"unit", r.is_rotation ? "N m" : "N"},
                             {"when_s", r.when},
                             {"share_of_body_weight", r.share}};
    }
    return out;
}

void write_tables(const ActivationsJob& job, const Activations& done,
                  const MusculoskeletalModel& model, const MotionTable& motion, Json& result) {
    const auto write = [&](const char* key, const std::string& file, const MotionTable& table) {
        if (!file.empty()) {
            write_motion_table(file, table);
            result[key] = file;
        }
    };
    write("output", job.output, done.result.activations);
    write("forces", job.forces, done.result.forces);
    write("moments", job.moments, done.result.moments);
    write("reserve_moments", job.reserve_moments, done.result.reserves);
    if (!job.loads_output.empty()) {
        write("loads_output", job.loads_output, table_of_loads(done.loads, model, motion));
    }
    if (!job.plot.empty()) {
        plot_table(job.plot, done.result.activations, {},
                   {.title = model.name + ": activations",
                    .x_label = "time (s)",
                    .y_label = "activation",
                    .zero_y = true});
        result["plot"] = job.plot;
    }
}

void print_activations(const Json& result, const Activations& done) {
    fmt::print("{} frames, {:.0f} per second\n", result["frames"].get<std::size_t>(),
               result["frames_per_s"].get<double>());
    for (const auto& [name, peak] : result["peak_activation"].items()) {
        fmt::print("  {:<36} peak activation {:.3f}, peak force {:.1f} N\n", name,
                   peak.get<double>(), result["peak_force_n"][name].get<double>());
    }
    for (const Residual& r : done.result.residuals) {
        fmt::print("  residual {:<27} peak {:.1f} {} ({:.1f} % of body weight{}), RMS {:.1f}\n",
                   r.coordinate, r.peak, r.is_rotation ? "N m" : "N", 100.0 * r.share,
                   r.is_rotation ? " x 1 m" : "", r.rms);
    }
    for (const std::string& note : done.result.notes) {
        fmt::print("  note: {}\n", note);
    }
}

int run_activations_verb(const ActivationsSettings& settings, const Context& context,
                         Json& result) {
    const ActivationsJob job = activations_job(settings);
    const MusculoskeletalModel model = settings.model.read();
    const RetargetedModel read = read_model_motion(job.motion, model, settings.reading.options());
    const Activations done = run_activations(model, read.motion, job, context.progress);
    const StaticOptimisation& solved = done.result;
    const double frames = static_cast<double>(solved.activations.times.size());
    result = {{"model", model.name},
              {"motion", job.motion},
              {"frames", solved.activations.times.size()},
              {"unsolved_frames", solved.unsolved_frames},
              {"frames_per_s", solved.seconds > 0.0 ? frames / solved.seconds : 0.0},
              {"loads", done.loads.loads.size()},
              {"peak_activation", peaks_of(solved.activations)},
              {"peak_force_n", peaks_of(solved.forces)},
              {"peak_moment", peaks_of(solved.moments)},
              {"peak_reserve", peaks_of(solved.reserves)},
              {"residuals", residuals_json(solved.residuals)},
              {"warnings", done.warnings},
              {"notes", solved.notes}};
    add_retarget_report(read.report, result);
    write_tables(job, done, model, read.motion, result);
    if (context.tells()) {
        print_activations(result, done);
    }
    for (const std::string& warning : done.warnings) {
        fmt::print(stderr, "warning: {}\n", warning);
    }
    return done.is_usable ? kOk : kUnusable;
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
            "  sinew activations subject.osim --motion walk.mot --loads grf.mot --loads-setup "
            "grf.xml -o a.sto --plot a.png\n"
            "  sinew activations subject.osim --motion walk.mot --contact -o a.sto      without "
            "force plates\n"
            "  sinew activations subject.osim --motion walk.mot --loads-setup grf.xml --reserves "
            "actuators.xml --strict\n"
            "  sinew activations human.xml --muscles muscle284.xml --motion walk.bvh -o a.sto\n"
            "Exit code 1 when frames have no solution, moments are beyond any person's, or, with "
            "--strict, the root\n"
            "carries residuals above 5 % of body weight.",
        .options = {},
        .run = {}};
    settings->add_to(verb, "activations to write (.sto)");
    settings->reading.add_to(verb.options);
    verb.run = [settings](const Context& context, Json& result) {
        return run_activations_verb(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
