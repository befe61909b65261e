#pragma once

#include "sinew/base/progress.h"
#include "sinew/io/read_options.h"
#include "sinew/material/guccione.h"
#include "sinew/material/holzapfel_ogden.h"
#include "sinew/material/muscle_material.h"
#include "sinew/material/ogden.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/solver/newton.h"

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Vertices of a scene: those inside a box (m, rest positions, borders included), and those listed.
struct SceneVertices {
    struct Box {
        Vec3 low;
        Vec3 high;
    };
    std::optional<Box> box = {};
    std::vector<Index> list = {};
};

/// Triangles of the boundary: those that fulfil all that is given.
struct SolveSurface {
    std::optional<SceneVertices::Box> box = {};  ///< all three corners inside, at rest
    std::optional<int> region = {};              ///< of their tetrahedron
    std::optional<Vec3> normal = {};    ///< outward normals within `angle` of this direction
    std::optional<Vec3> facing = {};    ///< or of the direction to this point, m
    double angle = 0.7853981633974483;  ///< rad
};

/// The laws that a scene can name.
enum class SceneLaw {
    Linear,
    Corotated,
    StableNeoHookean,
    CompressibleNeoHookean,
    IsochoricNeoHookean,
    MooneyRivlin,
    SymmetricArap,
    Muscle,
    Tendon,
    Guccione,
    HolzapfelOgden,
    Ogden
};

/// A direction in every tetrahedron: the same for all, three formulas of x, y, z at its centre, or
/// element data of the mesh file with three components. Of any length > 0.
struct SceneDirection {
    Vec3 vector = Vec3::UnitY();
    std::vector<std::string> formula = {};  ///< three, or none
    std::string data = {};                  ///< name of the element data, or ""
};

/// What the tetrahedra of a region, or all others, are made of.
struct SceneMaterial {
    std::optional<int> region = {};  ///< label of the mesh; nothing: every region not named
    SceneLaw law = SceneLaw::StableNeoHookean;
    double young_modulus = 0.0;  ///< Pa; all laws but Mooney-Rivlin
    double poisson_ratio = 0.0;
    double A = 0.0;  ///< Pa; Mooney-Rivlin
    double B = 0.0;
    double K = 0.0;
    SceneDirection fibre = {};                         ///< of laws with fibres
    SceneDirection sheet = {.vector = Vec3::UnitX()};  ///< Holzapfel-Ogden
    GuccioneConstants guccione = {};
    HolzapfelOgdenConstants holzapfel_ogden = {};
    OgdenConstants ogden = {};
    double activation = 0.0;      ///< muscle, [0, 1]
    MuscleConstants muscle = {};  ///< muscle and tendon
    double density = 1000.0;      ///< kg/m^3
};

/// Vertices whose displacement is given along some axes, and free along the others.
struct SceneHold {
    SceneVertices vertices;
    Vec3 displacement = Vec3::Zero();  ///< m
    std::array<bool, 3> axes = {true, true, true};
    std::string name = {};           ///< of the entry, for reports: "fixed[0]"
    Mat3 matrix = Mat3::Identity();  ///< linear part of an affine motion about `centre`
    Vec3 rotation = Vec3::Zero();    ///< axis times angle, rad, after the matrix
    Vec3 centre = Vec3::Zero();      ///< m

    /// Where a vertex at p goes when a part s in [0, 1] of the motion is done.
    Vec3 target(const Vec3& p, double s) const;
};

/// A force on vertices: the same for each, or a total split equally.
struct SceneForce {
    SceneVertices vertices;
    Vec3 force = Vec3::Zero();  ///< N
    bool is_total = false;
};

/// A force per undeformed volume, on one region or on all.
struct SceneBodyForce {
    std::optional<int> region = {};
    Vec3 density = Vec3::Zero();  ///< N/m^3
};

/// A pressure that follows the surface, or a traction that keeps its direction.
struct SceneSurfaceLoad {
    SolveSurface surface;
    double pressure = 0.0;         ///< Pa, pushes on the body
    Vec3 traction = Vec3::Zero();  ///< N per m^2 of undeformed area
    std::string name = {};         ///< of the entry, for reports: "pressures[0]"
};

enum class SceneShape { Plane, Sphere, Mesh };
/// Something rigid that the body cannot enter.
struct SceneObstacle {
    SceneShape shape = SceneShape::Plane;
    Vec3 position = Vec3::Zero();          ///< a point of the plane, the centre of the sphere, m
    Vec3 normal = Vec3::UnitY();           ///< of the plane, towards the body
    double radius = 0.0;                   ///< of the sphere, m
    std::filesystem::path mesh = {};       ///< closed surface
    Vec3 displacement = Vec3::Zero();      ///< over the load steps, m
    std::optional<double> stiffness = {};  ///< Pa/m; nothing: ten times that of an element
    std::string name = {};
};

