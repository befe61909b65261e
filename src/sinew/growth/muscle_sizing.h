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

/// Grows every muscle (alpha = sqrt(wanted / present volume), from 0.6 to 2) to the volume that
/// people of the body's sex, stature and mass have. Fat gives way or fills in, so that the mass
/// stays. @throws InputError  for Sex::Unknown, and as MuscleGrowth
SizedMuscles with_muscles_of_people(const Body& body, const MuscleSizes& sizes,
                                    const Progress& progress = {});

}  // namespace sinew
