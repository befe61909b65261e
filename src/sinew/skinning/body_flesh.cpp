#include "sinew/skinning/body_flesh.h"

#include "sinew/base/error.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

// A body's tetrahedra as skinning wants them: skin vertices first, samples of bones with the joint
// that moves each, and for every vertex the joint of the bone that is nearest along the flesh. Near
// moving joints samples are left out, so that flesh can slide over them [Komaritzan, section
// 4.3.3].

namespace sinew {
namespace {

void require_flesh(const Body& body) {
    if (body.tets.tets.rows() == 0 || body.attachments.points.size() == 0 ||
        body.skeleton.joints.empty()) {
        throw InputError(
            {.where = "body '" + body.name + "'",
             .found = fmt::format("{} tetrahedra, {} attachments, {} joints", body.tets.tets.rows(),
                                  body.attachments.points.size(), body.skeleton.joints.size()),
             .needs = "flesh that hangs on bones with joints",
             .remedy = "make one with `sinew build`"});
    }
}

// The joint that moves each segment.
std::vector<Index> joints_of_segments(const Skeleton& skeleton) {
    std::vector<Index> joint(skeleton.segments.size(), 0);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        joint[at(skeleton.joints[j].child)] = static_cast<Index>(j);
    }
    return joint;
}

// Each vertex hangs on the joint of the bone sample that is nearest along the flesh: rings around
// the samples grow, edge by edge, until all is taken.
std::vector<Index> nearest_joints(const Tets& tets, Eigen::Index vertices, const Tets& corners,
                                  std::span<const Index> joint_of_sample) {
    std::vector<Index> joint(at(vertices), -1);
    for (Eigen::Index i = 0; i < corners.rows(); ++i) {
        for (int k = 0; k < 4; ++k) {
            Index& j = joint[at(corners(i, k))];
            j = j < 0 ? joint_of_sample[at(i)] : j;
        }
    }
    for (bool is_growing = true; is_growing;) {
        is_growing = false;
        const std::vector<Index> before = joint;
        for (Eigen::Index t = 0; t < tets.rows(); ++t) {
            Index found = -1;
            for (int k = 0; k < 4; ++k) {
                found = std::max(found, before[at(tets(t, k))]);
            }
            for (int k = 0; k < 4 && found >= 0; ++k) {
                Index& j = joint[at(tets(t, k))];
                is_growing = is_growing || j < 0;
                j = j < 0 ? found : j;
            }
        }
    }
    for (Index& j : joint) {
        j = std::max<Index>(j, 0);
    }
    return joint;
}

// Vertices of the skin first, then the others in their order.
void renumber(const Body& body, BodyFlesh& flesh) {
    const Eigen::Index count = body.tets.points.rows();
    flesh.number.assign(at(count), -1);
    Index next = 0;
    for (const Index v : body.skin.tet_vertex) {
        SINEW_ASSERT(flesh.number[at(v)] < 0, "vertex {} is twice in the skin", v);
        flesh.number[at(v)] = next++;
    }
    for (Index& n : flesh.number) {
        n = n < 0 ? next++ : n;
    }
    flesh.mesh.points.resize(count, 3);
    for (Eigen::Index i = 0; i < count; ++i) {
        flesh.mesh.points.row(flesh.number[at(i)]) = body.tets.points.row(i);
    }
    flesh.mesh.tets = body.tets.tets.unaryExpr([&](Index i) { return flesh.number[at(i)]; });
}

// Samples of bones away from joints that move.
void choose_samples(const Body& body, double sliding, BodyFlesh& flesh) {
    const std::vector<Index> joint_of = joints_of_segments(body.skeleton);
    const EmbeddedPoints& points = body.attachments.points;
    const Points places = positions_of(points, body.tets.points, body.tets.tets);
    std::vector<std::vector<Vec3>> moving(body.skeleton.segments.size());
    for (const Joint& joint : body.skeleton.joints) {
        if (joint.type != JointType::Fixed && joint.parent >= 0) {
            moving[at(joint.parent)].push_back(joint.centre);
            moving[at(joint.child)].push_back(joint.centre);
        }
    }
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Index segment = body.bones[at(body.attachments.bone[i])].segment;
        const Vec3 p = point(places, static_cast<Eigen::Index>(i));
        const std::vector<Vec3>& near = moving[at(segment)];
        if (std::none_of(near.begin(), near.end(),
                         [&](const Vec3& centre) { return (centre - p).norm() < sliding; })) {
            kept.push_back(i);
        }
    }
    const auto count = static_cast<Eigen::Index>(kept.size());
    flesh.corners.resize(count, 4);
    flesh.weights.resize(count, 4);
    flesh.samples.resize(count, 3);
    for (Eigen::Index k = 0; k < count; ++k) {
        const std::size_t i = kept[at(k)];
        flesh.corners.row(k) = flesh.mesh.tets.row(points.tet[i]);
        flesh.weights.row(k) = points.weights.row(static_cast<Eigen::Index>(i));
        flesh.samples.row(k) = places.row(static_cast<Eigen::Index>(i));
        flesh.sample_joint.push_back(
            joint_of[at(body.bones[at(body.attachments.bone[i])].segment)]);
    }
}

