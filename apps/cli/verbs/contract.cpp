#include "sinew/pipeline/contract.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/vtu.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "cli/field_options.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ContractSettings {
    std::string scene;
    std::vector<std::string> muscles;
    std::string activation;
    std::string output;
    bool is_static = false;
    bool is_whole_body = false;
    bool without_frames = false;
    double duration = 0.0;
    double rate = 0.0;
    double turn = 35.0;
    MuscleSceneOptions options;
    MuscleSimulatorOptions simulator;
};

std::vector<std::string> words_of(const std::vector<std::string>& lists) {
    std::vector<std::string> words;
    for (const std::string& list : lists) {
        std::size_t begin = 0;
        while (begin <= list.size()) {
            const std::size_t end = std::min(list.find(',', begin), list.size());
            if (end > begin) {
                words.push_back(list.substr(begin, end - begin));
            }
            begin = end + 1;
        }
    }
    return words;
}

ContractJob job_of(const ContractSettings& s) {
    ContractJob job;
    const std::string ending = lower(std::filesystem::path(s.scene).extension().string());
    if (ending == ".json") {
        job = read_contract_job(s.scene);
    } else {
        job.body = s.scene;
        job.duration = 0.5;
    }
    if (!s.muscles.empty()) {
        job.muscles = words_of(s.muscles);
    }
    if (!job.body.empty() && job.muscles.empty()) {
        throw InputError({.where = "contract",
                          .found = "no muscles",
                          .needs = "--muscles",
                          .remedy = "name muscles or groups, as in --muscles biceps,triceps"});
    }
    if (!s.activation.empty()) {
        job.activation = parse_activation(s.activation, "--activation");
        if (job.activation.kind == ActivationPlan::Kind::Table && s.duration == 0.0) {
            job.duration = job.activation.table.times.back();
        }
    }
    job.is_static = job.is_static || s.is_static;
    job.duration = s.duration > 0.0 ? s.duration : job.duration;
    job.rate = s.rate > 0.0 ? s.rate : job.rate;
    if (!(job.duration * job.rate <= 1e5)) {
        throw bad_value("contract", "--rate", fmt::format("{}", job.rate),
                        fmt::format("at most 100 000 frames in {} s", job.duration));
    }
    const int tets = job.scene.tets;
    job.scene = s.options;
    if (s.options.tets == MuscleSceneOptions().tets) {
        job.scene.tets = tets;
    }
    job.simulator = s.simulator;
    return job;
}

int run_whole_body(const ContractSettings& s, const ContractJob& job, const Context& context,
                   Json& result) {
    const BodyContraction done = contract_body(job, context.progress);
    const std::filesystem::path folder = s.output;
    write_body_contraction(folder / "body.glb", done);
    write_body_strip(folder / "film.png", done, context.progress);
    result["output"] = s.output;
    result["muscles"] = Json::array();
    for (const BodyContraction::Muscle& m : done.muscles) {
        result["muscles"].push_back({{"name", m.name},
                                     {"activation", m.activation},
                                     {"volume_change", m.volume_change},
                                     {"force_n", m.force},
                                     {"length_m", m.length},
                                     {"max_fibre_stress_pa", m.max_fibre_stress},
                                     {"fibre_stretch", m.fibre_stretch}});
    }
    result["iterations"] = done.iterations;
    result["prepare_s"] = done.seconds_prepare;
    result["seconds_per_iteration"] = done.seconds_per_iteration;
    result["largest_skin_move_mm"] = 1e3 * done.largest_skin_move;
    result["inverted_tets"] = done.inverted_tets;
    if (!context.is_quiet && !context.wants_json) {
        fmt::print(
            "{}: {} muscles contracted; {} iterations of {:.0f} ms, skin moves up to {:.1f} mm\n",
            s.output, done.muscles.size(), done.iterations, 1e3 * done.seconds_per_iteration,
            1e3 * done.largest_skin_move);
    }
    return kOk;
}

