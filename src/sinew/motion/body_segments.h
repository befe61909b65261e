#pragma once

#include "sinew/body/musculoskeletal.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinew {

/// Parts of a person that have proportions of their own [Ryu2021, 3.2].
enum class SegmentKind { Trunk, Neck, Head, Femur, Tibia, Foot, Humerus, Ulna, Hand, None };
std::string_view name_of(SegmentKind kind);  ///< "trunk", "neck", ...

enum class BodySide { Middle, Left, Right };

/// What a rigid body belongs to.
struct BodySegment {
    SegmentKind kind = SegmentKind::None;
    BodySide side = BodySide::Middle;
};

/// Segments of all bodies of a model: long bones by their names (femur, thigh, tibia, shank,
/// humerus, upper arm, ulna, radius, forearm; neck, vertebra_c1 to c7, head, skull), hands and feet
/// as what hangs on forearms and shanks, the trunk as what hangs on no limb. Kneecaps belong to
/// nothing. Sides by "left", "_l", "l_", "L" at either end of a name.
/// @param named  bodies by segment, where names say nothing: {"femur", {"upper_leg_1"}}
/// @throws InputError  for segments and bodies that do not exist
std::vector<BodySegment> find_segments(
    const MusculoskeletalModel& model,
    const std::vector<std::pair<std::string, std::vector<std::string>>>& named = {});

/// A long bone's line at rest, in the world.
struct LimbAxis {
    Vec3 proximal = Vec3::Zero();  ///< centre of the joint it hangs on, m
    Vec3 distal = Vec3::Zero();    ///< centre of the next segment's joint, m
};

/// The line of one side's segment, found from the joints; where nothing hangs on it, it ends twice
/// as far as its mass centre. Proximal == distal where the model has no such segment.
LimbAxis limb_axis(const MusculoskeletalModel& model, const std::vector<BodySegment>& segments,
                   BodySegment which);

/// Unit direction to the body's left at rest, from hips or else shoulders of both sides; nothing
/// where the model has one side only.
std::optional<Vec3> left_direction(const MusculoskeletalModel& model,
                                   const std::vector<BodySegment>& segments);

}  // namespace sinew
