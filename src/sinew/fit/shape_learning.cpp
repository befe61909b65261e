#include "sinew/fit/shape_learning.h"

#include "sinew/base/error.h"
#include "sinew/fit/landmarks.h"
#include "sinew/fit/pose_fit.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/linalg/dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// A space of rest shapes from people in correspondence: each is taken back to the rest pose, then
// principal components by the eigenvectors of the Gram matrix, since there are fewer people than
// vertices. Vertices count by area, or finely meshed hands would decide. Components are one
// standard deviation long, so that coefficients are deviations.

namespace sinew {
namespace {

constexpr double kLimbFraction = 0.4;  // of the limbs' standard deviation, beside components

// Placement and limbs that explain all vertices.
RigState fitted_state(const PoseRig& rig, const Points& posed, const RigState& start) {
    std::vector<RigPull> pulls;
    const Eigen::Index stride = std::max<Eigen::Index>(1, posed.rows() / 3000);
    for (Eigen::Index v = 0; v < posed.rows(); v += stride) {
        const auto i = static_cast<Index>(v);
        pulls.push_back({.vertex = {i, i, i}, .target = point(posed, v), .weight = 10.0});
    }
    RigState state = start;
    const RigPrior prior{.angles = start.angles,
                         .angle_weight = 0.02,
                         .shape_weight = 0.02,
                         .scale = start.scale,
                         .scale_sigma = 1.0};
    const double unit = 1.0 / (0.01 * 0.01) / 30.0;
    for (RigPull& pull : pulls) {
        pull.weight = unit;
    }
    for (int i = 0; i < 25; ++i) {
        state = improved(rig, state, pulls, prior);
    }
    return state;
}

}  // namespace

RestShape rest_shape_of(const PoseRig& rig, const Points& posed, const RigState& start) {
    RestShape shape;
    const RigState state = fitted_state(rig, posed, start);
    Points rest = rig.unposed(rig.placed(state), posed);
    PoseRig at_shape = rig;
    at_shape.set_rest(rig.placed(state).rest, rig.joints_of(state));
    at_shape.set_modes({});
    PoseRig person = at_shape;
    RigState bare = state;
    bare.shape.resize(0);
    for (int round = 0; round < 2; ++round) {
        shape.joints = at_shape.joints_with(rest);
        person.set_rest(rest, shape.joints);
        rest = person.unposed(person.placed(bare), posed);
    }
    // The size goes into the rest shape.
    shape.skin = state.scale * rest;
    for (Vec3& joint : shape.joints) {
        joint *= state.scale;
    }
    shape.state = bare;
    shape.state.scale = 1.0;
    return shape;
}

ShapeSpace learn_shape_space(const Body& body, std::span<const RestShape> shapes, int components) {
    const Points& own = body.skin.mesh.points;
    for (const RestShape& shape : shapes) {
        if (shape.skin.rows() != own.rows() || shape.joints.size() != body.skeleton.joints.size()) {
            throw InputError({.where = "shape space",
                              .found = fmt::format("a shape of {} points", shape.skin.rows()),
                              .needs = fmt::format("{} points, as the body has", own.rows()),
                              .remedy = "register it with the same body"});
        }
    }
    if (shapes.size() < 3) {
        throw InputError({.where = "shape space",
                          .found = fmt::format("{} shapes", shapes.size()),
                          .needs = "three or more",
                          .remedy = "register more people"});
    }
    ShapeSpace space;
    space.sex = body.sex;
    space.people = static_cast<int>(shapes.size());
    space.reference.points = own;
    space.reference.triangles = body.skin.mesh.triangles;
    const auto n = static_cast<Eigen::Index>(shapes.size());
    const Eigen::Index V = own.rows();
    const auto J = static_cast<Eigen::Index>(body.skeleton.joints.size());
    // Rows: skin, then joints, as displacements from the body's own, feet on the ground.
    Eigen::MatrixXd X(3 * (V + J), n);
    for (Eigen::Index s = 0; s < n; ++s) {
        const RestShape& shape = shapes[at(s)];
        const double ground = shape.skin.col(1).minCoeff() - own.col(1).minCoeff();
        const Vec3 shift(0.0, -ground, 0.0);
        for (Eigen::Index v = 0; v < V; ++v) {
            X.block(3 * v, s, 3, 1) = point(shape.skin, v) + shift - point(own, v);
        }
        for (Eigen::Index j = 0; j < J; ++j) {
            X.block(3 * (V + j), s, 3, 1) =
                shape.joints[at(j)] + shift - body.skeleton.joints[at(j)].centre;
        }
    }
    const Eigen::VectorXd mean = X.rowwise().mean();
    X.colwise() -= mean;
    const auto rows_of = [&](const Eigen::VectorXd& column, bool joints) {
        Points rows(joints ? J : V, 3);
        for (Eigen::Index i = 0; i < rows.rows(); ++i) {
            rows.row(i) = column.segment(3 * (joints ? V + i : i), 3).transpose();
        }
        return rows;
    };
    space.mean_skin = rows_of(mean, false);
    space.mean_joints = rows_of(mean, true);
    for (const Joint& joint : body.skeleton.joints) {
        space.joint_names.push_back(joint.name);
    }
    Eigen::VectorXd area = Eigen::VectorXd::Zero(V);
    const Eigen::VectorXd areas = triangle_areas(space.reference);
    for (Eigen::Index t = 0; t < areas.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            area[space.reference.triangles(t, k)] += areas[t] / 3.0;
        }
    }
    // X = U S W^T: eigenvectors W of the Gram matrix give components U S / sqrt(n - 1) = X W /
    // sqrt(n - 1), each one standard deviation long.
    Eigen::MatrixXd weighted = X.topRows(3 * V);
    for (Eigen::Index v = 0; v < V; ++v) {
        weighted.middleRows(3 * v, 3) *= std::sqrt(area[v]);
    }
    const SymmetricEigen eigen = symmetric_eigen(Eigen::MatrixXd(weighted.transpose() * weighted));
    const Eigen::Index K = std::min<Eigen::Index>(components, n - 1);
    for (Eigen::Index k = 0; k < K; ++k) {
        Eigen::VectorXd w = eigen.vectors.col(n - 1 - k);
        Eigen::VectorXd mode = X * w / std::sqrt(static_cast<double>(n - 1));
        // Signs are free: heavier is positive.
        double out = 0.0;
        const Points normals = vertex_normals(space.reference);
        for (Eigen::Index v = 0; v < V; ++v) {
            out += area[v] * mode.segment(3 * v, 3).dot(point(normals, v));
        }
        mode *= out < 0.0 ? -1.0 : 1.0;
        space.components.push_back({rows_of(mode, false), rows_of(mode, true)});
    }
    return space;
}

