#include "cli/verbs/bench_people.h"

#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/make_body.h"

#include <nlohmann/json.hpp>

#include "bench/people_bench.h"

namespace sinew::cli {

void bench_people(bool is_short, const Context& context, nlohmann::ordered_json& result) {
    MakeBodyOptions options;
    options.body.resolution = BodyResolution::Preview;
    options.figure = figure_for(options.figure, BodyResolution::Preview);
    options.cache = BodyCache::default_folder();
    const Body man = make_body(options, context.progress).body;
    options.figure.sex = FigureSex::Female;
    const Body woman = make_body(options, context.progress).body;
    const bench::PeopleBench b = bench::run_people_bench(man, woman, is_short, context.progress);
    result = {{"bench", "people"},
              {"grid", b.grid},
              {"grid_made", b.grid_made},
              {"worst_mass_error_kg", b.worst_mass_error},
              {"worst_body_fat_error", b.worst_body_fat_error},
              {"worst_stature_error_m", b.worst_stature_error},
              {"inverted_tets", b.inverted},
              {"skins_that_cross", b.crossing},
              {"people", b.people},
              {"people_made", b.people_made},
              {"median_z", b.median_z},
              {"within_2", b.within_2},
              {"median_leg_muscle_error", b.median_leg_error},
              {"worst_leg_muscle_error", b.worst_leg_error},
              {"worst_leg_muscle", b.worst_leg},
              {"seconds", b.seconds}};
    for (const auto& [name, z] : b.rms_z) {
        result["rms_z"][name] = z;
    }
    result["refused"] = b.refused;
}

}  // namespace sinew::cli
