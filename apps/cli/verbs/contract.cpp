#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/vtu.h"
#include "sinew/pipeline/contract_job.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

#include "cli/field_options.h"
#include "cli/interrupt.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ContractFlags {
    std::string scene;
    std::string output;
    JobFlags<ContractSettings> flags;
};

// The scene file or the body, overridden by flags.
ContractSettings settings_from(const ContractFlags& s) {
    ContractSettings settings;
    if (lower(std::filesystem::path(s.scene).extension().string()) == ".json") {
        settings = read_contract_settings(s.scene);
    } else {
        settings.body = s.scene;
    }
    s.flags.apply(settings);
    return settings;
}

void report(ContractSummary summary, const std::string& output, Json& result) {
    summary.output = output;
    add_fields(summary, result);
}

int run_whole_body(const std::string& output, const ContractJob& job, const Context& context,
                   Json& result) {
    const BodyContraction done = contract_body(job, context.progress);
    const std::filesystem::path folder = output;
    write_body_contraction(folder / "body.glb", done);
    write_body_strip(folder / "film.png", done, context.progress);
    report(summary_of(done), output, result);
    if (context.tells()) {
        fmt::print(
            "{}: {} muscles contracted; {} iterations of {:.0f} ms, skin moves up to {:.1f} mm\n",
            output, done.muscles.size(), done.iterations, 1e3 * done.seconds_per_iteration,
            1e3 * done.largest_skin_move);
    }
    return kOk;
}

int run_curves(const std::string& output, const ContractJob& job, const Context& context,
               Json& result) {
    const StretchCurves curves = run_stretch_curves(job, context.progress);
    write_stretch_curves(output, curves);
    report(summary_of(curves), output, result);
    if (context.tells()) {
        fmt::print("{}: {} curves of {} lengths\n", output, curves.activation.size(),
                   curves.length.size());
    }
    return kOk;
}

int run_contract(const ContractFlags& s, const Context& context, Json& result) {
    const ContractSettings settings = settings_from(s);
    const ContractJob job = job_of(settings, s.scene);
    const std::filesystem::path folder = s.output;
    make_output_folder(s.output);
    if (job.is_torus) {
        const TorusRun torus = write_torus(folder, job, context.progress);
        report(summary_of(torus), s.output, result);
        return torus.frames.back().allFinite() ? kOk : kUnusable;
    }
    if (!job.curves.empty()) {
        return run_curves(s.output, job, context, result);
    }
    if (settings.is_whole_body) {
        return run_whole_body(s.output, job, context, result);
    }
    std::vector<std::string> files;
    const ContractRun done =
        run_contraction(job, context.progress, [&](int frame, const MuscleSimulator& simulator) {
            if (!settings.has_measures_only) {
                files.push_back(fmt::format("frame_{:04}.vtu", frame));
                write_vtu(folder / files.back(), simulator.frame());
                note_kept(fmt::format("{} frames are complete in '{}': {} to {}", files.size(),
                                      s.output, files.front(), files.back()));
            }
        });
    if (!settings.has_measures_only) {
        std::vector<double> times;
        for (const ContractFrame& frame : done.frames) {
            times.push_back(frame.time);
        }
        write_pvd(folder / "frames.pvd", times, files);
        write_contraction_glb(folder / "muscles.glb", done);
        write_film_strip(folder / "film.png", done, settings.turn, context.progress);
    }
    const bool over_activation = job.is_static && job.keys.coordinates.times.empty();
    write_contraction_plots(folder, done, over_activation);
    report(summary_of(done), s.output, result);
    if (context.tells()) {
        fmt::print("{}: {} frames of {} tetrahedra in {:.1f} s, volume to {:.2f} %\n", s.output,
                   done.frames.size(), done.scene.volume.mesh.tets.rows(), done.seconds_simulate,
                   1e2 * done.largest_volume_change);
        for (const MuscleState& m : done.frames.back().muscles) {
            fmt::print(
                "  {:32} a {:.2f}  {:7.1f} N  {:6.1f} mm  fibres {:.3f}  tendon {:.3f}  "
                "least J {:.2f}\n",
                m.name, m.activation, m.force, 1e3 * m.length, m.mean_fibre_stretch,
                m.mean_tendon_stretch, m.least_volume_ratio);
        }
    }
    return done.is_finite ? kOk : kUnusable;
}

}  // namespace

Verb contract_verb() {
    auto settings = std::make_shared<ContractFlags>();
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
                    {.name = "-o,--output",
                     .help = "folder for frames, animation, plots and film",
                     .target = &settings->output,
                     .metavar = "DIR",
                     .is_required = true}},
        .run = {}};
    settings->flags.add_to(verb.options, {"body"});
    verb.describe = [](Json& definitions) {
        add_schema("job", ContractSettings{}, SchemaOf::File, definitions);
        add_schema("result", ContractSummary{}, SchemaOf::Result, definitions);
    };
    verb.run = [settings](const Context& context, Json& result) {
        return run_contract(*settings, context, result);
    };
    return verb;
}

}  // namespace sinew::cli
