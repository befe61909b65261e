#include "sinew/solver/untangle.h"

#include "sinew/energy/finite_volume.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/solver/newton.h"

namespace sinew {

Untangled untangle(const TetMesh& rest, const VertexConstraints& constraints, const Points& start,
                   const Progress& progress) {
    Untangled result{start, 0, 0};
    constraints.apply(result.x);
    result.inverted_before = count_inverted(result.x, rest.tets);
    result.inverted_after = result.inverted_before;
    if (result.inverted_before == 0) {
        return result;
    }
    // Stiffness has no influence on where a single material comes to rest.
    const auto count = static_cast<std::size_t>(rest.tets.rows());
    const EnergyTerms terms = {std::make_shared<ProjectiveTets>(
        rest, std::vector<double>(count, 1.0), std::vector<double>(count, 0.0))};
    result.x = minimise(terms, constraints, result.x, {.tolerance = 1e-6}, progress).x;
    result.inverted_after = count_inverted(result.x, rest.tets);
    return result;
}

}  // namespace sinew
