#pragma once

#include "sinew/motion/body_proportions.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Centres of joints by name, m: hip, knee, ankle, shoulder, elbow and wrist, each with _l or _r,
/// and neck.
using JointPoints = std::vector<std::pair<std::string, Vec3>>;

/// Of a model at rest; those that it has.
JointPoints joint_points(const MusculoskeletalModel& model);

/// Points as two calibrated orthographic views have them, m: x to the left and y up in the frontal
/// one, z forward and y in the lateral one [Ryu2021, 6.6]. A joint that both show has the mean of
/// their heights; one that only one shows is left out.
JointPoints points_from_views(
    const std::vector<std::pair<std::string, std::vector<double>>>& frontal,
    const std::vector<std::pair<std::string, std::vector<double>>>& lateral);

/// Proportions with which a model's joints are as far apart as points are, whatever the pose they
/// were taken in: bones by their two ends; the trunk's length from the hips to the shoulders (the
/// neck where it has none), its breadth by hips and shoulders. Heads of bones, hands, feet and head
/// grow by the mean of all bones; bones without points too.
/// @throws InputError  for names that are no joints, points of no bone, or bones beyond 0.3 to 4
///                     times those of the model
BodyProportions proportions_from_joints(const MusculoskeletalModel& model,
                                        const JointPoints& points);

/// What a table says of a segment of a person; limbs without a side are both.
struct SegmentMeasure {
    BodySegment segment = {};
    std::optional<double> length = {};   ///< m: limbs between their joints, trunk from hips to
                                         ///< shoulders (neck where it has none), neck
    std::optional<double> breadth = {};  ///< m, of the trunk: between the hips
    std::optional<double> mass = {};     ///< kg
    std::string where = {};              ///< for messages
};

/// Proportions with which segments have these lengths and masses. What has no length grows by the
/// mean of the limbs that have one; what has no mass follows its volume.
/// @throws InputError  for segments that the model lacks or of which it has no length, and as above
BodyProportions proportions_from_measures(const MusculoskeletalModel& model,
                                          std::span<const SegmentMeasure> measures);

/// The same from another model at rest, with the masses of its segments.
/// @throws InputError
BodyProportions proportions_of(const MusculoskeletalModel& model,
                               const MusculoskeletalModel& other);

}  // namespace sinew
