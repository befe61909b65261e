#pragma once

#include "sinew/growth/bone_editing.h"
#include "sinew/growth/growth_plan.h"
#include "sinew/growth/muscle_growth.h"
#include "sinew/growth/person_fit.h"

#include <optional>
#include <string>
#include <vector>

namespace sinew {

struct GrowthResult {
    Body body;                                ///< the new rest, without gravity
    Points sagged = Points(0, 3);             ///< points of its tets under gravity, when asked for
    std::vector<MuscleMeasure> muscles = {};  ///< those with alpha != 1
    MuscleGrowthReport muscle_report = {};
    FatReport fat_report = {};
    BoneEditReport bone_report = {};
    std::optional<PersonReport> person = {};  ///< where a person was made
    double seconds = 0.0;
    bool is_converged = true;
    Eigen::Index inverted_tets = 0;
    /// Of the volume of all bellies that were asked to change, and of the one that is furthest from
    /// alpha^2 (of those that tetrahedra can hold), in `body`.
    double muscle_error = 0.0;
    double worst_muscle_error = 0.0;
    HandoverChanges handover = {};  ///< what was changed after the solver, to hand the body over
    /// Both within limits (kMuscleLimit, kWorstMuscleLimit): the body is what was asked for.
    bool is_reached = true;
    double mass = 0.0;      ///< kg
    double body_fat = 0.0;  ///< fraction of the mass
    double stature = 0.0;   ///< m
    std::vector<std::string> warnings = {};
};

/// Beyond these the muscles of a body are not those that were asked for.
inline constexpr double kMuscleLimit = 0.03;       ///< of all bellies together
inline constexpr double kWorstMuscleLimit = 0.25;  ///< of one belly

/// Bones, then muscles, then fat, then the preview under gravity [Saito2015, Figure 18].
/// @param callback  positions of all tets at every iteration of muscle growth
GrowthResult grow(const Body& body, const GrowthPlan& asked, const Progress& progress = {},
                  const IterationCallback& callback = {});

}  // namespace sinew
