#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/mesh/triangle_mesh.h"

#include <array>
#include <vector>

namespace sinew {

/// Bones and joints with a thickness [Komaritzan, section 3.2.1]. Around the segment of a bone lies
/// a tube whose radius changes linearly between four places: from the sphere of the first joint to
/// the cylinder of the bone (a frustum), along it, and to the sphere of the second joint.
struct BoneVolume {
    Index first = 0;   ///< joint that it moves with
    Index second = 0;  ///< joint at its other end
    Vec3 origin = Vec3::Zero();
    Vec3 axis = Vec3::UnitX();         ///< unit
    double length = 0.0;               ///< m, > 0
    double radius = 0.0;               ///< of the cylinder, m
    std::array<double, 4> place = {};  ///< along the axis, ascending, 0 to length
    std::array<double, 4> tube = {};   ///< radius there

    /// Radius of the tube at a distance t from the first joint.
    double radius_at(double t) const;
    Vec3 at(double t) const {
        return origin + t * axis;
    }
};

struct BoneVolumes {
    std::vector<BoneVolume> bones = {};     ///< of length > 0, in the order of their second joints
    std::vector<double> joint_radius = {};  ///< m
    std::vector<std::vector<Index>> touching =
        {};  ///< bones that share a joint with each, itself first
};

struct BoneRadiusOptions {
    double share = 0.75;  ///< of the distance from bone to skin, (0, 1)
    double thinnest =
        0.02;  ///< least radius, as a fraction of the bone's length, where it leaves the skin
};

/// Radii from the skin where the skeleton gives none: `share` of the closest distance of the bone
/// to the skin, joints as thick as their thickest bone, all scaled down where two joints and a bone
/// do not fit into its length.
BoneVolumes build_bone_volumes(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                               const BoneRadiusOptions& options = {});

/// The first point on the line from `from` to `to` that lies in the sphere or in the tube; as a
/// fraction of it, or more than 1 when there is none [Komaritzan, appendix A].
double first_in_sphere(const Vec3& from, const Vec3& to, const Vec3& centre, double radius);
double first_in_tube(const Vec3& from, const Vec3& to, const BoneVolume& bone);

}  // namespace sinew
