#include "sinew/skinning/bone_coupling.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <algorithm>

// Where the bones take the inner surface of the flesh [Komaritzan, section 3.2.2]. Far from joints
// a vertex is carried by its bone. Near a joint it lies between two anchors, one on the circle of
// the joint, which turns by half of the bend, and one on the circle of the bone where the joint's
// influence ends; so skin slides over the joint instead of being folded by it. At last it is pushed
// out of the bone's tube and the joint's sphere.
//
// Bones may become longer than at rest in a recording whose limbs do not fit; the far end's surplus
// is spread along the bone (stretch).

namespace sinew {
namespace {

constexpr std::size_t kCouplingPiece = 1024;

// The point of a circle around the bone at distance t from its first joint, at p's angle.
Vec3 on_circle(const BoneVolume& bone, const Vec3& p, double t, double radius) {
    const Vec3 across = p - bone.origin - (p - bone.origin).dot(bone.axis) * bone.axis;
    const double length = across.norm();
    const Vec3 direction = length > 0.0 ? Vec3(across / length) : bone.axis.unitOrthogonal();
    return bone.at(t) + radius * direction;
}

}  // namespace

// Where bones and joints are in a pose.
struct BoneCoupling::Posed {
    std::vector<Vec3> joint;                // centres
    std::vector<Eigen::Isometry3d> turned;  // half-rotated joints: T_posed_rest
    std::vector<Eigen::Isometry3d> bone;    // T_posed_rest
    std::vector<Vec3> stretch;              // of the far end of each bone, beyond T_posed_rest
    std::vector<Vec3> origin;
    std::vector<Vec3> axis;  // unit
    std::vector<double> length;
};

BoneCoupling::BoneCoupling(const CharacterSkeleton& skeleton, const BoneVolumes& bones,
                           const FleshPrisms& flesh, const CouplingOptions& options)
    : skeleton_(skeleton), bones_(bones), rest_base_(flesh.base_points), base_along_(flesh.along) {
    const Index S = flesh.skin_vertices;
    for (Index i = 0; i < S; ++i) {
        const Vec3 p = point(flesh.points, S + i);
        const Index b = flesh.bone[at(i)];
        const BoneVolume& bone = bones_.bones[at(b)];
        Vertex v{b, -1, 1.0, p, p, (p - bone.origin).dot(bone.axis)};
        if (skeleton_.joints[at(bone.second)].is_virtual) {
            unheld_.push_back(i);
        }
        // Which end is near, and how far its anchors reach: never beyond the middle.
        const bool is_first = v.along < 0.5 * bone.length;
        const Index joint = is_first ? bone.first : bone.second;
        const double from_joint = is_first ? v.along : bone.length - v.along;
        // Anchors of both ends may not overlap on a short bone.
        const double reach = std::min(
            0.5 * bone.length, options.reach * (bones_.joint_radius[at(joint)] + bone.radius));
        if (from_joint < reach) {
            v.joint = joint;
            if (options.slide) {
                // p = (1 - share) J + share B + rest; the rest turns with both.
                v.share = std::max(0.0, from_joint) / reach;
                const Vec3 J = on_circle(bone, p, is_first ? 0.0 : bone.length,
                                         bones_.joint_radius[at(joint)]);
                const double t = is_first ? reach : bone.length - reach;
                const Vec3 B = on_circle(bone, p, t, bone.radius_at(t));
                const Vec3 left = p - (1.0 - v.share) * J - v.share * B;
                v.from_joint = J + left;
                v.from_bone = B + left;
            } else {
                v.share = from_joint < bones_.joint_radius[at(joint)] ? 0.0 : 1.0;
            }
        }
        vertices_.push_back(v);
    }
}

BoneCoupling::Posed BoneCoupling::posed(const CharacterPose& pose) const {
    SINEW_ASSERT(pose.size() == skeleton_.size(), "{} transforms for {} joints", pose.size(),
                 skeleton_.size());
    Posed now;
    std::vector<bool> has_bone(skeleton_.size(), false);
    for (const BoneVolume& bone : bones_.bones) {
        has_bone[at(bone.first)] = true;
    }
    for (std::size_t j = 0; j < skeleton_.size(); ++j) {
        const CharacterJoint& joint = skeleton_.joints[j];
        const Vec3 centre = pose[j] * joint.position;
        // Half of the rotation, by spherical interpolation between the bones on both sides.
        Eigen::Quaterniond turn(pose[j].linear());
        // Between the bones that meet here; tips turn with themselves.
        if (joint.parent >= 0 && has_bone[j]) {
            turn = Eigen::Quaterniond(pose[at(joint.parent)].linear()).slerp(0.5, turn);
        }
        now.joint.push_back(centre);
        now.turned.push_back(Eigen::Translation3d(centre) * turn *
                             Eigen::Translation3d(-joint.position));
    }
    for (const BoneVolume& bone : bones_.bones) {
        const Eigen::Isometry3d& T = pose[at(bone.first)];
        const Vec3 origin = now.joint[at(bone.first)];
        const Vec3 end = now.joint[at(bone.second)];
        now.bone.push_back(T);
        now.stretch.push_back(end - T * bone.at(bone.length));
        now.origin.push_back(origin);
        const double length = (end - origin).norm();
        now.length.push_back(length);
        now.axis.push_back(length > 0.0 ? Vec3((end - origin) / length)
                                        : Vec3(T.linear() * bone.axis));
    }
    return now;
}

// From bone and joint by the vertex' own fraction, then out of tube and sphere, in which blending
// may have put it.
void BoneCoupling::place_inner(const CharacterPose& pose, Points& x) const {
    const Posed now = posed(pose);
    const auto S = static_cast<Eigen::Index>(vertices_.size());
    parallel_for(vertices_.size(), kCouplingPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vertex& v = vertices_[i];
            const BoneVolume& bone = bones_.bones[at(v.bone)];
            Vec3 p = Vec3::Zero();
            if (v.share > 0.0) {
                const double far = std::clamp(v.along / bone.length, 0.0, 1.0);
                p += v.share * (now.bone[at(v.bone)] * v.from_bone + far * now.stretch[at(v.bone)]);
            }
            if (v.share < 1.0) {
                p += (1.0 - v.share) * (now.turned[at(v.joint)] * v.from_joint);
                // Out of the tube of its bone and the sphere of its joint.
                const Vec3 w = p - now.origin[at(v.bone)];
                const double t = w.dot(now.axis[at(v.bone)]);
                const double scale = bone.length / std::max(now.length[at(v.bone)], 1e-9);
                if (t > 0.0 && t < now.length[at(v.bone)]) {
                    const Vec3 across = w - t * now.axis[at(v.bone)];
                    const double r = bone.radius_at(t * scale);
                    const double size = across.norm();
                    // Less so towards the joint, where the bones on both sides share it.
                    if (size < r && size > 0.0) {
                        p += v.share * (r / size - 1.0) * across;
                    }
                }
                const Vec3 out = p - now.joint[at(v.joint)];
                const double r = bones_.joint_radius[at(v.joint)];
                const double size = out.norm();
                if (size < r && size > 0.0) {
                    p += (r / size - 1.0) * out;
                }
            }
            x.row(S + static_cast<Eigen::Index>(i)) = p.transpose();
        }
    });
}

void BoneCoupling::place_base(const CharacterPose& pose, Points& base) const {
    const Posed now = posed(pose);
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
        const auto b = at(vertices_[i].bone);
        const auto row = static_cast<Eigen::Index>(i);
        const double far = base_along_[i] / bones_.bones[b].length;
        base.row(row) = (now.bone[b] * point(rest_base_, row) + far * now.stretch[b]).transpose();
    }
}

}  // namespace sinew
