#include "cli/other_programs.h"
#include "cli/verbs/studio.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

int hand_over(const StudioSettings&, const Context&) {
    become_program("sinew-studio");
}

}  // namespace

std::vector<Verb> all_verbs() {
    std::vector<Verb> verbs = {figure_verb(),
                               build_verb(),
                               export_verb(),
                               info_verb(),
                               check_verb(),
                               convert_verb(),
                               repair_verb(),
                               remesh_verb(),
                               tetrahedralise_verb(),
                               render_verb(),
                               fit_verb(),
                               grow_verb(),
                               people_verb(),
                               solve_verb(),
                               scale_verb(),
                               retarget_verb(),
                               ik_verb(),
                               muscles_verb(),
                               activations_verb(),
                               rom_verb(),
                               skin_verb(),
                               contract_verb(),
                               studio_verb(hand_over),
                               bench_program_verb()};
    verbs.push_back(schema_verb(verbs));
    return verbs;
}

}  // namespace sinew::cli