void set_shape_space(const Body& body, const ShapeSpace& space, PoseRig& rig) {
    std::vector<Index> row(body.skeleton.joints.size(), -1);
    for (std::size_t j = 0; j < row.size(); ++j) {
        const auto it = std::find(space.joint_names.begin(), space.joint_names.end(),
                                  body.skeleton.joints[j].name);
        row[j] =
            it == space.joint_names.end() ? -1 : static_cast<Index>(it - space.joint_names.begin());
    }
    const auto joints_of = [&](const Points& moved) {
        Points result = Points::Zero(static_cast<Eigen::Index>(row.size()), 3);
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] >= 0) {
                result.row(static_cast<Eigen::Index>(j)) = moved.row(row[j]);
            }
        }
        return result;
    };
    const Points skin = rig.rest().points;
    const Points mean_joints = joints_of(space.mean_joints);
    std::vector<ShapeMode> modes;
    for (const ShapeSpace::Component& component : space.components) {
        modes.push_back({.skin = carried_to(space, component.skin, skin),
                         .joints = joints_of(component.joints),
                         .sigma = 1.0});
    }
    for (ShapeMode& limb : rig.limb_modes(body)) {
        limb.sigma *= kLimbFraction;
        modes.push_back(std::move(limb));
    }
    std::vector<Vec3> joints = rig.joint_centres();
    for (std::size_t j = 0; j < joints.size(); ++j) {
        joints[j] += point(mean_joints, static_cast<Eigen::Index>(j));
    }
    rig.set_rest(skin + carried_to(space, space.mean_skin, skin), joints);
    rig.set_modes(std::move(modes));
}

std::vector<Landmark> landmarks_on(const PoseRig& rig, const Body& body, const ShapeSpace* space) {
    if (space == nullptr || space->landmarks.empty()) {
        return scan_landmarks_of(body);
    }
    // On the body's own skin, which the reference lies on, and with it to the rig's rest shape.
    const SurfaceTree tree(body.skin.mesh);
    std::vector<Landmark> result;
    for (Landmark landmark : space->landmarks) {
        const ClosestPoint c = tree.closest_point(landmark.position);
        Eigen::Index corner = 0;
        c.barycentric.maxCoeff(&corner);
        landmark.skin_vertex = body.skin.mesh.triangles(c.triangle, corner);
        landmark.position.setZero();
        for (int k = 0; k < 3; ++k) {
            landmark.position += c.barycentric[k] *
                                 point(rig.rest().points, body.skin.mesh.triangles(c.triangle, k));
        }
        result.push_back(std::move(landmark));
    }
    return result;
}

}  // namespace sinew
