#pragma once

#include "sinew/muscle/muscle_simulator.h"

namespace sinew {

/// Everything in MuscleState but force and activation.
std::vector<MuscleState> measure_muscles(const MuscleScene& scene, const MuscleTets& tets,
                                         const Points& x);

/// The tetrahedra at x with their data; see MuscleSimulator::frame.
TetMesh muscle_frame(const MuscleScene& scene, const MuscleTets& tets,
                     std::span<const double> activation, const Points& x);

}  // namespace sinew