// The middle of a limb lies half way to the skin across, straight in from each vertex.
Points middles_of_limbs(const TriangleMesh& skin) {
    constexpr double kStart = 1e-4;  // m: below the triangles of the vertex itself
    const Lists around = triangles_of_vertices(skin.triangles, skin.points.rows());
    const SurfaceTree tree(skin);
    Points middle = skin.points;
    for (Eigen::Index i = 0; i < middle.rows(); ++i) {
        Vec3 n = Vec3::Zero();
        const Vec3 p = point(skin.points, i);
        for (const Index t : around[at(i)]) {
            const Vec3 a = point(skin.points, skin.triangles(t, 0));
            n += (point(skin.points, skin.triangles(t, 1)) - a)
                     .cross(point(skin.points, skin.triangles(t, 2)) - a);
        }
        if (n.norm() > 0.0) {
            const RayHit hit =
                tree.first_hit({.origin = p, .direction = -n.normalized(), .t_min = kStart});
            middle.row(i) = (hit.triangle < 0 ? p : Vec3(0.5 * (p + hit.point))).transpose();
        }
    }
    return middle;
}

}  // namespace

SkinUpsampling bind_to_triangles(const TriangleMesh& coarse, const TriangleMesh& fine) {
    constexpr int kCorners = 4;  // the least that upsampling takes; the last one counts nothing
    UpsamplingWeights weights{.neighbours = kCorners};
    const SurfaceTree tree(coarse);
    const std::vector<ClosestPoint> nearest = tree.closest_points(fine.points);
    for (std::size_t j = 0; j < nearest.size(); ++j) {
        const Index t = nearest[j].triangle;
        weights.nearest_triangle.push_back(t);
        for (int k = 0; k < kCorners; ++k) {
            weights.index.push_back(coarse.triangles(t, k % 3));
            weights.weight.push_back(k < 3 ? static_cast<float>(nearest[j].barycentric[k]) : 0.0F);
        }
        const Vec3 a = point(coarse.points, coarse.triangles(t, 0));
        const Vec3 u = (point(coarse.points, coarse.triangles(t, 1)) - a).normalized();
        const Vec3 n = u.cross(point(coarse.points, coarse.triangles(t, 2)) - a).normalized();
        Mat3 frame;
        frame << u, n.cross(u), n;
        const Vec3 beside = point(fine.points, static_cast<Eigen::Index>(j)) - nearest[j].point;
        weights.left.push_back({static_cast<Index>(j), frame.transpose() * beside});
    }
    weights.normal_weight = weights.weight;
    return {coarse, std::move(weights)};
}

BodyFlesh build_body_flesh(const Body& body, double sliding) {
    require_flesh(body);
    BodyFlesh flesh;
    renumber(body, flesh);
    choose_samples(body, sliding, flesh);
    flesh.joint = nearest_joints(flesh.mesh.tets, flesh.mesh.points.rows(), flesh.corners,
                                 flesh.sample_joint);
    const Eigen::Index S = body.skin.mesh.points.rows();
    flesh.skin.points = flesh.mesh.points.topRows(S);
    flesh.skin.triangles = body.skin.mesh.triangles;
    flesh.skin.bone.assign(flesh.joint.begin(), flesh.joint.begin() + S);
    flesh.skin.base_points =
        middles_of_limbs({.points = flesh.skin.points, .triangles = flesh.skin.triangles});
    return flesh;
}

}  // namespace sinew
