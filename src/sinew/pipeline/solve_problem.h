#pragma once

#include "sinew/energy/fem_quadratic.h"
#include "sinew/energy/pressure.h"
#include "sinew/energy/shape_contact.h"
#include "sinew/pipeline/solve_scene.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sinew {

/// One of the scene's pressures or tractions on the mesh.
struct SceneFaces {
    SurfaceNodes triangles;  ///< three nodes each, or six with quadratic tetrahedra
    double area = 0.0;       ///< at rest, m^2
};

/// Everything that scene and mesh make together. Nodes are the vertices of the mesh and, with
/// quadratic tetrahedra, the middles of its edges after them.
struct SceneProblem {
    Points points = Points(0, 3);  ///< nodes at rest
    std::optional<QuadraticTets> quadratic = {};
    std::vector<std::shared_ptr<const Material>> laws = {};
    std::vector<int> law_of_tet = {};  ///< laws at a point; of symmetric ARAP none
    EnergyTerms elastic = {};
    std::shared_ptr<const FemQuadratic> quadratic_term = {};
    std::vector<double> masses = {};
    Points loads = Points(0, 3);                            ///< constant forces, N
    std::vector<SceneFaces> faces = {};                     ///< one per surface load of the scene
    std::vector<std::shared_ptr<Pressure>> pressures = {};  ///< one per surface load, or none
    std::vector<std::shared_ptr<ShapeContact>> contacts = {};  ///< one per obstacle
    VertexConstraints constraints = {};  ///< with the whole of prescribed motions
};

/// @throws InputError  when mesh and scene do not fit
SceneProblem build_problem(const SolveScene& scene, const TetMesh& rest);

/// Nodes of a selection: vertices, and middles of edges whose two ends are among them.
/// @param where  for messages
std::vector<Index> selected_nodes(const SceneVertices& vertices, const TetMesh& rest,
                                  const SceneProblem& problem, const std::string& where);
/// What holds when a part s in [0, 1] of the prescribed motions is done.
VertexConstraints constraints_of(const SolveScene& scene, const TetMesh& rest,
                                 const SceneProblem& problem, double s);
/// Where an obstacle is when a part s of its motion is done.
Eigen::Isometry3d pose_of(const SceneObstacle& obstacle, double s);
/// Which material of the scene each tetrahedron has.
std::vector<std::size_t> materials_of_tets(const SolveScene& scene, const TetMesh& rest);

}  // namespace sinew
