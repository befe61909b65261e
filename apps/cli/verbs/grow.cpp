#include "sinew/base/error.h"
#include "sinew/growth/gravity_preview.h"
#include "sinew/io/asset.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/json_schema.h"
#include "sinew/pipeline/growth_recipe.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/field_options.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct GrowSettings {
    std::string input;
    std::string output;
    std::string recipe;
    std::optional<double> body_fat = {};
    std::string jump;
    JobFlags<GrowthRecipe> flags;
};

// The recipe, overridden by flags.
GrowthRecipe recipe_from(const GrowSettings& s) {
    GrowthRecipe recipe = s.recipe.empty() ? GrowthRecipe{} : read_growth_recipe(s.recipe);
    s.flags.apply(recipe);
    if (s.body_fat) {
        recipe.plan.body_fat = s.body_fat;
    }
    check_plan(recipe.plan);
    return recipe;
}

std::vector<Option> options_of(GrowSettings& s) {
    std::vector<Option> options = {
        {.name = "body",
         .help = "a body made by 'sinew build'",
         .target = &s.input,
         .metavar = "BODY.sinew",
         .is_required = true},
        {.name = "--recipe",
         .help = "all of this from a JSON file (docs/jobs.md); flags override it",
         .target = &s.recipe,
         .metavar = "R.json"},
        {.name = "--body-fat",
         .help = "fraction of the mass, as 0.28 or 28 (%)",
         .target = Setter([&s](const std::string& text) {
             const double value = number_from(text, "--body-fat");
             s.body_fat = value >= 1.0 ? value / 100.0 : value;
             check_range(*s.body_fat, field_named<GrowthPlan>("body_fat"),
                         FieldPlace("--body-fat"));
         }),
         .metavar = "F"},
        {.name = "--jump",
         .help = "also write an animation of the body jumping",
         .target = &s.jump,
         .metavar = "FILE.glb"},
        {.name = "-o,--output",
         .help = "the grown body: .sinew, .glb (with morphs), .obj, .vtu, .usda ...",
         .target = &s.output,
         .metavar = "FILE",
         .is_required = true}};
    s.flags.add_to(options, {"name", "description", "body_fat"});
    return options;
}

int run_grow(const GrowSettings& s, const Context& context, Json& result) {
    require_known_output(s.output);
    require_ending("grow", "--jump", s.jump, {".glb"});
    require_different("grow", {s.output, s.jump});
    const GrowthRecipe recipe = recipe_from(s);
    const Body rest = read_body_with_tets(s.input);
    GrowthResult grown = grow_person(rest, complete_plan(recipe, rest), context.progress);
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
    }
    const std::string done = write_grown(s.output, rest, grown);
    GrowthSummary summary = summary_of(grown);
    summary.output = s.output;
    if (!s.jump.empty()) {
        summary.jump = s.jump;
    }
    add_fields(summary, result);
    if (context.tells()) {
        fmt::print("{}: {}\n", s.output, done);
        fmt::print(
            "{:.2f} m, {:.1f} kg, body fat {:.1f} %; {} muscles changed, bellies {:+.2f} % off "
            "(worst {:+.1f} %), {} inverted, {} iterations, {:.1f} s\n",
            grown.stature, grown.mass, 100.0 * grown.body_fat, grown.muscles.size(),
            100.0 * grown.muscle_error, 100.0 * grown.worst_muscle_error, grown.inverted_tets,
            grown.muscle_report.iterations, grown.seconds);
    }
    return grown.is_reached ? kOk : kUnusable;
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
            "  sinew grow body.sinew --stature 1.80 --weight 70 -o slim.sinew\n"
            "  sinew grow body.sinew --weight 95 --body-fat 15 --measure waistcircumference=0.9 -o "
            "strong.sinew\n"
            "  sinew grow body.sinew --bone legs=1.1 --stature 1.90 --body-fat 15 -o tall.sinew\n"
            "What does not converge is reported as a warning with its measure; see docs/growth.md.",
        .options = options_of(*settings),
        .run = [settings](const Context& context,
                          Json& result) { return run_grow(*settings, context, result); },
        .describe =
            [](Json& definitions) {
                add_schema("job", GrowthRecipe{}, SchemaOf::File, definitions);
                add_schema("result", GrowthSummary{}, SchemaOf::Result, definitions);
            }};
}

}  // namespace sinew::cli
