#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/make_body.h"
#include "sinew/render/plot.h"
#include "sinew/render/png.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>

#include "bench/convergence_bench.h"
#include "bench/growth_bench.h"
#include "bench/growth_plans.h"
#include "bench/solver_bench.h"
#include "cli/verbs/bench_fit.h"
#include "cli/verbs/bench_fit_table.h"
#include "cli/verbs/bench_layers.h"
#include "cli/verbs/bench_motion.h"
#include "cli/verbs/bench_muscle.h"
#include "cli/verbs/bench_musculoskeletal.h"
#include "cli/verbs/bench_people.h"
#include "cli/verbs/bench_retarget.h"
#include "cli/verbs/bench_skinning.h"
#include "cli/verbs/bench_studio.h"
#include "cli/verbs/bench_template.h"
#include "cli/verbs/bench_trials.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct BenchSettings {
    std::string name;
    std::string output;
    std::string skins;
    std::string body;
    std::string data;
    bool is_short = false;
};

Image scaling_plot(const bench::SolverBench& b) {
    Series measured{.name = "measured"};
    Series bound{.name = "n^1.4 from the smallest"};
    for (std::size_t k = 0; k < b.scaling_ms.size(); ++k) {
        const double n = b.scaling_vertices[k];
        measured.x.push_back(n);
        measured.y.push_back(b.scaling_ms[k]);
        bound.x.push_back(n);
        bound.y.push_back(b.scaling_ms[0] * std::pow(n / b.scaling_vertices[0], 1.4));
    }
    Series dots = measured;
    dots.name.clear();
    dots.form = SeriesForm::Dots;
    dots.colour = Rgb8{40, 40, 40};
    const Series all[] = {measured, bound, dots};
    return plot(all, {.title = fmt::format("One local/global iteration, {} threads", b.threads),
                      .x_label = "vertices",
                      .y_label = "ms",
                      .log_x = true,
                      .log_y = true});
}

Image convergence_plot(const bench::ConvergenceBench& b) {
    std::vector<Series> all;
    constexpr std::size_t kShown = 100;
    for (const bench::ConvergenceCurve* curve : b.curves()) {
        Series series{.name = curve->name};
        for (std::size_t k = 0; k < std::min(kShown, curve->error.size()); ++k) {
            // Below that energies in single precision are rounding.
            constexpr double kRounding = 1e-6;
            if (curve->error[k] > kRounding) {
                series.x.push_back(static_cast<double>(k));
                series.y.push_back(curve->error[k]);
            }
        }
        all.push_back(std::move(series));
    }
    return plot(all, {.title = "Relative energy above the minimum, by matrix and method",
                      .x_label = "iterations",
                      .log_y = true});
}

void add_convergence(const bench::ConvergenceBench& b, Json& result) {
    const auto& fast = b.rest_accelerated;
    result["energy_error_after_10"] = fast.error[std::min<std::size_t>(10, fast.error.size() - 1)];
    result["plain_iterations_to_permille"] = b.rest_plain.to_permille;
    result["accelerated_iterations_to_permille"] = fast.to_permille;
}

Image bench_solver(const BenchSettings& settings, const Context& context, Json& result) {
    const bench::SolverBench b =
        bench::run_solver_bench({.with_scaling = !settings.is_short}, context.progress);
    result = {{"bench", "solver"},
              {"vertices", b.vertices},
              {"tets", b.tets},
              {"threads", b.threads},
              {"iteration_ms", b.iteration_ms},
              {"accelerated_iteration_ms", b.accelerated_iteration_ms},
              {"local_ms", b.local_ms},
              {"global_ms", b.global_ms},
              {"rhs_ms", b.rhs_ms},
              {"factor_s", b.factor_s},
              {"refactor_s", b.refactor_s},
              {"factor_nonzeros", b.factor_nonzeros},
              {"bandwidth_gbs", b.bandwidth_gbs},
              {"global_over_bound", b.global_over_bound},
              {"global_one_thread_ms", b.global_one_thread_ms},
              {"local_mtets_per_s", b.local_mtets_per_s},
              {"memory_mb", b.memory_mb}};
    if (b.has_baseline) {
        result["baseline_iteration_ms"] = b.baseline_iteration_ms;
        result["baseline_factor_s"] = b.baseline_factor_s;
        result["speedup"] = b.speedup;
    } else {
        result["baseline"] = "absent: built without OpenMP (Debian: libomp-dev)";
    }
    if (b.cholmod) {
        result["cholmod_factor_s"] = b.cholmod->factor_s;
        result["cholmod_solve_ms"] = b.cholmod->solve_ms;
        result["cholmod_nonzeros"] = b.cholmod->nonzeros;
    }
    if (settings.is_short) {
        return {};
    }
    result["scaling_exponent"] = b.scaling_exponent;
    result["scaling_vertices"] = b.scaling_vertices;
    result["scaling_ms"] = b.scaling_ms;
    add_convergence(bench::run_convergence_bench(0.01085, context.progress), result);
    return scaling_plot(b);
}

