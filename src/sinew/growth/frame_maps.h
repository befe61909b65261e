#pragma once

#include "sinew/body/body_parts.h"

#include <span>
#include <vector>

namespace sinew {

/// Sizes of a person's frame and flesh, as ratios to the body they are made from, > 0.
struct FrameScales {
    // Bones.
    double thigh = 1.0;         ///< length
    double shin = 1.0;          ///< length
    double trunk = 1.0;         ///< height of pelvis, loins and thorax
    double neck = 1.0;          ///< length
    double head = 1.0;          ///< size
    double upper_arm = 1.0;     ///< length
    double forearm = 1.0;       ///< length
    double hand = 1.0;          ///< size
    double foot = 1.0;          ///< size
    double limb_breadth = 1.0;  ///< of the bones of limbs and neck
    double shoulders = 1.0;     ///< breadth of the shoulder girdle
    double thorax_breadth = 1.0;
    double thorax_depth = 1.0;
    double pelvis_breadth = 1.0;
    double pelvis_depth = 1.0;
    // Distance of flesh from the bones, across them.
    double trunk_flesh = 1.0;
    double thigh_flesh = 1.0;
    double shin_flesh = 1.0;
    double shoulder_flesh = 1.0;  ///< around clavicle, scapula and the head of the humerus
    double upper_arm_flesh = 1.0;
    double forearm_flesh = 1.0;
    double neck_flesh = 1.0;

    bool operator==(const FrameScales&) const = default;
};

/// How one part of the skeleton and the flesh around it move. Bones: x -> to + S (x - from). Flesh
/// that is anchored at the position c on bones also moves by (w - 1) P S (x - c): its distance from
/// them is multiplied by w across the part, while P leaves out the direction along it. In the trunk
/// S goes over from that of the pelvis to that of the thorax along the loins.
struct PartMap {
    Vec3 from = Vec3::Zero();
    Vec3 to = Vec3::Zero();
    Mat3 bone = Mat3::Identity();    ///< S
    Mat3 wider = Mat3::Zero();       ///< (w - 1) P
    Mat3 near_wider = Mat3::Zero();  ///< the same at `from`, where `along` is not zero
    Vec3 along = Vec3::Zero();       ///< over 1 / |along| m from `from` on, near_wider gives way
    bool is_trunk = false;
    Mat3 low_bone = Mat3::Identity();  ///< S of the trunk at its lower end
    double loins = 1.0;                ///< m above `from` where the thorax begins

    Vec3 on_bone(const Vec3& x) const;
    /// @param anchor  position on bones that x belongs to
    Vec3 in_flesh(const Vec3& x, const Vec3& anchor) const;

private:
    Mat3 scale_at(const Vec3& x) const;
    Mat3 wider_at(const Vec3& x) const;
};

/// Number of the part that each segment belongs to.
std::vector<std::size_t> parts_of_segments(const Skeleton& skeleton,
                                           std::span<const BodyPart> parts);

/// Maps of all parts, joints that parts share staying together, and the new joints. The pelvis
/// stays where it is.
struct FrameMaps {
    std::vector<PartMap> parts = {};
    std::vector<Vec3> joints = {};
};
FrameMaps frame_maps(const Body& body, std::span<const BodyPart> parts, const FrameScales& scales);

}  // namespace sinew
