#pragma once

#include "sinew/base/progress.h"
#include "sinew/io/read_options.h"
#include "sinew/material/muscle_material.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/solver/newton.h"

#include <array>
#include <filesystem>
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
    Tendon
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
    Vec3 fibre = Vec3::UnitY();   ///< muscle and tendon: direction, any length > 0
    double activation = 0.0;      ///< muscle, [0, 1]
    MuscleConstants muscle = {};  ///< muscle and tendon
    double density = 1000.0;      ///< kg/m^3
};

/// Vertices whose displacement is given along some axes, and free along the others.
struct SceneHold {
    SceneVertices vertices;
    Vec3 displacement = Vec3::Zero();  ///< m
    std::array<bool, 3> axes = {true, true, true};
    std::string name = {};  ///< of the entry, for reports: "fixed[0]"
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
    std::string held;           ///< "fixed[0]", "prescribed[1]": the entry of the scene
    Vec3 force = Vec3::Zero();  ///< N, of the hold on the body
};

struct SolveResult {
    /// The displaced mesh with point data `displacement` (m; of dynamics also `velocity`, m/s; of
    /// statics `reaction`, N, on held vertices) and element data `volume_ratio`.
    TetMesh mesh;
    bool is_converged = false;
    int iterations = 0;          ///< of all time steps together
    int steps = 0;               ///< of time; 0 in statics
    double residual = 0.0;       ///< at the end, relative to the forces at work
    double energy = 0.0;         ///< elastic, J
    double external_work = 0.0;  ///< of constant forces and gravity from rest to here, J
    Eigen::Index inverted_tets = 0;
    std::vector<SceneReaction> reactions = {};  ///< of statics, one per hold
    double seconds = 0.0;
};

/// Reads the mesh and solves.
/// @throws InputError  when mesh and scene do not fit: a region without material, a selection
///                     without vertices, a loaded piece that nothing holds in statics
/// @throws Cancelled   when asked to stop
SolveResult solve_scene(const SolveScene& scene, const Progress& progress = {});
/// On a mesh that is there already; `scene.mesh` is ignored.
SolveResult solve_scene(const SolveScene& scene, const TetMesh& rest,
                        const Progress& progress = {});

}  // namespace sinew