enum class SceneMethod { Newton, Projective };
enum class SceneAnalysis { Statics, Dynamics };

/// A problem of elasticity on one tetrahedral mesh (docs/solve.md).
struct SolveScene {
    std::filesystem::path mesh;
    ReadOptions read_options = {};
    SceneMethod method = SceneMethod::Newton;
    SceneAnalysis analysis = SceneAnalysis::Statics;
    std::vector<SceneMaterial> materials = {};
    std::vector<SceneHold> holds = {};
    Vec3 gravity = Vec3::Zero();  ///< m/s^2
    std::vector<SceneForce> forces = {};
    std::vector<SceneBodyForce> body_forces = {};
    std::vector<SceneSurfaceLoad> surface_loads = {};
    std::vector<SceneObstacle> obstacles = {};
    int order = 1;  ///< of the tetrahedra: 1 linear, 2 quadratic
    int steps = 1;  ///< in which loads and prescribed motions grow, statics
    int max_iterations = 200;
    double tolerance = 1e-9;
    double step = 1.0 / 60.0;     ///< s, dynamics
    double duration = 1.0;        ///< s, dynamics
    double damping = 0.0;         ///< 1/s, rate at which velocities decay, dynamics
    std::string where = "scene";  ///< the file, for messages
};

/// Reads a scene file; paths in it are relative to its folder.
/// @throws InputError  with the position: not JSON, unknown keys, wrong types, values out of range
SolveScene read_solve_scene(const std::filesystem::path& path);
/// @param where   name for messages
/// @param folder  what relative paths are relative to
SolveScene parse_solve_scene(std::string_view json, const std::string& where,
                             const std::filesystem::path& folder);

/// What one of the scene's holds takes up.
struct SceneReaction {
    std::string held;            ///< "fixed[0]", "prescribed[1]": the entry of the scene
    Vec3 force = Vec3::Zero();   ///< N, of the hold on the body
    Vec3 moment = Vec3::Zero();  ///< N m, of these forces about the hold's centre
};

/// What one of the scene's surface loads or obstacles does, at the end.
struct SceneSurfaceReport {
    std::string name;           ///< "pressures[0]", "tractions[1]", "obstacles[0]": the entry
    double area = 0.0;          ///< at rest; of obstacles: touched, m^2
    Vec3 force = Vec3::Zero();  ///< on the body, N
    double depth = 0.0;         ///< of obstacles: how far the body is inside, m
};

struct SolveResult {
    /// The displaced mesh with point data `displacement` (m; of dynamics also `velocity`, m/s; of
    /// statics `reaction`, N, on held vertices) and element data `volume_ratio`.
    TetMesh mesh;
    bool is_converged = false;
    int iterations = 0;          ///< of all time steps together
    int steps = 0;               ///< of time, or of load until one did not converge; 0 without any
    double residual = 0.0;       ///< at the end, relative to the forces at work
    double energy = 0.0;         ///< elastic, J
    double external_work = 0.0;  ///< of constant forces and gravity from rest to here, J
    double path_work = 0.0;  ///< of loads, pressures and prescribed motion along the load steps, J
    Eigen::Index inverted_tets = 0;
    double least_volume_ratio = 1.0;
    std::vector<SceneReaction> reactions = {};  ///< of statics, one per hold
    std::vector<SceneSurfaceReport> surfaces = {};
    std::vector<std::string> remarks = {};  ///< what the user should know, one sentence each
    double seconds = 0.0;
};

/// Called with every state on the way, the first at rest: with its time (s), or in statics the part
/// of the load.
using SolveFrames = std::function<void(double time, const TetMesh& frame)>;

/// Reads the mesh and solves.
/// @throws InputError  when mesh and scene do not fit: a region without material, a selection
///                     without vertices, a loaded piece that nothing holds in statics
/// @throws Cancelled   when asked to stop
SolveResult solve_scene(const SolveScene& scene, const Progress& progress = {},
                        const SolveFrames& frames = {});
/// On a mesh that is there already; `scene.mesh` is ignored.
SolveResult solve_scene(const SolveScene& scene, const TetMesh& rest, const Progress& progress = {},
                        const SolveFrames& frames = {});

}  // namespace sinew
