#pragma once

#include "sinew/base/progress.h"
#include "sinew/fit/composition.h"
#include "sinew/pipeline/fit_scan.h"

#include <filesystem>

namespace sinew {

struct CompositionTraining {
    CompositionModel model;
    CompositionTest test;  ///< each person left out
    int refused = 0;       ///< scans that are no person: they are left out, with a warning
};

/// What `sinew fit --train --json` says.
struct TrainingSummary {
    std::string output;
    std::string sex;
    int people = 0;
    int refused = 0;
    int components = 0;
    double fat_error = 0.0;  ///< kg, mean absolute, of people left out
    double fat_r2 = 0.0;
    double muscle_error = 0.0;
    double muscle_r2 = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, TrainingSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the regressors that were written"});
    v(o.sex, Field{.name = "sex", .help = "of the people"});
    v(o.people, Field{.name = "people", .help = "that it was trained with"});
    v(o.refused, Field{.name = "refused", .help = "scans that are no person"});
    v(o.components, Field{.name = "components", .help = "of shape that are used"});
    v(o.fat_error,
      Field{.name = "fat_mae_kg", .help = "mean absolute error of people left out", .unit = "kg"});
    v(o.fat_r2, Field{.name = "fat_r2", .help = "the same as a part of variance explained"});
    v(o.muscle_error,
      Field{
          .name = "muscle_mae_kg", .help = "mean absolute error of people left out", .unit = "kg"});
    v(o.muscle_r2, Field{.name = "muscle_r2", .help = "the same as a part of variance explained"});
}
TrainingSummary summary_of(const CompositionTraining& training);

/// Trains regressors of fat and muscle mass with a table of people whose masses are known: a CSV
/// file with one of the columns
///   scan  a surface or cloud of points of the person: it is registered;
///   body  a .sinew file with the template's triangulation;
///   name  as `sinew people` writes it: bodies NAME.sinew beside the table, where `state` is made;
/// and fat_kg and muscle_kg, which bodies may leave to their own tissues. Other columns are passed
/// over. Paths are relative to the table.
/// @param job  whose template, resolution and sex (male or female) are used
/// @throws InputError  naming the line
CompositionTraining train_composition_table(const FitJob& job, const std::filesystem::path& table,
                                            const Progress& progress = {});

}  // namespace sinew
