#pragma once

#include "sinew/contact/pairs.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"

#include <Eigen/Geometry>

#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace sinew {

// Shapes in their own frame; a pose puts them into the world. Lengths in m.

/// Around the origin.
struct SphereShape {
    double radius = 1.0;  ///< > 0
};
/// All points within `radius` of the segment from (0, -half_length, 0) to (0, half_length, 0).
struct CapsuleShape {
    double radius = 1.0;       ///< > 0
    double half_length = 1.0;  ///< >= 0
};
/// Around the origin, along the axes.
struct BoxShape {
    Vec3 half_size = Vec3::Ones();  ///< > 0
};
/// Solid below y = 0.
struct HalfSpaceShape {};
/// The inside of a closed surface (or nearly closed: see SignedDistance).
struct MeshShape {
    std::shared_ptr<const SignedDistance> surface;
    std::shared_ptr<const TriangleMesh> mesh;  ///< the same surface
    Bounds bounds;                             ///< of the surface
};
MeshShape make_mesh_shape(const TriangleMesh& mesh);

using Shape = std::variant<SphereShape, CapsuleShape, BoxShape, HalfSpaceShape, MeshShape>;

/// Distance to a shape and its derivatives.
struct ShapeDistance {
    double distance = 0.0;         ///< m, negative inside
    Vec3 gradient = Vec3::Zero();  ///< of length 1: the direction away from the shape
    /// Second derivative. For meshes that of the nearest corner, edge or face.
    Mat3 hessian = Mat3::Zero();
};

/// In the shape's own frame. Where several points of the surface are equally near (the centre of a
/// sphere, the middle planes of a box) one of them is taken, always the same.
ShapeDistance shape_distance(const Shape& shape, const Vec3& p);

/// A shape that moves rigidly, from one pose at the start of a time step to another at its end.
struct MovingShape {
    Shape shape;
    Eigen::Isometry3d T_world_shape = Eigen::Isometry3d::Identity();     ///< at the end
    Eigen::Isometry3d T_world_previous = Eigen::Isometry3d::Identity();  ///< at the start
    double step = 0.0;  ///< between them, s; 0: the shape rests
};

ShapeDistance shape_distance(const MovingShape& shape, const Vec3& p);

/// Vertices nearer to the shape than `thickness` (m), by ascending vertex; the planes lie
/// `thickness` above the shape. In parallel, the same for any number of threads.
/// @param vertices  that are asked; empty: all
std::vector<RigidContact> find_rigid_contacts(const MovingShape& shape, const Points& x,
                                              double thickness,
                                              std::span<const Index> vertices = {});

}  // namespace sinew
