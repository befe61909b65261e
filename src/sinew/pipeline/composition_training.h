#pragma once

#include "sinew/base/progress.h"
#include "sinew/fit/composition.h"

#include <filesystem>
#include <vector>

namespace sinew {

struct CompositionTraining {
    CompositionModel model;
    CompositionTest test;  ///< each shape left out
    int shapes = 0;        ///< rows of the table
};

/// Statures that a shape is trained with, as ratios: growth scales people as a whole.
std::vector<double> usual_statures();

/// Trains regressors of fat and muscle mass with the bodies of a table, as scripts/fit_cohort.py
/// makes it: a CSV file with a line of names, the column `body` (a .sinew file with the template's
/// triangulation, relative to the table) and, where they are known better than from the body's own
/// tissues, `fat_kg` and `muscle_kg`.
/// @param statures  every body is trained with at each of these ratios, masses going with the cube
/// @throws InputError  naming the line
CompositionTraining train_composition_table(const Body& template_body,
                                            const std::filesystem::path& table,
                                            const std::vector<double>& statures = usual_statures(),
                                            const Progress& progress = {});

}  // namespace sinew
