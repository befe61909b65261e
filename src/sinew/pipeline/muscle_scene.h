#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/body/musculoskeletal.h"
#include "sinew/muscle/muscle_simulator.h"

#include <Eigen/Geometry>

#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace sinew {

struct MuscleSceneOptions {
    int tets = 30000;       ///< of all muscles together, about, >= 100
    double edge = 0.0;      ///< of tetrahedra, m; 0: from `tets`
    bool has_bones = true;  ///< muscles touch the bones around them
    bool uses_model =
        true;  ///< greatest forces of the line muscles; else the body's own, else PCSA
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MuscleSceneOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.tets, Field{.name = "tets", .help = "tetrahedra of all muscles, about", .min = 100});
    v(o.edge,
      Field{.name = "edge", .help = "of tetrahedra; 0: from --tets", .unit = "m", .min = 0});
}

/// Muscles of a body as volumes of their own, fixed to the segments of its skeleton (which are the
/// scene's frames), with the bones near them to slide over.
/// @throws InputError  when no muscle is given, or one cannot be filled; Cancelled
MuscleScene muscle_scene_from_body(const Body& body, std::span<const Index> muscles,
                                   const MuscleSceneOptions& options = {},
                                   const Progress& progress = {});

/// Angles of a body's joints at some times; between them they go smoothly, without velocity at the
/// first and the last.
struct KeyFrames {
    MotionTable coordinates = {};  ///< columns as model_from_body names them, rad and m
};
/// @throws InputError  naming a coordinate that the skeleton does not have
Pose pose_at(const Skeleton& skeleton, const KeyFrames& keys, double time);

/// Least activation of living muscle: without it, muscles that shorten would hang in folds.
inline constexpr double kTone = 0.05;

/// Activations for key poses [Teran2003, section 7]: each key is taken as a static pose, inverse
/// dynamics give the moments, and static optimisation shares them out.
/// @param is_linear  the paper's F = a Fmax; else Hill's curve along a rigid tendon
/// Departs: none below kTone.
/// @return a table with one row per key and one column per muscle of the model
MotionTable key_frame_activations(const MusculoskeletalModel& model, const KeyFrames& keys,
                                  bool is_linear, const Progress& progress = {});

/// One value of a table at a time: straight between its rows, constant beyond them.
double value_at(const MotionTable& table, std::size_t column, double time);

}  // namespace sinew
