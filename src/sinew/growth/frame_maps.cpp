#include "sinew/growth/frame_maps.h"

#include "sinew/body/names.h"

#include <algorithm>
#include <string>

// The frame of a person as one affine map per part of the body: limbs have a length and a breadth
// of their own, trunk and pelvis three scales, hands, feet and head one. The map of a part starts
// at its first joint, wherever the maps of the parts before have put that joint, so the skeleton
// stays connected whatever the scales are.
//
// Flesh may become wider than bone: on top of the bone's scale S, the position relative to an
// anchor on the bone is stretched,
//
//   x' = to + S (x - from) + W S (x - anchor),
//
// so that W = 0 leaves flesh on its bone and what is further away moves more.

namespace sinew {

namespace {

Mat3 box(double x, double y, double z) {
    return Vec3(x, y, z).asDiagonal();
}

// `along` in the direction of the axis, `across` square to it.
Mat3 rod(const Vec3& axis, double along, double across) {
    const Vec3 a = axis.normalized();
    return across * Mat3::Identity() + (along - across) * a * a.transpose();
}

// Linear parts of the map of one part.
// `box` scales along the body's axes, `rod` along and across a limb. Limb bones become as much
// broader as the stature asks for (limb_breadth), not as their length.
void set_scales(PartMap& map, const BodyPart& part, const FrameScales& s) {
    const std::string stem = split_side(part.name).stem;
    const double b = s.limb_breadth;
    const Vec3 axis = (part.far_end - part.near_end).normalized();
    const auto limb = [&](double length, double flesh) {
        map.bone = rod(axis, length, b);
        map.wider = (flesh - 1.0) * (Mat3::Identity() - axis * axis.transpose());
    };
    const auto level = [](double flesh) { return box(flesh - 1.0, 0.0, flesh - 1.0); };
    if (stem == "thigh") {
        limb(s.thigh, s.thigh_flesh);
    } else if (stem == "shin") {
        limb(s.shin, s.shin_flesh);
    } else if (stem == "upper_arm") {
        limb(s.upper_arm, s.upper_arm_flesh);
        // The deltoid is thinner or thicker with the shoulder, the biceps with the arm.
        constexpr double kShoulder = 0.45;  // of the length
        map.near_wider = (s.shoulder_flesh - 1.0) * (Mat3::Identity() - axis * axis.transpose());
        map.along = axis / (kShoulder * (part.far_end - part.near_end).norm());
    } else if (stem == "forearm") {
        limb(s.forearm, s.forearm_flesh);
    } else if (stem == "hand" || stem == "foot" || stem == "head") {
        map.bone = (stem == "hand" ? s.hand : stem == "foot" ? s.foot : s.head) * Mat3::Identity();
    } else if (stem == "patella") {
        map.bone = b * Mat3::Identity();
    } else if (stem == "neck") {
        map.bone = box(b, s.neck, b);
        map.wider = level(s.neck_flesh);
    } else if (stem == "clavicle" || stem == "scapula") {
        map.bone = box(s.shoulders, s.trunk, s.thorax_depth);
        map.wider = level(s.shoulder_flesh);
    } else {
        map.is_trunk = stem == "trunk";
        map.low_bone = box(s.pelvis_breadth, s.trunk, s.pelvis_depth);
        map.bone = stem == "pelvis" ? map.low_bone : box(s.thorax_breadth, s.trunk, s.thorax_depth);
        map.wider = level(s.trunk_flesh);
    }
}

// Height of the lower end of the thorax above the trunk's first joint.
double loins_height(const Body& body, const Vec3& from) {
    for (const Joint& joint : body.skeleton.joints) {
        if (joint.name == "thoracic_t11_t12") {
            return joint.centre.y() - from.y();
        }
    }
    return 0.12;
}

}  // namespace

std::vector<std::size_t> parts_of_segments(const Skeleton& skeleton,
                                           std::span<const BodyPart> parts) {
    std::vector<std::size_t> part_of(skeleton.segments.size(), 0);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (const Index s : parts[p].segments) {
            part_of[at(s)] = p;
        }
    }
    return part_of;
}

// The trunk goes over from the pelvis' scales to the thorax' between its first joint and the lowest
// rib: both have breadths of their own and the loins are between.
Mat3 PartMap::scale_at(const Vec3& x) const {
    if (!is_trunk) {
        return bone;
    }
    const double t = std::clamp((x.y() - from.y()) / loins, 0.0, 1.0);
    return low_bone + t * t * (3.0 - 2.0 * t) * (bone - low_bone);
}

Mat3 PartMap::wider_at(const Vec3& x) const {
    if (along.isZero()) {
        return wider;
    }
    const double t = std::clamp((x - from).dot(along), 0.0, 1.0);
    return near_wider + t * t * (3.0 - 2.0 * t) * (wider - near_wider);
}

Vec3 PartMap::on_bone(const Vec3& x) const {
    return to + scale_at(x) * (x - from);
}

Vec3 PartMap::in_flesh(const Vec3& x, const Vec3& anchor) const {
    const Mat3 S = scale_at(x);
    return to + S * (x - from) + wider_at(x) * (S * (x - anchor));
}

FrameMaps frame_maps(const Body& body, std::span<const BodyPart> parts, const FrameScales& scales) {
    const Skeleton& skeleton = body.skeleton;
    const std::vector<std::size_t> part_of = parts_of_segments(skeleton, parts);
    FrameMaps maps;
    maps.parts.resize(parts.size());
    for (const Joint& joint : skeleton.joints) {
        maps.joints.push_back(joint.centre);
    }
    // Joints come parents first: a part is entered once the part that carries it is known.
    std::vector<char> is_done(parts.size(), 0);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        const std::size_t child = part_of[at(joint.child)];
        if (joint.parent >= 0) {
            maps.joints[j] = maps.parts[part_of[at(joint.parent)]].on_bone(joint.centre);
        }
        if (is_done[child] == 0) {
            PartMap& map = maps.parts[child];
            map.from = joint.centre;
            map.to = maps.joints[j];
            set_scales(map, parts[child], scales);
            map.loins = map.is_trunk ? loins_height(body, map.from) : 1.0;
            is_done[child] = 1;
        }
    }
    return maps;
}

}  // namespace sinew