int run_curves(const ContractSettings& s, const ContractJob& job, const Context& context,
               Json& result) {
    const StretchCurves curves = run_stretch_curves(job, context.progress);
    write_stretch_curves(s.output, curves);
    result = {{"output", s.output},
              {"muscles", Json::array()},
              {"rest_length_m", curves.rest_length},
              {"greatest_force_n", curves.greatest_force},
              {"length_m", curves.length},
              {"curves", Json::array()},
              {"unsettled", curves.unsettled}};
    for (std::size_t a = 0; a < curves.activation.size(); ++a) {
        Json force = Json::array();
        Json stretch = Json::array();
        double volume = 0.0;
        double stress = 0.0;
        for (const MuscleState& m : curves.muscles[a]) {
            force.push_back(m.force);
            stretch.push_back(m.mean_fibre_stretch);
            volume = std::abs(m.volume_change) > std::abs(volume) ? m.volume_change : volume;
            stress = std::max(stress, m.max_fibre_stress);
        }
        result["curves"].push_back({{"activation", curves.activation[a]},
                                    {"force_n", std::move(force)},
                                    {"fibre_stretch", std::move(stretch)},
                                    {"volume_change", volume},
                                    {"max_fibre_stress_pa", stress}});
    }
    if (!context.is_quiet && !context.wants_json) {
        fmt::print("{}: {} curves of {} lengths\n", s.output, curves.activation.size(),
                   curves.length.size());
    }
    return kOk;
}

Json muscle_json(const ContractRun& run, std::size_t m) {
    const MuscleState& last = run.frames.back().muscles[m];
    double volume = 0.0;
    double force = 0.0;
    double stress = 0.0;
    for (const ContractFrame& f : run.frames) {
        const MuscleState& s = f.muscles[m];
        volume = std::abs(s.volume_change) > std::abs(volume) ? s.volume_change : volume;
        force = std::max(force, s.force);
        stress = std::max(stress, s.max_fibre_stress);
    }
    return {{"name", last.name},
            {"activation", last.activation},
            {"volume_change", volume},
            {"force_n", last.force},
            {"peak_force_n", force},
            {"greatest_force_n", run.scene.fmax[m]},
            {"length_m", last.length},
            {"max_fibre_stress_pa", stress},
            {"fibre_stretch", last.mean_fibre_stretch},
            {"tendon_stretch", last.mean_tendon_stretch},
            {"section_m2", last.belly_section},
            {"section_at_start_m2", run.frames.front().muscles[m].belly_section}};
}

/// Which muscle lies in what, and where along it.
Json overlap_json(const ContractRun& run) {
    const MuscleOverlap& o = run.deepest;
    const MuscleScene& scene = run.scene;
    const auto name = [&](Index m) { return scene.names[static_cast<std::size_t>(m)]; };
    return {{"muscle", name(o.muscle)},
            {"in",
             o.other >= 0 ? name(o.other) : scene.obstacles[static_cast<std::size_t>(o.bone)].name},
            {"share_of_way", scene.volume.share[static_cast<std::size_t>(o.vertex)]}};
}

void write_series(const std::filesystem::path& path, const ContractRun& run) {
    std::string text =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n <Collection>\n";
    for (std::size_t f = 0; f < run.frames.size(); ++f) {
        text += fmt::format("  <DataSet timestep=\"{}\" file=\"frame_{:04}.vtu\"/>\n",
                            run.frames[f].time, f);
    }
    write_file_bytes(path, text + " </Collection>\n</VTKFile>\n");
}

