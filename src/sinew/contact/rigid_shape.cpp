#include "sinew/contact/rigid_shape.h"

#include "sinew/base/parallel.h"
#include "sinew/contact/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

constexpr std::size_t kShapePiece = 1024;  // vertices per piece of parallel work

// From the point r away from the nearest point of a core (corner, edge), where only `free`
// directions of r can turn: d = |r| - radius.
ShapeDistance from_core(const Vec3& r, double radius, const Mat3& free, const Vec3& fallback) {
    ShapeDistance d;
    const double length = r.norm();
    if (!(length > 0.0)) {
        d.distance = -radius;
        d.gradient = fallback;
        return d;
    }
    d.distance = length - radius;
    d.gradient = r / length;
    d.hessian = (free - d.gradient * d.gradient.transpose()) / length;
    return d;
}

ShapeDistance distance_to(const SphereShape& sphere, const Vec3& p) {
    return from_core(p, sphere.radius, Mat3::Identity(), Vec3::UnitY());
}

ShapeDistance distance_to(const CapsuleShape& capsule, const Vec3& p) {
    const double along = std::clamp(p.y(), -capsule.half_length, capsule.half_length);
    Mat3 free = Mat3::Identity();
    if (std::abs(p.y()) < capsule.half_length) {
        free(1, 1) = 0.0;
    }
    return from_core(p - Vec3(0, along, 0), capsule.radius, free, Vec3::UnitX());
}

ShapeDistance distance_to(const BoxShape& box, const Vec3& p) {
    const Vec3 beyond = p.cwiseAbs() - box.half_size;
    int axis = 0;
    const double most = beyond.maxCoeff(&axis);
    if (most <= 0.0) {
        ShapeDistance d;
        d.distance = most;
        d.gradient[axis] = p[axis] < 0.0 ? -1.0 : 1.0;
        return d;
    }
    Vec3 r = Vec3::Zero();
    Mat3 free = Mat3::Zero();
    for (int k = 0; k < 3; ++k) {
        if (beyond[k] > 0.0) {
            r[k] = p[k] < 0.0 ? -beyond[k] : beyond[k];
            free(k, k) = 1.0;
        }
    }
    return from_core(r, 0.0, free, Vec3::UnitY());
}

ShapeDistance distance_to(const HalfSpaceShape&, const Vec3& p) {
    ShapeDistance d;
    d.distance = p.y();
    d.gradient = Vec3::UnitY();
    return d;
}

ShapeDistance distance_to(const MeshShape& shape, const Vec3& p) {
    const ClosestPoint near = shape.surface->surface().closest_point(p);
    ShapeDistance d;
    if (near.triangle < 0) {
        d.distance = std::numeric_limits<double>::infinity();
        d.gradient = Vec3::UnitY();
        return d;
    }
    const double sign = shape.surface->is_inside(p) ? -1.0 : 1.0;
    d.distance = sign * near.distance;
    const auto corner = shape.mesh->triangles.row(near.triangle);
    const Vec3 a = point(shape.mesh->points, corner[0]);
    const Vec3 b = point(shape.mesh->points, corner[1]);
    const Vec3 c = point(shape.mesh->points, corner[2]);
    if (!(near.distance > 0.0)) {
        d.gradient = (b - a).cross(c - a).normalized();
        return d;
    }
    d.gradient = sign * (p - near.point) / near.distance;
    // Of the distance from that of its square: f = d^2, f_pp = 2 d' d'^T + 2 d d''.
    const PairDistance pair = point_triangle_distance(p, a, b, c);
    const Mat3 squared = squared_distance_hessian(pair, p, a, b, c).topLeftCorner<3, 3>();
    d.hessian = sign * (0.5 * squared - d.gradient * d.gradient.transpose()) / near.distance;
    return d;
}

// Whether p can be within `reach` of the shape: a quick answer for meshes.
bool may_touch(const Shape& shape, const Vec3& p, double reach) {
    const auto* mesh = std::get_if<MeshShape>(&shape);
    return mesh == nullptr || ((p.array() > mesh->bounds.low.array() - reach).all() &&
                               (p.array() < mesh->bounds.high.array() + reach).all());
}

}  // namespace

MeshShape make_mesh_shape(const TriangleMesh& mesh) {
    return {std::make_shared<const SignedDistance>(mesh),
            std::make_shared<const TriangleMesh>(mesh), bounds(mesh.points)};
}

ShapeDistance shape_distance(const Shape& shape, const Vec3& p) {
    return std::visit([&](const auto& s) { return distance_to(s, p); }, shape);
}

ShapeDistance shape_distance(const MovingShape& shape, const Vec3& p) {
    const Mat3 R = shape.T_world_shape.linear();
    ShapeDistance d =
        shape_distance(shape.shape, R.transpose() * (p - shape.T_world_shape.translation()));
    d.gradient = R * d.gradient;
    d.hessian = R * d.hessian * R.transpose();
    return d;
}

std::vector<RigidContact> find_rigid_contacts(const MovingShape& shape, const Points& x,
                                              double thickness, std::span<const Index> vertices) {
    const std::size_t count =
        vertices.empty() ? static_cast<std::size_t>(x.rows()) : vertices.size();
    const Eigen::Isometry3d T_shape_world = shape.T_world_shape.inverse();
    std::vector<std::vector<RigidContact>> parts((count + kShapePiece - 1) / kShapePiece);
    parallel_for(count, kShapePiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Index v = vertices.empty() ? static_cast<Index>(i) : vertices[i];
            const Vec3 p = point(x, v);
            if (!may_touch(shape.shape, T_shape_world * p, thickness)) {
                continue;
            }
            const ShapeDistance d = shape_distance(shape, p);
            if (!(d.distance < thickness)) {
                continue;
            }
            RigidContact c;
            c.vertex = v;
            c.normal = d.gradient;
            c.distance = d.distance;
            c.point = p + (thickness - d.distance) * d.gradient;
            if (shape.step > 0.0) {
                c.velocity =
                    (c.point - shape.T_world_previous * (T_shape_world * c.point)) / shape.step;
            }
            parts[begin / kShapePiece].push_back(c);
        }
    });
    std::vector<RigidContact> all;
    for (const std::vector<RigidContact>& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace sinew
