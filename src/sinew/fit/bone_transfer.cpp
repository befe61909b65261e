#include "sinew/fit/bone_transfer.h"

#include "sinew/body/body_parts.h"
#include "sinew/body/names.h"
#include "sinew/fit/anatomy_transfer.h"
#include "sinew/fit/layer_order.h"
#include "sinew/geometry/rbf_warp.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/tet_locator.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

// Bones in the layers of a person: large ones by a warp of the skeleton surface alone, small ones
// of hands and feet by the affine map of the tetrahedra around them. Whatever would leave the skin
// is drawn in, fading over its neighbours.

namespace sinew {

namespace {

constexpr double kNearSkin = 0.06;     // m under the skin of the template: deeper bones stay inside
constexpr double kUnderSkin = 0.0005;  // m, that bones are to keep, or half of what they had
constexpr int kDrawnRounds = 12;       // over which what is around is drawn in too
constexpr double kFading = 0.9;        // per round
constexpr double kJointHold = 1e-7;    // bones around a joint span space
constexpr double kJointReach = 0.04;   // m around a joint, where bones say where it is
constexpr std::size_t kFewest = 12;    // vertices of bones that say it

EmbeddedPoints embedded_in(const TetLocator& tets, const Points& points) {
    EmbeddedPoints result;
    result.weights.resize(points.rows(), 4);
    Eigen::Index row = 0;
    for (const TetLocation& where : tets.nearest_all(points)) {
        result.tet.push_back(where.tet);
        result.weights.row(row++) = where.barycentric.transpose();
    }
    return result;
}

}  // namespace

Eigen::Affine3d nearest_affine(const Points& from, const Points& to, double hold) {
    const Vec3 a = from.colwise().mean().transpose();
    const Vec3 b = to.colwise().mean().transpose();
    const Points p = from.rowwise() - a.transpose();
    const Points d = (to - from).rowwise() - (b - a).transpose();
    // Least squares of the displacement, held to none by a little of the spread.
    Mat3 C = p.transpose() * p;
    C.diagonal().array() += hold * std::max(C.trace(), 1e-12);
    const Mat3 G = C.ldlt().solve(Mat3(p.transpose() * d)).transpose();
    Eigen::Affine3d map = Eigen::Affine3d::Identity();
    map.linear() += G;
    map.translation() = b - map.linear() * a;
    return map;
}

struct BoneTransfer::Data {
    const Body* body = nullptr;
    std::vector<Index> centres;  // vertices of B
    std::optional<RbfSystem> system;
    std::vector<char> is_small;           // per bone: of a hand or a foot
    std::vector<EmbeddedPoints> in_tets;  // per bone
    std::vector<Eigen::VectorXd> depth;   // per bone: under the skin of the template, m
    std::vector<Lists> neighbours;        // per bone
    EmbeddedPoints joints;
    std::vector<char> is_small_joint;
    // Per joint: vertices of bones around it, as bone and row.
    std::vector<std::vector<std::pair<Index, Index>>> around_joint;
    Points samples;  // attachments

