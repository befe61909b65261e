#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/body/musculoskeletal.h"
#include "sinew/body/skeleton.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

// Skeletons as articulated models without masses and muscles, so that one code poses them all; and
// the coordinates of one as those of another.

/// Names of a pose's coordinates, in its order: JOINT_MOTION ("knee_l_flexion"), JOINT_0, JOINT_1
/// where the motion has no name, JOINT_tx, JOINT_ty, JOINT_tz for shifts.
std::vector<std::string> coordinate_names(const Skeleton& skeleton);

/// A body's skeleton. Body s of the model is segment s, coordinate i is coordinate i of a Pose, and
/// placements of bodies are T_posed_rest of segments. Kneecaps follow their knees.
MusculoskeletalModel kinematic_model(const Skeleton& skeleton);
/// A character's. Body j is joint j with what hangs on it; joints are balls without limits, the
/// first root is free. Placements are those of a CharacterPose.
MusculoskeletalModel kinematic_model(const CharacterSkeleton& skeleton);

/// A motion named after another joint's follows it: "knee_flexion" of patellofemoral_l goes with
/// knee_l_flexion, both reaching the ends of their ranges together.
/// @param joint_of  of each joint of the model, where it comes from
void couple_following_motions(MusculoskeletalModel& model, std::span<const Joint* const> joint_of);

/// A pose as coordinates of a model of the same body (model_from_body); coordinates that the
/// skeleton lacks are at rest, those that follow others are filled in.
std::vector<double> model_coordinates(const MusculoskeletalModel& model, const Skeleton& skeleton,
                                      const Pose& pose);
/// The inverse; coordinates that the model lacks are 0.
Pose pose_from_model(const Skeleton& skeleton, const MusculoskeletalModel& model,
                     std::span<const double> q);
/// A table of coordinates, such as a .mot file, as poses: one per row.
/// @throws InputError  when no column is a coordinate of the skeleton
std::vector<Pose> poses_from_table(const Skeleton& skeleton, const MotionTable& table);
/// The inverse, with all coordinates, rad and m.
MotionTable table_of_poses(const Skeleton& skeleton, std::span<const double> times,
                           std::span<const Pose> poses);

/// The joints of a body's skeleton and the straight bones between them, in its order.
CharacterSkeleton skeleton_of(const Skeleton& skeleton);
/// Poses over time as rotations of these joints.
CharacterMotion motion_of(const Skeleton& skeleton, std::span<const double> times,
                          std::span<const Pose> poses);

}  // namespace sinew