Image bench_convergence(const BenchSettings&, const Context& context, Json& result) {
    const bench::ConvergenceBench b = bench::run_convergence_bench(0.01085, context.progress);
    result = {{"bench", "convergence"},
              {"vertices", b.vertices},
              {"energy", b.minimum},
              {"refactor_s", b.refactor_s}};
    add_convergence(b, result);
    for (const bench::ConvergenceCurve* curve : b.curves()) {
        result["curves"].push_back({{"name", curve->name},
                                    {"iterations_to_percent", curve->to_percent},
                                    {"iterations_to_permille", curve->to_permille},
                                    {"seconds", curve->seconds},
                                    {"error", curve->error}});
    }
    return convergence_plot(b);
}

Image bench_changing(const BenchSettings&, const Context& context, Json& result) {
    const bench::ChangingBench b = bench::run_changing_bench(0.01085, context.progress);
    result = {
        {"bench", "changing"}, {"vertices", b.vertices}, {"plain_solve_ms", b.plain_solve_ms}};
    for (const bench::ChangingTimes& t : b.times) {
        result["times"].push_back({{"rows", t.rows},
                                   {"woodbury_change_ms", t.woodbury_change_ms},
                                   {"woodbury_solve_ms", t.woodbury_solve_ms},
                                   {"second_change_ms", t.second_change_ms},
                                   {"second_solve_ms", t.second_solve_ms},
                                   {"gradient_solve_ms", t.gradient_solve_ms},
                                   {"gradient_steps", t.gradient_steps}});
    }
    return {};
}

Image growth_plot(const bench::GrowthBench& b) {
    std::vector<Series> all;
    for (const auto& [name, energy] : {std::pair{"matrix of rest", &b.rest_hessian_energy},
                                       std::pair{"exact matrix", &b.exact_hessian_energy}}) {
        Series series{.name = name};
        for (std::size_t k = 0; k < energy->size(); ++k) {
            series.x.push_back(static_cast<double>(k));
            series.y.push_back(std::max((*energy)[k], 1e-6));
        }
        all.push_back(std::move(series));
    }
    return plot(all, {.title = "Muscle growth: energy above the minimum, relative",
                      .x_label = "iterations",
                      .log_y = true});
}

