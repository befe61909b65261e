#include "cli/verbs/verbs.h"

namespace sinew::cli {

std::vector<Verb> all_verbs() {
    return {info_verb(),   check_verb(),          convert_verb(), repair_verb(),
            remesh_verb(), tetrahedralise_verb(), render_verb(),  figure_verb()};
}

}  // namespace sinew::cli
