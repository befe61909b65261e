#pragma once

#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

Verb activations_verb();
Verb bench_verb();  ///< of the program sinew-bench
Verb build_verb();
Verb check_verb();
Verb contract_verb();
Verb convert_verb();
Verb export_verb();
Verb figure_verb();
Verb fit_verb();
Verb grow_verb();
Verb ik_verb();
Verb info_verb();
Verb muscles_verb();
Verb people_verb();
Verb remesh_verb();
Verb render_verb();
Verb repair_verb();
Verb retarget_verb();
Verb rom_verb();
Verb scale_verb();
/// @param others  all that it can tell about
Verb schema_verb(const std::vector<Verb>& others);
Verb skin_verb();
Verb solve_verb();
Verb tetrahedralise_verb();

/// In the order in which --help lists them.
std::vector<Verb> all_verbs();

}  // namespace sinew::cli