int run_contract(const ContractSettings& s, const Context& context, Json& result) {
    const ContractJob job = job_of(s);
    const std::filesystem::path folder = s.output;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw InputError({.where = s.output,
                          .found = error.message(),
                          .needs = "a folder that can be written to",
                          .remedy = "name another folder"});
    }
    require_writable_place(folder / "measures.sto");
    if (job.is_torus) {
        const TorusRun torus = write_torus(folder, job, context.progress);
        result = {{"output", s.output},
                  {"muscles", Json::array()},
                  {"tets", torus.mesh.tets.rows()},
                  {"frames", torus.frames.size()},
                  {"stable_step_s", torus.stable_step},
                  {"step_s", torus.step},
                  {"steps", torus.steps},
                  {"simulate_s", torus.seconds},
                  {"rebound_m", torus.highest_rebound}};
        return torus.frames.back().allFinite() ? kOk : kUnusable;
    }
    if (!job.curves.empty()) {
        return run_curves(s, job, context, result);
    }
    if (s.is_whole_body) {
        return run_whole_body(s, job, context, result);
    }
    const ContractRun done =
        run_contraction(job, context.progress, [&](int frame, const MuscleSimulator& simulator) {
            if (!s.without_frames) {
                write_vtu(folder / fmt::format("frame_{:04}.vtu", frame), simulator.frame());
            }
        });
    if (!s.without_frames) {
        write_series(folder / "frames.pvd", done);
        write_contraction_glb(folder / "muscles.glb", done);
        write_film_strip(folder / "film.png", done, s.turn, context.progress);
    }
    const bool over_activation = job.is_static && job.keys.coordinates.times.empty();
    write_contraction_plots(folder, done, over_activation);
    result["output"] = s.output;
    result["muscles"] = Json::array();
    for (std::size_t m = 0; m < done.scene.names.size(); ++m) {
        result["muscles"].push_back(muscle_json(done, m));
    }
    result["tets"] = done.scene.volume.mesh.tets.rows();
    result["frames"] = done.frames.size();
    result["fill_s"] = done.seconds_fill;
    result["simulate_s"] = done.seconds_simulate;
    result["largest_volume_change"] = done.largest_volume_change;
    result["deepest_penetration_mm"] = 1e3 * done.deepest.depth;
    if (done.deepest.muscle >= 0) {
        result["deepest_penetration"] = overlap_json(done);
    }
    result["stalled_steps"] = done.stalled_steps;
    result["finite"] = done.is_finite;
    if (!context.is_quiet && !context.wants_json) {
        fmt::print("{}: {} frames of {} tetrahedra in {:.1f} s, volume to {:.2f} %\n", s.output,
                   done.frames.size(), done.scene.volume.mesh.tets.rows(), done.seconds_simulate,
                   1e2 * done.largest_volume_change);
        for (const MuscleState& m : done.frames.back().muscles) {
            fmt::print("  {:32} a {:.2f}  {:7.1f} N  {:6.1f} mm  fibres {:.3f}  tendon {:.3f}\n",
                       m.name, m.activation, m.force, 1e3 * m.length, m.mean_fibre_stretch,
                       m.mean_tendon_stretch);
        }
    }
    return done.is_finite ? kOk : kUnusable;
}

}  // namespace

Verb contract_verb() {
    auto settings = std::make_shared<ContractSettings>();
    Verb verb{
        .name = "contract",
        .summary = "Contract volumetric muscles: at rest, in time, or in the whole body",
        .examples =
            "  sinew contract man.sinew --muscles biceps_l,triceps_l --activation 0..1 --statics "
            "-o "
            "out\n"
            "  sinew contract man.sinew --muscles biceps_l --activation walk.sto -o out\n"
            "  sinew contract examples/contract_arm.json -o out         key frames of the joints\n"
            "  sinew contract examples/contract_bench.json -o out       one muscle on the bench\n"
            "  sinew contract examples/contract_curves.json -o out      its force over stretch\n"
            "  sinew contract examples/contract_torus.json -o out       the bouncing ring\n"
            "  sinew contract man.sinew --muscles biceps --activation 1 --whole-body -o out\n"
            "Scene files are described in docs/muscle.md. Exit code 1 when positions are not "
            "finite.",
        .options = {{.name = "scene",
                     .help = "a body (.sinew), or a scene (.json)",
                     .target = &settings->scene,
                     .metavar = "SCENE|BODY",
                     .is_required = true},
                    {.name = "--muscles",
                     .help = "names or groups, comma separated",
                     .target = &settings->muscles,
                     .metavar = "LIST"},
                    {.name = "--activation",
                     .help = "0 to 1, a ramp 0..1, a table .sto, keys or keys-hill",
                     .target = &settings->activation,
                     .metavar = "A"},
                    {.name = "--statics",
                     .help = "equilibrium in every frame, without inertia",
                     .target = &settings->is_static},
                    {.name = "--whole-body",
                     .help = "contract in the body's own mesh, so that the skin shows it",
                     .target = &settings->is_whole_body},
                    {.name = "--measures-only",
                     .help = "no frames, no animation, no film",
                     .target = &settings->without_frames},
                    {.name = "--duration",
                     .help = "of the simulation",
                     .target = &settings->duration,
                     .metavar = "S"},
                    {.name = "--rate",
                     .help = "frames per second",
                     .target = &settings->rate,
                     .metavar = "HZ"},
                    {.name = "--turn",
                     .help = "of the film's camera, 0 from the front, towards the body's left",
                     .target = &settings->turn,
                     .metavar = "DEG"},
                    {.name = "-o,--output",
                     .help = "folder for frames, animation, plots and film",
                     .target = &settings->output,
                     .metavar = "DIR",
                     .is_required = true}},
        .run = {}};
    add_field_options(verb.options, settings->options);
    add_field_options(verb.options, settings->simulator);
    verb.run = [settings](const Context& context, Json& result) {
        return run_contract(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
