// Grows a body by a recipe, and compares what it was with what it became.
//   04_grow_by_plan PERSON.sinew [RECIPE.json]
#include "sinew/base/error.h"
#include "sinew/body/summary.h"
#include "sinew/io/archive.h"
#include "sinew/pipeline/growth_recipe.h"

#include <cstdio>

using namespace sinew;

namespace {

constexpr const char* kRecipe = R"({
    "version": 1, "name": "cyclist", "description": "strong legs, little fat",
    "muscles": { "quadriceps": 1.3, "calves": 1.2 }, "fat": { "uniform": 0.8 }
})";

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2) {
        std::fprintf(stderr, "usage: 04_grow_by_plan PERSON.sinew [RECIPE.json]\n");
        return 2;
    }
    const Body body = read_archive(argv[1]);
    const GrowthRecipe recipe =
        argc > 2 ? read_growth_recipe(argv[2]) : parse_growth_recipe(kRecipe, "built-in recipe");

    // The body stays as it is; the result holds a new one, with the masses of its segments.
    const GrowthResult grown = grow_person(body, recipe.plan);
    for (const std::string& warning : grown.warnings) {
        std::printf("warning: %s\n", warning.c_str());
    }

    const BodySummary before = summarise(body);
    std::printf("%s\n", recipe.name.c_str());
    std::printf("mass      %6.2f kg -> %6.2f kg\n", before.mass, grown.mass);
    std::printf("body fat  %6.1f %%  -> %6.1f %%\n", 100 * before.body_fat, 100 * grown.body_fat);
    for (const MuscleMeasure& muscle : grown.muscles) {
        std::printf("%-30s %6.1f ml -> %6.1f ml\n", muscle.name.c_str(), 1e6 * muscle.before,
                    1e6 * muscle.after);
    }
    write_archive("grown.sinew", grown.body);
    return grown.muscles.empty() || grown.inverted_tets > 0 ? 1 : 0;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
