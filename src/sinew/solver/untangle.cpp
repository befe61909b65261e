#include "sinew/solver/untangle.h"

#include "sinew/energy/fem_elastic.h"
#include "sinew/material/corotated.h"
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
    const auto law = std::make_shared<Corotated>(Lame{.mu = 1.0, .lambda = 0.0});
    const EnergyTerms terms = {std::make_shared<FemElastic>(rest, law)};
    result.x = minimise(terms, constraints, result.x, {.tolerance = 1e-6}, progress).x;
    result.inverted_after = count_inverted(result.x, rest.tets);
    return result;
}

}  // namespace sinew