Image bench_growth(const BenchSettings& settings, const Context& context, Json& result) {
    MakeBodyOptions preview;
    preview.body.resolution = BodyResolution::Preview;
    preview.figure = figure_for(preview.figure, BodyResolution::Preview);
    const Body body = settings.body.empty() ? make_body(preview, context.progress).body
                                            : read_body_with_tets(settings.body);
    Json plans = Json::array();
    const std::filesystem::path scratch =
        std::filesystem::temp_directory_path() / fmt::format("sinew_bench_{}.sinew", ::getpid());
    for (const bench::PlanBench& p : bench::run_growth_plans(body, scratch, context.progress)) {
        plans.push_back({{"plan", p.plan},
                         {"iterations", p.iterations},
                         {"converged", p.is_converged},
                         {"reached", p.is_reached},
                         {"reported_muscle_l", p.reported_muscle},
                         {"written_muscle_l", p.written_muscle},
                         {"median_error", p.median_error},
                         {"worst_error", p.worst_error},
                         {"worst_muscle", p.worst_muscle},
                         {"mesh_error", p.mesh_error},
                         {"inverted_tets", p.inverted},
                         {"crossing_pairs", p.crossing}});
    }
    const bench::SliderBench s = bench::run_slider_bench(body, context.progress);
    Json foreseen = Json::array();
    for (const bench::SliderBench::Foreseen& f : s.foreseen) {
        foreseen.push_back({{"plan", f.plan},
                            {"moved_mm", f.moved_mm},
                            {"error_mm", f.error_mm},
                            {"plain_error_mm", f.plain_mm},
                            {"ms", f.ms}});
    }
    const Json slider = {{"steps", s.steps},
                         {"step_ms", s.step_ms},
                         {"skin_error_mm", s.skin_error_mm},
                         {"first_error_mm", s.first_error_mm},
                         {"jump_iterations", s.jump_iterations},
                         {"learning_s", s.learning_s},
                         {"foreseen_step_ms", s.foreseen_step_ms},
                         {"foreseen_error_mm", s.foreseen_error_mm},
                         {"foreseen", foreseen}};
    if (settings.is_short) {
        result = {{"bench", "growth"},
                  {"tets", body.tets.tets.rows()},
                  {"plans", plans},
                  {"slider", slider}};
        return {};
    }
    const bench::GrowthBench b = bench::run_growth_bench(body, context.progress);
    result = {{"bench", "growth"},
              {"plans", plans},
              {"slider", slider},
              {"vertices", b.vertices},
              {"tets", b.tets},
              {"threads", b.threads},
              {"volume_error_16", b.volume_error_16},
              {"volume_error_16_uncorrected", b.volume_error_16_uncorrected},
              {"volume_loss_16_without_term", b.volume_loss_16_without_term},
              {"median_muscle_error_16", b.median_muscle_error_16},
              {"worst_muscle_error_16", b.worst_muscle_error_16},
              {"total_muscle_error_16", b.total_muscle_error_16},
              {"muscle_mesh_error_16", b.muscle_mesh_error_16},
              {"inverted_14", b.inverted_14},
              {"inverted_16", b.inverted_16},
              {"inverted_14_of_body", b.inverted_14_of_body},
              {"inverted_16_of_body", b.inverted_16_of_body},
              {"skin_error_after_10_mm", b.skin_error_after_10_mm},
              {"skin_error_after_20_mm", b.skin_error_after_20_mm},
              {"skin_offset_after_10_mm", b.skin_offset_after_10_mm},
              {"factor_s", b.factor_s},
              {"set_ms", b.set_ms},
              {"iteration_ms", b.iteration_ms},
              {"updates_per_s", b.updates_per_s},
              {"ten_iterations_s", b.ten_iterations_s},
              {"refactorisations", b.refactorisations},
              {"print_14_mm", b.print_14_mm},
              {"print_14_without_envelope_mm", b.print_14_without_envelope_mm},
              {"fat_skin_stretch_fluid", b.fat_skin_stretch_fluid},
              {"fat_skin_stretch_solid", b.fat_skin_stretch_solid},
              {"fat_roughness_rest", b.fat_roughness_rest},
              {"fat_roughness_fluid", b.fat_roughness_fluid},
              {"fat_roughness_solid", b.fat_roughness_solid},
              {"head_strain", b.head_strain},
              {"joint_gap_change_mm", b.joint_gap_change_mm},
              {"bone_inverted", b.bone_inverted},
              {"skin_intersections_rest", b.skin_intersections_rest},
              {"skin_intersections", b.skin_intersections},
              {"weight_error_kg", b.weight_error_kg},
              {"body_fat_error", b.body_fat_error},
              {"rest_hessian_energy", b.rest_hessian_energy},
              {"exact_hessian_energy", b.exact_hessian_energy}};
    if (!settings.skins.empty()) {
        make_output_folder(settings.skins);
        const bench::FlexedMuscle biceps = bench::flex_and_grow_biceps(body, context.progress);
        result["flexed_volume"] = biceps.flexed_volume;
        result["grown_volume"] = biceps.grown_volume;
        for (const std::vector<MeshPart>* parts : {&b.fat_skins, &biceps.shapes}) {
            for (const MeshPart& part : *parts) {
                write_surface(std::filesystem::path(settings.skins) / (part.name + ".ply"),
                              std::span(&part, 1));
            }
        }
    }
    return growth_plot(b);
}