    void find_small();
    void find_around_joints();
    std::optional<Vec3> joint_between(std::size_t joint, const std::vector<Points>& bones) const;
    Eigen::Index draw_in(const SignedDistance& skin, std::size_t bone, const Points& tet_points,
                         Points& moved) const;
};

void BoneTransfer::Data::find_small() {
    std::vector<char> of_segment(body->skeleton.segments.size(), 0);
    for (const BodyPart& part : body_parts(*body)) {
        const std::string stem = split_side(part.name).stem;
        for (const Index s : part.segments) {
            of_segment[at(s)] = stem == "hand" || stem == "foot" ? 1 : 0;
        }
    }
    for (const Bone& bone : body->bones) {
        is_small.push_back(of_segment[at(bone.segment)]);
    }
    for (const Joint& joint : body->skeleton.joints) {
        is_small_joint.push_back(joint.parent >= 0 ? of_segment[at(joint.parent)] : 0);
    }
}

void BoneTransfer::Data::find_around_joints() {
    around_joint.resize(body->skeleton.joints.size());
    for (std::size_t j = 0; j < around_joint.size(); ++j) {
        const Vec3& centre = body->skeleton.joints[j].centre;
        std::vector<Vec3> arms;
        Vec3 side = Vec3::Zero();
        for (std::size_t b = 0; b < body->bones.size(); ++b) {
            const Points& bone = body->bones[b].mesh.points;
            for (Eigen::Index i = 0; i < bone.rows() && is_small[b] == 0; ++i) {
                const Vec3 arm = point(bone, i) - centre;
                if (arm.norm() < kJointReach) {
                    around_joint[j].emplace_back(static_cast<Index>(b), static_cast<Index>(i));
                    arms.push_back(arm);
                    side += arm;
                }
            }
        }
        // Wrists lie among small bones, beyond the ends of the long ones.
        const bool is_between = std::any_of(arms.begin(), arms.end(),
                                            [&](const Vec3& arm) { return arm.dot(side) < 0.0; });
        if (!is_between) {
            around_joint[j].clear();
        }
    }
}

// Where the bones around a joint have its centre now: in between them the warp follows skin that
// slides over them.
std::optional<Vec3> BoneTransfer::Data::joint_between(std::size_t joint,
                                                      const std::vector<Points>& bones) const {
    const auto& near = around_joint[joint];
    if (near.size() < kFewest) {
        return {};
    }
    Points from(static_cast<Eigen::Index>(near.size()), 3);
    Points to(from.rows(), 3);
    for (Eigen::Index k = 0; k < from.rows(); ++k) {
        const auto& [bone, vertex] = near[at(k)];
        from.row(k) = body->bones[at(bone)].mesh.points.row(vertex);
        to.row(k) = bones[at(bone)].row(vertex);
    }
    return nearest_affine(from, to, kJointHold) * body->skeleton.joints[joint].centre;
}

// Vertices that are not far enough under the skin go where their tetrahedra are, which are inside.
Eigen::Index BoneTransfer::Data::draw_in(const SignedDistance& skin, std::size_t bone,
                                         const Points& tet_points, Points& moved) const {
    std::vector<Index> near;
    for (Eigen::Index i = 0; i < moved.rows(); ++i) {
        if (depth[bone][i] < kNearSkin) {
            near.push_back(static_cast<Index>(i));
        }
    }
    Points places(static_cast<Eigen::Index>(near.size()), 3);
    for (std::size_t k = 0; k < near.size(); ++k) {
        places.row(static_cast<Eigen::Index>(k)) = moved.row(near[k]);
    }
    const Eigen::VectorXd now = distances_above(skin, places, -kUnderSkin);
    std::vector<char> is_out(at(moved.rows()), 0);
    Eigen::Index count = 0;
    for (std::size_t k = 0; k < near.size(); ++k) {
        const double asked = std::min(kUnderSkin, 0.5 * depth[bone][near[k]]);
        if (now[static_cast<Eigen::Index>(k)] > -asked) {
            is_out[at(near[k])] = 1;
            ++count;
        }
    }
    if (count == 0) {
        return 0;
    }
    const Points inside = positions_of(in_tets[bone], tet_points, body->tets.tets);
    Points shift = Points::Zero(moved.rows(), 3);
    for (std::size_t i = 0; i < is_out.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        if (is_out[i] != 0) {
            shift.row(row) = inside.row(row) - moved.row(row);
        }
    }
    for (int round = 0; round < kDrawnRounds; ++round) {
        const Points old = shift;
        for (std::size_t i = 0; i < is_out.size(); ++i) {
            const std::span<const Index> around = neighbours[bone][i];
            if (is_out[i] != 0 || around.empty()) {
                continue;
            }
            Eigen::RowVector3d sum = Eigen::RowVector3d::Zero();
            for (const Index w : around) {
                sum += old.row(w);
            }
            shift.row(static_cast<Eigen::Index>(i)) =
                kFading / static_cast<double>(around.size()) * sum;
        }
    }
    moved += shift;
    return count;
}

BoneTransfer::BoneTransfer(const Body& body, const LayeredTemplate& layers, int centres,
                           const Progress& progress)
    : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    d.body = &body;
    d.centres = farthest_points(layers.bone, centres);
    Points rest(static_cast<Eigen::Index>(d.centres.size()), 3);
    for (std::size_t i = 0; i < d.centres.size(); ++i) {
        rest.row(static_cast<Eigen::Index>(i)) = layers.bone.row(d.centres[i]);
    }
    d.system.emplace(rest, RbfOptions{}, progress);
    d.find_small();
    const TetLocator locator(body.tets);
    const SignedDistance skin({.points = layers.skin, .triangles = layers.triangles});
    for (const Bone& bone : body.bones) {
        d.in_tets.push_back(embedded_in(locator, bone.mesh.points));
        d.depth.emplace_back(-skin.at_all(bone.mesh.points));
        d.neighbours.push_back(
            neighbours_of_vertices(bone.mesh.triangles, bone.mesh.points.rows()));
    }
    Points joints(static_cast<Eigen::Index>(body.skeleton.joints.size()), 3);
    for (Eigen::Index j = 0; j < joints.rows(); ++j) {
        joints.row(j) = body.skeleton.joints[at(j)].centre.transpose();
    }
    d.joints = embedded_in(locator, joints);
    d.find_around_joints();
    d.samples = positions_of(body.attachments.points, body.tets.points, body.tets.tets);
}

