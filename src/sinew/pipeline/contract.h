#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/muscle/bouncing_torus.h"
#include "sinew/muscle/muscle_simulator.h"
#include "sinew/muscle/muscle_volume.h"
#include "sinew/pipeline/muscle_scene.h"

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// How activations are given: a number, a ramp between two, a table over time, or from key frames.
struct ActivationPlan {
    enum class Kind { Constant, Ramp, Table, KeyFrames };
    Kind kind = Kind::Constant;
    double from = 0.0;       ///< of a ramp, [0, 1]
    double to = 1.0;         ///< constant, or end of a ramp, [0, 1]
    MotionTable table = {};  ///< columns are muscles, or their aliases
    bool is_linear = true;   ///< key frames: F = a Fmax; else Hill
};
/// "0.6", "0..1", "keys", "keys-hill", or the name of a .sto file.
/// @throws InputError
ActivationPlan parse_activation(const std::string& text, const std::string& where);

/// What `sinew contract` is asked to do (docs/muscle.md).
struct ContractJob {
    std::string body = {};  ///< .sinew; empty: the muscle on the bench, or the torus
    bool is_torus = false;  ///< the bouncing ring of [Teran2003, section 4.4] instead
    std::vector<std::string> muscles = {};
    ActivationPlan activation = {};
    KeyFrames keys = {};     ///< of joints; empty: at rest
    double duration = 1.0;   ///< s, > 0
    double rate = 60.0;      ///< frames per second, > 0
    int substeps = 1;        ///< time steps per frame, >= 1
    bool is_static = false;  ///< equilibrium in every frame, without inertia
    int static_frames = 6;   ///< of statics without key frames, >= 2
    double stretch = 0.0;    ///< of the bench: the insertion is drawn away by this, m
    /// Of the bench: force over stretch at each of these activations instead, [0, 1].
    std::vector<double> curves = {};
    MuscleSceneOptions scene = {};
    MuscleSimulatorOptions simulator = {};
};

struct ContractFrame {
    double time = 0.0;
    std::vector<MuscleState> muscles = {};
    MuscleOverlap deepest = {};  ///< of all overlaps that arose
    int iterations = 0;
};

struct ContractRun {
    MuscleScene scene = {};
    std::vector<ContractFrame> frames = {};
    std::vector<Points> positions = {};
    std::vector<std::vector<Eigen::Isometry3d>> motions = {};  ///< of the scene's frames
    double seconds_fill = 0.0;                                 ///< meshes and fibres
    double seconds_simulate = 0.0;                             ///< of all steps together
    double largest_volume_change = 0.0;
    MuscleOverlap deepest = {};  ///< of all frames
    int stalled_steps = 0;       ///< steps whose Newton solve found no step
    bool is_finite = true;
};

/// The muscle on the bench of about so many tetrahedra.
BenchMuscle bench_with(int tets);

/// Called after every frame, for files.
using ContractCallback = std::function<void(int frame, const MuscleSimulator& simulator)>;

/// @throws InputError; Cancelled
ContractRun run_contraction(const ContractJob& job, const Progress& progress = {},
                            const ContractCallback& callback = {});

/// Animation of muscles (vertex animation) and bones (moving rigidly).
void write_contraction_glb(const std::filesystem::path& path, const ContractRun& run);
/// Force, length and volume over time, or over activation in statics: force.png, length.png,
/// volume.png; measures.sto with all of them.
void write_contraction_plots(const std::filesystem::path& folder, const ContractRun& run,
                             bool over_activation);
/// Six moments side by side.
/// @param view_turn  degrees, as in RenderOptions::turn
void write_film_strip(const std::filesystem::path& path, const ContractRun& run, double view_turn,
                      const Progress& progress = {});

/// Force of the bench's muscle over its length at several activations, in equilibrium.
struct StretchCurves {
    double rest_length = 0.0;     ///< m
    double greatest_force = 0.0;  ///< N
    std::vector<double> activation = {};
    std::vector<double> length = {};                     ///< m, the same for all activations
    std::vector<std::vector<MuscleState>> muscles = {};  ///< by activation, then length
    int unsettled = 0;                                   ///< equilibria that were not found
};
/// From a tenth shorter than at rest to job.stretch longer (0: a quarter), in 15 lengths; each
/// activation starts at rest and is stretched step by step. @throws InputError; Cancelled
StretchCurves run_stretch_curves(const ContractJob& job, const Progress& progress = {});
/// stretch_force.png and .svg with passive and total force, stretch_force.sto with all numbers.
void write_stretch_curves(const std::filesystem::path& folder, const StretchCurves& curves);

/// The bouncing ring: frames as .vtu, film.png. Times and steps in the result.
TorusRun write_torus(const std::filesystem::path& folder, const ContractJob& job,
                     const Progress& progress = {});

/// Fibres of one muscle in a body's tetrahedra as they are now, by the force-length curves of
/// muscle_constants, with lambda = J^(-1/3) |F a0| as in volumetric muscle.
struct BodyFibres {
    double stretch = 1.0;  ///< lambda, mean by the volume of its belly
    double tension = 0.0;  ///< activation f(lambda) + passive(lambda) / peak, the same mean
    /// lambda dF2/dlambda, Pa, the largest of tetrahedra that are at least half its belly; of the
    /// fullest where there are none.
    double max_stress = 0.0;
};
/// @param activation  one per muscle, [0, 1]
/// @return one per muscle; as at rest where the tetrahedra hold none of its belly
std::vector<BodyFibres> measure_body_fibres(const Body& body, const Points& positions,
                                            std::span<const double> activation);

/// The whole body with some muscles contracted [Kadlecek2022, eq. 4.15], by the rule of
/// contraction_of: flesh and skin follow.
struct BodyContraction {
    Body rest = {};
    Points positions = Points(0, 3);  ///< of the tets
    struct Muscle {
        std::string name;
        double activation = 0.0;
        double volume_change = 0.0;
        double length = 0.0;  ///< fibres as stretched as they are, with the tendon of the model, m
        double force = 0.0;   ///< greatest force times BodyFibres::tension, N
        double max_fibre_stress = 0.0;  ///< BodyFibres, Pa
        double fibre_stretch = 1.0;     ///< BodyFibres
    };
    std::vector<Muscle> muscles = {};
    double seconds_prepare = 0.0;
    double seconds_per_iteration = 0.0;
    int iterations = 0;
    double largest_skin_move = 0.0;  ///< m
    Eigen::Index inverted_tets = 0;
};
BodyContraction contract_body(const ContractJob& job, const Progress& progress = {});
/// A .glb of skin, muscles and bones with the morph "contracted" (weight 1).
void write_body_contraction(const std::filesystem::path& path, const BodyContraction& done);
/// Rest beside contracted, skin and muscles.
void write_body_strip(const std::filesystem::path& path, const BodyContraction& done,
                      const Progress& progress = {});

/// Reads a job from JSON. @throws InputError  with the position
ContractJob read_contract_job(const std::filesystem::path& path);

}  // namespace sinew