int run_bench(const BenchSettings& settings, const Context& context, Json& result) {
    const bool has_plot =
        settings.name == "layers" || settings.name == "convergence" ||
        ((settings.name == "growth" || settings.name == "solver" || settings.name == "skinning") &&
         !settings.is_short);
    const bool has_table = settings.name == "fit";
    if (has_table) {
        require_ending("bench", "--output", settings.output, {".md"});
    } else if (!settings.output.empty() && !has_plot) {
        throw InputError({.where = "--output",
                          .found = settings.output,
                          .needs = "a bench that draws: convergence, layers, or growth, solver or "
                                   "skinning without --short",
                          .remedy = "leave --output out"});
    }
    if (settings.name == "template") {
        bench_template(settings.is_short, context, result);
    }
    if (settings.name == "musculoskeletal") {
        bench_musculoskeletal(settings.data, context, result);
    }
    if (settings.name == "trials") {
        bench_trials(settings.data, context, result);
    }
    if (settings.name == "retarget") {
        bench_retarget(settings.data, settings.is_short, context, result);
    }
    if (settings.name == "people") {
        bench_people(settings.is_short, context, result);
    }
    if (settings.name == "studio") {
        bench_studio(settings.body, context, result);
    }
    if (settings.name == "fit") {
        bench_fit(settings.data.empty() ? "../shared/scans" : settings.data, settings.skins,
                  settings.is_short, context, result);
    }
    if (settings.name == "motion") {
        bench_motion(settings.data, settings.is_short, context, result);
    }
    const bool is_done = settings.name == "studio" || settings.name == "template" ||
                         settings.name == "musculoskeletal" || settings.name == "motion" ||
                         settings.name == "fit" || settings.name == "trials" ||
                         settings.name == "people" || settings.name == "retarget";
    const Image image =
        is_done                          ? Image{}
        : settings.name == "solver"      ? bench_solver(settings, context, result)
        : settings.name == "convergence" ? bench_convergence(settings, context, result)
        : settings.name == "growth"      ? bench_growth(settings, context, result)
        : settings.name == "skinning"    ? bench_skinning(settings.is_short, context, result)
        : settings.name == "layers"      ? bench_layers(settings.body, context, result)
        : settings.name == "muscle"
            ? bench_muscles(settings.is_short, settings.body, context, result)
            : bench_changing(settings, context, result);
    if (!settings.output.empty()) {
        write_file_bytes(settings.output, has_table ? fit_bench_tables(result) : encode_png(image));
    }
    if (context.tells()) {
        for (const auto& [key, value] : result.items()) {
            fmt::print("{:<36} {}\n", key, value.dump());
        }
    }
    return kOk;
}

}  // namespace

Verb bench_verb() {
    auto settings = std::make_shared<BenchSettings>();
    return {
        .name = "bench",
        .summary = "Time a part of Sinew against a named baseline in the same run",
        .examples =
            "  sinew bench solver --json      about two minutes, on an otherwise idle machine\n"
            "  sinew bench solver --short     without scaling and convergence\n"
            "  sinew bench convergence -o curves.png    rest against exact matrix\n"
            "  sinew bench changing           rows that come and go, by three methods\n"
            "  sinew bench template --json    builds the human and measures it; --short: preview\n"
            "  sinew bench growth --json      volumes, convergence, speed, fat, bones of a "
            "preview\n"
            "  sinew bench growth --body body.sinew     the same of another body\n"
            "  sinew bench fit --data ../shared/scans --short --json\n"
            "  sinew bench layers -o ablations.png\n"
            "  sinew bench musculoskeletal --data ../shared/musculoskeletal --json\n"
            "  sinew bench trials --data ../shared/musculoskeletal --json     against OpenSim\n"
            "  sinew bench retarget --data ../shared/musculoskeletal --json     other bodies\n"
            "  sinew bench motion --data ../shared --json     recordings on bodies and models\n"
            "  sinew bench people --json      a grid and a hundred people; --short: a few\n"
            "  sinew bench skinning --json    frames per second of a person, and by size\n"
            "  sinew bench studio --body preview.sinew --json     the server and its clients",
        .options =
            {{.name = "name",
              .help = "what to time: solver, convergence, changing, template, growth, "
                      "musculoskeletal, motion, skinning, muscle, fit, layers, people, retarget, "
                      "studio, trials",
              .target = &settings->name,
              .metavar = "NAME",
              .choices = {"solver", "convergence", "changing", "template", "growth",
                          "musculoskeletal", "motion", "skinning", "muscle", "fit", "layers",
                          "people", "retarget", "studio", "trials"},
              .is_required = true},
             {.name = "--short", .help = "only the main scene", .target = &settings->is_short},
             {.name = "--body",
              .help = "of growth, muscle, layers and studio: the body",
              .target = &settings->body,
              .metavar = "BODY.sinew"},
             {.name = "--data",
              .help = "of musculoskeletal, retarget and trials: the folder with mass, arm26 and "
                      "trials; else "
                      "musculoskeletal in $SINEW_SHARED or ../shared; of motion: the folder with "
                      "motion, scans and musculoskeletal; of fit: the folder with raw, registered "
                      "and mhr",
              .target = &settings->data,
              .metavar = "FOLDER"},
             {.name = "--skins",
              .help = "of growth: write skins of doubled fat (rest, fluid, solid) and a "
                      "biceps (relaxed, flexed, grown) as PLY; of fit: where people are kept, else "
                      "in the cache, so that it goes on where it stopped",
              .target = &settings->skins,
              .metavar = "FOLDER"},
             {.name = "-o,--output",
              .help =
                  "a plot to write: scaling, or the convergence curves; of layers: pictures; of "
                  "fit: tables, .md",
              .target = &settings->output,
              .metavar = "FILE.png"}},
        .run = [settings](const Context& context, Json& result) {
            return run_bench(*settings, context, result);
        }};
}

}  // namespace sinew::cli
