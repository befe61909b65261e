#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/motion/body_proportions.h"

#include <optional>
#include <string>
#include <vector>

namespace sinew {

/// A body with other proportions, flesh and all, and what was measured on it.
struct RetargetedBody {
    Body body = {};
    double lift = 0.0;                ///< m; upwards, after which the soles stand where they stood
    double stature = 0.0;             ///< m
    double mass = 0.0;                ///< kg
    long inverted_tets = 0;           ///< volume <= 0
    long crossing = 0;                ///< pairs of skin triangles
    long crossing_before = 0;         ///< of the body it comes from
    double largest_gap = 0.0;         ///< between flesh and the bone samples that hold it, m
    std::vector<double> forces = {};  ///< N, of every muscle of the model, by its flesh
};

/// Bones take the shapes that proportions give the rigid bodies of the body's model
/// (motion/body_warp.h), so that model and body keep nearly the same joints and bones;
/// joints' axes turn with torsion and bend; the flesh follows (growth/skeleton_following.h). Masses
/// of segments and forces of muscles are those of the new flesh.
/// @param model  model_from_body of the body
/// @throws InputError  as proportioned_bodies; Cancelled
RetargetedBody retarget_body(const Body& body, const MusculoskeletalModel& model,
                             const BodyProportions& proportions, const Progress& progress = {});

/// The retargeted model as lines of a retargeted body: it stands where the body stands, and its
/// masses are those of the flesh.
/// @param made  model_from_body of the new body, whose rigid bodies have the same names
void stand_in_flesh(MusculoskeletalModel& model, const RetargetedBody& flesh,
                    const MusculoskeletalModel& made);

/// How the retargeted lines of a body differ from those that its flesh alone suggests.
struct LinesComparison {
    long muscles = 0;            ///< of both
    double joint_centres = 0.0;  ///< greatest distance, m
    double force = 0.0;          ///< greatest relative difference of fmax
    double length = 0.0;         ///< median relative difference of paths at rest
    double worst_length = 0.0;
    std::string worst_length_muscle = {};
    double fibre = 0.0;  ///< median relative difference of optimal fibre lengths
};
LinesComparison compare_lines(const MusculoskeletalModel& retargeted,
                              const MusculoskeletalModel& own);

}  // namespace sinew
