#pragma once

#include "sinew/body/muscle_sizes.h"
#include "sinew/growth/muscle_growth.h"

namespace sinew {

/// A body whose muscles have the sizes of people.
struct SizedMuscles {
    Body body;
    MuscleGrowthReport report = {};
    std::vector<MuscleMeasure> muscles = {};  ///< of `body`
    double mass = 0.0;                        ///< kg
};

/// Gives every muscle the volume that people of the body's sex, stature and mass have: from loose
/// tissue beside it, then by growth (alpha from 0.6 to 2). The skin goes back to where it was as
/// far as the fat under it can give way; the stature stays, the mass rises with muscle.
/// @throws InputError  for Sex::Unknown, and as MuscleGrowth
SizedMuscles with_muscles_of_people(const Body& body, const MuscleSizes& sizes,
                                    const Progress& progress = {});

}  // namespace sinew
