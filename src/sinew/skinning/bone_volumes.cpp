#include "sinew/skinning/bone_volumes.h"

#include "sinew/geometry/surface_tree.h"

#include <algorithm>
#include <cmath>

// Radii of bones and joints from the skin alone [Komaritzan, section 3.2.1 and appendix A]: a bone
// is as thick as a fraction of its least distance to the skin, a joint as the thickest of its
// bones, and all shrink together where they would not fit on a short bone. A bone's surface is then
// a tube of three conical pieces between two spheres, and rays into it have closed forms: roots of
// quadratic equations per piece.

namespace sinew {
namespace {

constexpr int kSamples = 24;        // of a bone, for its distance to the skin
constexpr double kNever = 2.0;      // beyond the end of any way
constexpr double kShortest = 1e-6;  // m; shorter bones are none

// Roots of a u^2 + 2 b u + c = 0, ascending; none: both beyond.
std::array<double, 2> roots(double a, double b, double c) {
    if (std::abs(a) < 1e-14 * (std::abs(b) + std::abs(c))) {
        const double u = b != 0.0 ? -0.5 * c / b : kNever;
        return {u, u};
    }
    const double d = b * b - a * c;
    if (!(d >= 0.0)) {
        return {kNever, kNever};
    }
    // Without cancellation.
    const double q = -(b + std::copysign(std::sqrt(d), b));
    const double u = q / a;
    const double v = q != 0.0 ? c / q : u;
    return {std::min(u, v), std::max(u, v)};
}

// Sampled at 25 points: the distance to the skin changes slowly along a bone.
double closest_distance(const SurfaceTree& skin, const Vec3& a, const Vec3& b) {
    double nearest = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= kSamples; ++k) {
        const Vec3 p = a + static_cast<double>(k) / kSamples * (b - a);
        nearest = std::min(nearest, skin.closest_point(p).distance);
    }
    return nearest;
}

}  // namespace

double BoneVolume::radius_at(double t) const {
    if (t <= place[0]) {
        return tube[0];
    }
    for (std::size_t k = 0; k < 3; ++k) {
        if (t <= place[k + 1]) {
            const double span = place[k + 1] - place[k];
            const double share = span > 0.0 ? (t - place[k]) / span : 1.0;
            return tube[k] + share * (tube[k + 1] - tube[k]);
        }
    }
    return tube[3];
}

BoneVolumes build_bone_volumes(const TriangleMesh& skin, const CharacterSkeleton& skeleton,
                               const BoneRadiusOptions& options) {
    const SurfaceTree tree(skin);
    BoneVolumes all;
    std::vector<bool> is_given(skeleton.size(), false);
    all.joint_radius.assign(skeleton.size(), 0.0);
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        const CharacterJoint& joint = skeleton.joints[j];
        is_given[j] = joint.radius > 0.0;
        all.joint_radius[j] = joint.radius;
        if (joint.parent < 0) {
            continue;
        }
        BoneVolume bone;
        bone.first = joint.parent;
        bone.second = static_cast<Index>(j);
        bone.origin = skeleton.joints[at(joint.parent)].position;
        bone.length = (joint.position - bone.origin).norm();
        if (bone.length < kShortest) {
            continue;
        }
        bone.axis = (joint.position - bone.origin) / bone.length;
        bone.radius =
            joint.bone_radius > 0.0
                ? joint.bone_radius
                : std::max(options.share * closest_distance(tree, bone.origin, joint.position),
                           options.thinnest * bone.length);
        all.bones.push_back(bone);
    }
    for (const BoneVolume& bone : all.bones) {
        for (const Index j : {bone.first, bone.second}) {
            if (!is_given[at(j)]) {
                all.joint_radius[at(j)] = std::max(all.joint_radius[at(j)], bone.radius);
            }
        }
    }
    // r1 + r2 + 2 rb <= length; scaling only shrinks, so that one pass per bone settles it.
    for (BoneVolume& bone : all.bones) {
        double& r1 = all.joint_radius[at(bone.first)];
        double& r2 = all.joint_radius[at(bone.second)];
        const double needed = r1 + r2 + 2.0 * bone.radius;
        if (needed > bone.length) {
            const double scale = bone.length / needed;
            r1 *= scale;
            r2 *= scale;
            bone.radius *= scale;
        }
    }
    for (BoneVolume& bone : all.bones) {
        const double r1 = all.joint_radius[at(bone.first)];
        const double r2 = all.joint_radius[at(bone.second)];
        bone.place = {0.0, r1 + bone.radius, bone.length - r2 - bone.radius, bone.length};
        bone.tube = {r1, bone.radius, bone.radius, r2};
        if (bone.place[1] > bone.place[2]) {  // equal up to rounding
            bone.place[1] = bone.place[2] = 0.5 * (bone.place[1] + bone.place[2]);
        }
    }
    all.touching.resize(all.bones.size());
    for (std::size_t b = 0; b < all.bones.size(); ++b) {
        all.touching[b].push_back(static_cast<Index>(b));
        for (std::size_t c = 0; c < all.bones.size(); ++c) {
            const BoneVolume& p = all.bones[b];
            const BoneVolume& q = all.bones[c];
            if (b != c && (p.first == q.first || p.first == q.second || p.second == q.first ||
                           p.second == q.second)) {
                all.touching[b].push_back(static_cast<Index>(c));
            }
        }
    }
    return all;
}

double first_in_sphere(const Vec3& from, const Vec3& to, const Vec3& centre, double radius) {
    const Vec3 way = to - from;
    const Vec3 w = from - centre;
    const double c = w.squaredNorm() - radius * radius;
    if (c <= 0.0) {
        return 0.0;
    }
    const double u = roots(way.squaredNorm(), way.dot(w), c)[0];
    return u >= 0.0 && u <= 1.0 ? u : kNever;
}

double first_in_tube(const Vec3& from, const Vec3& to, const BoneVolume& bone) {
    const Vec3 way = to - from;
    const Vec3 w = from - bone.origin;
    const double way_along = way.dot(bone.axis);
    const double w_along = w.dot(bone.axis);
    const Vec3 way_across = way - way_along * bone.axis;
    const Vec3 w_across = w - w_along * bone.axis;
    if (w_along >= 0.0 && w_along <= bone.length && w_across.norm() <= bone.radius_at(w_along)) {
        return 0.0;
    }
    double best = kNever;
    for (std::size_t k = 0; k < 3; ++k) {
        // |across(u)|^2 = (r0 + slope (along(u) - place))^2 with along(u) in this piece.
        const double span = bone.place[k + 1] - bone.place[k];
        if (!(span > 0.0)) {
            continue;
        }
        const double slope = (bone.tube[k + 1] - bone.tube[k]) / span;
        const double r = bone.tube[k] + slope * (w_along - bone.place[k]);
        const double dr = slope * way_along;
        for (const double u :
             roots(way_across.squaredNorm() - dr * dr, way_across.dot(w_across) - r * dr,
                   w_across.squaredNorm() - r * r)) {
            const double along = w_along + u * way_along;
            if (u >= 0.0 && u <= 1.0 && along >= bone.place[k] && along <= bone.place[k + 1] &&
                r + u * dr >= 0.0) {
                best = std::min(best, u);
            }
        }
    }
    return best;
}

}  // namespace sinew
