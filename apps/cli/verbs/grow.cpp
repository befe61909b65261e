#include "sinew/base/error.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/growth/gravity_preview.h"
#include "sinew/io/asset.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/growth_recipe.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <filesystem>
#include <memory>

#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct GrowSettings {
    std::string input;
    std::string output;
    std::string recipe;
    std::vector<std::string> muscles;
    std::vector<std::string> fat;
    std::vector<std::string> bones;
    double stature = 0.0;
    double weight = 0.0;
    double body_fat = 0.0;
    bool by_volume = false;
    std::string distribution;
    std::vector<std::string> fat_maps;
    std::string transfer;
    bool shows_gravity = false;
    std::string jump;
    int iterations = 0;
};

std::pair<std::string, std::string> split_entry(const std::string& text, const char* flag) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        throw InputError({.where = flag,
                          .found = fmt::format("'{}'", text),
                          .needs = "NAME=VALUE, as in biceps=1.5",
                          .remedy = "see 'sinew grow --help'"});
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

NamedValue named_value(const std::string& text, const char* flag) {
    const auto [name, word] = split_entry(text, flag);
    double value = 0.0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || stop != word.data() + word.size()) {
        throw InputError({.where = fmt::format("{} {}", flag, name),
                          .found = fmt::format("'{}'", word),
                          .needs = "a number",
                          .remedy = "write it as in biceps=1.5"});
    }
    return {name, value};
}

// The recipe, overridden by flags.
GrowthPlan plan_from(const GrowSettings& s, const Body& body) {
    GrowthPlan plan;
    if (!s.recipe.empty()) {
        plan = read_growth_recipe(s.recipe).plan;
    }
    for (const std::string& text : s.muscles) {
        plan.muscles.push_back(named_value(text, "--muscle"));
    }
    for (const std::string& text : s.fat) {
        plan.fat.push_back(named_value(text, "--fat"));
    }
    for (const std::string& text : s.bones) {
        plan.bones.push_back(named_value(text, "--bone"));
    }
    for (const std::string& text : s.fat_maps) {
        const auto [name, file] = split_entry(text, "--fat-map");
        const std::vector<MeshPart> painted = read_surface(file);
        if (painted.size() != 1) {
            throw InputError({.where = file,
                              .found = fmt::format("{} parts", painted.size()),
                              .needs = "one painted skin",
                              .remedy = "export the skin alone, as PLY"});
        }
        plan.fat_maps.emplace_back(name, fat_map_from_mesh(body, painted[0].mesh, file));
    }
    const auto given = [](double value) { return value != 0.0; };
    if (given(s.stature)) {
        plan.stature = s.stature;
    }
    if (given(s.weight)) {
        plan.weight = s.weight;
        plan.body_fat.reset();
    }
    if (given(s.body_fat)) {
        plan.body_fat = s.body_fat >= 1.0 ? s.body_fat / 100.0 : s.body_fat;
        if (!given(s.weight)) {
            plan.weight.reset();
        }
    }
    if (s.by_volume) {
        plan.fat_model = FatModel::Volume;
    }
    if (!s.distribution.empty()) {
        plan.fat_distribution = s.distribution;
    }
    if (!s.transfer.empty()) {
        plan.fat_transfer = fat_transfer_ratios(read_body_with_tets(s.transfer), body);
    }
    if (s.iterations != 0) {
        plan.iterations = s.iterations;
    }
    plan.shows_gravity = plan.shows_gravity || s.shows_gravity;
    return plan;
}

void describe_growth(const GrowthResult& grown, Json& result) {
    const MuscleGrowthReport& report = grown.muscle_report;
    result["iterations"] = report.iterations;
    result["converged"] = grown.is_converged;
    result["seconds"] = grown.seconds;
    result["volume_error"] = report.volume_error.total;
    result["inverted_tets"] = grown.inverted_tets;
    result["refactorisations"] = report.refactorisations;
    result["mass_kg"] = grown.mass;
    result["body_fat"] = grown.body_fat;
    result["stature_m"] = grown.stature;
    result["muscles"] = Json::array();
    for (const MuscleMeasure& m : grown.muscles) {
        result["muscles"].push_back({{"name", m.name},
                                     {"alpha", m.alpha},
                                     {"volume_ml_before", 1e6 * m.before},
                                     {"volume_ml_after", 1e6 * m.after},
                                     {"belly_ml_before", 1e6 * m.belly_before},
                                     {"belly_ml_after", 1e6 * m.belly_after}});
    }
    result["fat"] = Json::array();
    for (const FatReport::Region& region : grown.fat_report.regions) {
        result["fat"].push_back({{"region", region.name},
                                 {"wanted", region.wanted},
                                 {"reached", region.reached},
                                 {"gamma", region.gamma}});
    }
    result["warnings"] = grown.warnings;
}

