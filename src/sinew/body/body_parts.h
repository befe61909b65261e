#pragma once

#include "sinew/body/body.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A part may be scaled by this much.
inline constexpr double kLeastBoneScale = 0.5;
inline constexpr double kMostBoneScale = 2.0;

/// A piece of the skeleton that is edited as one: "thigh_l" (femur), "shin_l" (tibia and fibula),
/// "upper_arm_l", "forearm_l", "hand_l", "foot_l", "trunk" (thorax and loins), "pelvis", "neck",
/// "head", and single bones otherwise.
struct BodyPart {
    std::string name;
    bool is_long = false;  ///< changes its length between two heads; others are scaled as a whole
    Index proximal = -1;   ///< joint towards the root; -1 for the root's part
    Index distal = -1;     ///< joint at the other end of a long part, -1 where there is none
    Vec3 near_end = Vec3::Zero();  ///< centre of the proximal head, m
    Vec3 far_end = Vec3::Zero();   ///< centre of the distal head, m
    std::vector<Index> segments = {};
};
std::vector<BodyPart> body_parts(const Body& body);

/// Parts meant by a word: a part's name, its stem for both sides, "arms", "legs", or the name or
/// stem of a bone in it. @throws InputError  with the nearest known name when nothing matches
std::vector<std::size_t> find_body_parts(const Body& body, std::span<const BodyPart> parts,
                                         std::string_view word, std::string_view where);

}  // namespace sinew
