#pragma once

#include "sinew/pipeline/solve_problem.h"

namespace sinew {

/// In statics every piece that forces move must be held against that motion, translations and
/// rotations alike: one that is not would go to infinity and take the solve of all others along.
/// Obstacles may hold what is pressed against them, so scenes that have any are let through.
/// @throws InputError  naming the piece
void require_held(const SolveScene& scene, const TetMesh& rest, const SceneProblem& problem);

}  // namespace sinew