BoneTransfer::~BoneTransfer() = default;
BoneTransfer::BoneTransfer(BoneTransfer&&) noexcept = default;
BoneTransfer& BoneTransfer::operator=(BoneTransfer&&) noexcept = default;

BoneTransfer::Moved BoneTransfer::to(const Points& bone, const Points& tet_points) const {
    const Data& d = *data_;
    const Body& body = *d.body;
    Points target(static_cast<Eigen::Index>(d.centres.size()), 3);
    for (std::size_t i = 0; i < d.centres.size(); ++i) {
        target.row(static_cast<Eigen::Index>(i)) = bone.row(d.centres[i]);
    }
    const RbfWarp warp = d.system->to(target);
    const SignedDistance skin(
        {.points = positions_of(body.skin, tet_points), .triangles = body.skin.mesh.triangles});
    Moved moved;
    std::vector<Eigen::Affine3d> affine(body.bones.size(), Eigen::Affine3d::Identity());
    for (std::size_t b = 0; b < body.bones.size(); ++b) {
        const Points& rest = body.bones[b].mesh.points;
        if (d.is_small[b] != 0) {
            affine[b] =
                nearest_affine(rest, positions_of(d.in_tets[b], tet_points, body.tets.tets));
            moved.bones.bones.emplace_back((rest * affine[b].linear().transpose()).rowwise() +
                                           affine[b].translation().transpose());
        } else {
            moved.bones.bones.push_back(warp.apply(rest));
        }
        moved.drawn_in += d.draw_in(skin, b, tet_points, moved.bones.bones.back());
    }
    moved.bones.attachments = warp.apply(d.samples);
    for (std::size_t i = 0; i < body.attachments.bone.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const Index b = body.attachments.bone[i];
        if (d.is_small[at(b)] != 0) {
            moved.bones.attachments.row(row) = (affine[at(b)] * point(d.samples, row)).transpose();
        }
    }
    const Points in_tets = positions_of(d.joints, tet_points, body.tets.tets);
    for (std::size_t j = 0; j < body.skeleton.joints.size(); ++j) {
        if (d.is_small_joint[j] != 0) {
            moved.bones.joints.push_back(point(in_tets, static_cast<Eigen::Index>(j)));
        } else {
            const std::optional<Vec3> between = d.joint_between(j, moved.bones.bones);
            moved.bones.joints.push_back(between ? *between
                                                 : warp.at(body.skeleton.joints[j].centre));
        }
    }
    return moved;
}

}  // namespace sinew
