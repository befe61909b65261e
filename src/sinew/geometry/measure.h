#pragma once

#include "sinew/mesh/arrays.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <limits>

namespace sinew {

// Measures of meshes: boxes, areas, normals, volumes, moments of mass. Indices must be valid
// (require_valid in sinew/mesh/validity.h); a coordinate that is not finite makes the results that
// depend on it not finite. Every function takes (points, elements), so that a deformed copy of the
// points can be measured, and has a wrapper for whole meshes.

/// Axis-aligned box. Without points it is empty: low = +inf, high = -inf.
struct Bounds {
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

    bool is_empty() const {
        return !(low.array() <= high.array()).all();
    }
    Vec3 centre() const {
        return 0.5 * (low + high);
    }
    Vec3 size() const {
        return high - low;
    }
    /// Length of the diagonal, m; 0 when empty.
    double diagonal() const {
        return is_empty() ? 0.0 : (high - low).norm();
    }
    bool contains(const Vec3& p) const {
        return (low.array() <= p.array()).all() && (p.array() <= high.array()).all();
    }
    void add(const Vec3& p) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    void add(const Bounds& other) {
        low = low.cwiseMin(other.low);
        high = high.cwiseMax(other.high);
    }
};

Bounds bounds(const Points& points);

/// One per triangle, m^2, >= 0.
Eigen::VectorXd triangle_areas(const Points& points, const Triangles& triangles);
/// Unit normals, one per triangle, outward for counter-clockwise triangles; zero where the triangle
/// has no area.
Points triangle_normals(const Points& points, const Triangles& triangles);
/// Unit normals at the vertices: triangle normals weighted with the angle at the vertex
/// [Thurmer1998], so that they do not depend on how flat regions are cut into triangles. Zero at
/// vertices without triangles.
Points vertex_normals(const Points& points, const Triangles& triangles);

/// m^2
double surface_area(const Points& points, const Triangles& triangles);
/// m^3, positive when the triangles look outward; meaningful for closed meshes (parts that overlap
/// count twice). For an open mesh it is the volume of the cone over the centre of its box.
double enclosed_volume(const Points& points, const Triangles& triangles);

/// Every edge is used exactly once in each direction, so the surface is closed, manifold along its
/// edges and consistently oriented. False for no triangles and for triangles that repeat a vertex.
bool is_watertight(const Triangles& triangles);

/// det(b-a, c-a, d-a) / 6 per tetrahedron, m^3; negative where inverted.
Eigen::VectorXd tet_volumes(const Points& points, const Tets& tets);
/// Sum of the signed volumes, m^3.
double volume(const Points& points, const Tets& tets);

/// Volume and its first two moments, for a density of 1 kg/m^3.
struct MassProperties {
    double volume = 0.0;           ///< m^3
    Vec3 centroid = Vec3::Zero();  ///< m; zero when the volume is zero
    Mat3 inertia = Mat3::Zero();   ///< about the centroid, axes of the world, kg m^2
};
/// Of the space that a closed mesh encloses.
MassProperties mass_properties(const Points& points, const Triangles& triangles);
MassProperties mass_properties(const Points& points, const Tets& tets);

inline Eigen::VectorXd triangle_areas(const TriangleMesh& mesh) {
    return triangle_areas(mesh.points, mesh.triangles);
}
inline Points triangle_normals(const TriangleMesh& mesh) {
    return triangle_normals(mesh.points, mesh.triangles);
}
inline Points vertex_normals(const TriangleMesh& mesh) {
    return vertex_normals(mesh.points, mesh.triangles);
}
inline double surface_area(const TriangleMesh& mesh) {
    return surface_area(mesh.points, mesh.triangles);
}
inline double enclosed_volume(const TriangleMesh& mesh) {
    return enclosed_volume(mesh.points, mesh.triangles);
}
inline bool is_watertight(const TriangleMesh& mesh) {
    return is_watertight(mesh.triangles);
}
inline MassProperties mass_properties(const TriangleMesh& mesh) {
    return mass_properties(mesh.points, mesh.triangles);
}
inline Eigen::VectorXd tet_volumes(const TetMesh& mesh) {
    return tet_volumes(mesh.points, mesh.tets);
}
inline double volume(const TetMesh& mesh) {
    return volume(mesh.points, mesh.tets);
}
inline MassProperties mass_properties(const TetMesh& mesh) {
    return mass_properties(mesh.points, mesh.tets);
}

}  // namespace sinew
