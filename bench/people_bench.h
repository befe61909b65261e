#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"

#include <string>
#include <utility>
#include <vector>

namespace sinew::bench {

/// People made of two bodies, by what was asked for and what is in the body handed over.
struct PeopleBench {
    // A grid of statures and body mass indices, both sexes.
    int grid = 0;                            ///< people asked for
    int grid_made = 0;                       ///< the others were refused
    double worst_mass_error = 0.0;           ///< kg
    double worst_body_fat_error = 0.0;       ///< share
    double worst_stature_error = 0.0;        ///< m
    long inverted = 0;                       ///< tetrahedra of all of them
    std::vector<std::string> crossing = {};  ///< people whose skin crosses itself
    std::vector<std::string> refused = {};

    // People by sex, stature and weight alone, against the regressions.
    int people = 0;
    int people_made = 0;
    double median_z = 0.0;                                   ///< of 20 measures of all
    double within_2 = 0.0;                                   ///< share with |z| <= 2
    std::vector<std::pair<std::string, double>> rms_z = {};  ///< by measure
    /// Leg muscles of all of them over those of people of their size [Handsfield2014], less 1.
    double median_leg_error = 0.0;  ///< without sign
    double worst_leg_error = 0.0;
    std::string worst_leg = {};  ///< whose, and which
    double seconds = 0.0;
};

/// @param man, woman  with the muscles of people
/// @param is_short  a grid of 2 x 3 and 10 people instead of 5 x 5 and 100
PeopleBench run_people_bench(const Body& man, const Body& woman, bool is_short,
                             const Progress& progress = {});

}  // namespace sinew::bench