std::vector<Option> options_of(GrowSettings& s) {
    return {
        {.name = "body",
         .help = "a body made by 'sinew build'",
         .target = &s.input,
         .metavar = "BODY.sinew",
         .is_required = true},
        {.name = "--muscle",
         .help = "factor across the fibres of a muscle, a group, or all; _l or _r for one side",
         .target = &s.muscles,
         .metavar = "NAME=A"},
        {.name = "--fat",
         .help = "factor of the fat of a region: belly, hips, chest, back, arms, legs, face, "
                 "uniform, or a --fat-map",
         .target = &s.fat,
         .metavar = "REGION=X"},
        {.name = "--bone",
         .help = "length of a limb's bone, or size of trunk, pelvis, neck, head, hands, feet",
         .target = &s.bones,
         .metavar = "NAME=S"},
        {.name = "--stature", .help = "height", .target = &s.stature, .metavar = "M"},
        {.name = "--weight", .help = "mass, reached by fat", .target = &s.weight, .metavar = "KG"},
        {.name = "--body-fat",
         .help = "share of the mass, as 0.28 or 28 (%), reached by fat",
         .target = &s.body_fat,
         .metavar = "F"},
        {.name = "--recipe",
         .help = "all of this from a JSON file; flags override it",
         .target = &s.recipe,
         .metavar = "R.json"},
        {.name = "--volume-fat",
         .help = "fat grows by scaling what is there instead of by pressure",
         .target = &s.by_volume},
        {.name = "--fat-distribution",
         .help = "where fat goes for --weight and --body-fat: a region",
         .target = &s.distribution,
         .metavar = "REGION"},
        {.name = "--fat-map",
         .help = "a region of your own: the vertex colours of a PLY",
         .target = &s.fat_maps,
         .metavar = "NAME=FILE"},
        {.name = "--fat-from",
         .help = "first copy the fat of another body",
         .target = &s.transfer,
         .metavar = "BODY.sinew"},
        {.name = "--gravity",
         .help = "also find how the flesh hangs (a preview; the rest shape stays)",
         .target = &s.shows_gravity},
        {.name = "--jump",
         .help = "also write an animation of the body jumping",
         .target = &s.jump,
         .metavar = "FILE.glb"},
        {.name = "--iterations",
         .help = "of muscle growth at most",
         .target = &s.iterations,
         .metavar = "N"},
        {.name = "-o,--output",
         .help = "the grown body: .sinew, .glb (with morphs), .obj, .vtu, .usda ...",
         .target = &s.output,
         .metavar = "FILE",
         .is_required = true}};
}

int run_grow(const GrowSettings& s, const Context& context, Json& result) {
    require_known_output(s.output);
    const Body rest = read_body_with_tets(s.input);
    GrowthResult grown = grow_person(rest, plan_from(s, rest), context.progress);
    grown.body.provenance.command = context.command_line;
    grown.body.provenance.inputs.push_back(
        {.name = std::filesystem::path(s.input).filename().string(),
         .hash = file_hash_text(s.input)});
    for (const std::string& warning : grown.warnings) {
        context.progress.warn(warning);
    }
    if (!s.jump.empty()) {
        const JumpOptions options;
        write_jump(s.jump, grown.body, jump_preview(grown.body, options, context.progress),
                   options.frames);
        result["jump"] = s.jump;
    }
    const std::string done = write_grown(s.output, rest, grown);
    result["output"] = s.output;
    describe_growth(grown, result);
    if (!context.is_quiet && !context.wants_json) {
        fmt::print("{}: {}\n", s.output, done);
        fmt::print(
            "{:.2f} m, {:.1f} kg, body fat {:.1f} %; {} muscles changed, volume error {:.2f} "
            "%, {} inverted, {} iterations, {:.1f} s\n",
            grown.stature, grown.mass, 100.0 * grown.body_fat, grown.muscles.size(),
            100.0 * grown.muscle_report.volume_error.total, grown.inverted_tets,
            grown.muscle_report.iterations, grown.seconds);
    }
    return kOk;
}

}  // namespace

Verb grow_verb() {
    auto settings = std::make_shared<GrowSettings>();
    return {
        .name = "grow",
        .summary = "Grow or shrink muscles, fat and bones of a body",
        .examples =
            "  sinew grow body.sinew --muscle biceps=1.5 --muscle quadriceps_l=0.7 -o out.sinew\n"
            "  sinew grow body.sinew --recipe recipes/bodybuilder.json -o big.sinew\n"
            "  sinew grow body.sinew --fat belly=2 --gravity -o belly.glb\n"
            "  sinew grow body.sinew --bone legs=1.1 --stature 1.90 --body-fat 15 -o tall.sinew\n"
            "What settles badly is reported as a warning with its measure; see docs/growth.md.",
        .options = options_of(*settings),
        .run = [settings](const Context& context, Json& result) {
            return run_grow(*settings, context, result);
        }};
}

}  // namespace sinew::cli
