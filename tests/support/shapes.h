#pragma once

#include "sinew/base/random.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <Eigen/Geometry>

#include <vector>

namespace sinew::support {

/// Unit cube [0,1]^3 as n^3 cells of six tetrahedra each, all of positive volume.
TetMesh cube_of_tets(int n);
/// Box of tetrahedra, `cells` per axis, from the origin to `size` (m).
TetMesh box_of_tets(const Eigen::Vector3i& cells, const Vec3& size);
TetMesh one_tet();
/// Ball of tetrahedra of radius r around the origin: a cube grid mapped to the ball.
TetMesh ball_of_tets(int n, double r);

/// Icosahedron subdivided `levels` times and pushed to the sphere: 20 * 4^levels triangles, closed.
TriangleMesh sphere(int levels, double radius, const Vec3& centre = Vec3::Zero());
/// Axis-aligned closed box of 12 triangles.
TriangleMesh box(const Vec3& low, const Vec3& high);
/// Closed cylinder along +Y from y=0 to `height`, with `around` sides and `along` rings.
TriangleMesh cylinder(double radius, double height, int around, int along);
/// Flat square [0,1]^2 in the plane z = 0, n x n cells: an open mesh.
TriangleMesh open_square(int n);
TriangleMesh torus(double major, double minor, int around, int along);
TriangleMesh one_triangle(const Vec3& a, const Vec3& b, const Vec3& c);

/// Both meshes in one, the second one's vertices after the first one's.
TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b);
/// The same triangles, each with three vertices of its own.
TriangleMesh soup(const TriangleMesh& mesh);

/// Somewhere in the cube [-size, size]^3.
Vec3 random_point(Random& random, double size = 1.0);
/// A shear, a stretch and a shift: affine and nothing simpler.
Points affine(const Points& points);

using Rigid = Eigen::Isometry3d;
/// Rotations about random axes with shifts of up to a metre.
std::vector<Rigid> rigid_motions(int count, Seed seed);
Points moved(const Points& points, const Rigid& motion);
/// Each coordinate by up to `by`, all amounts equally likely.
Points jittered(const Points& points, double by, Seed seed);

}  // namespace sinew::support
