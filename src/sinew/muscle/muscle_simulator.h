#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/base/units.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/muscle/muscle_tets.h"
#include "sinew/solver/newton.h"
#include "sinew/solver/time_stepping.h"

#include <Eigen/Geometry>

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace sinew {

/// Muscles, what holds them and what they touch. Frames move rigidly: 0, 1, ... are given a motion
/// by the simulator's owner; what belongs to frame -1 rests.
struct MuscleScene {
    MuscleVolume volume = {};
    std::vector<std::string> names = {};      ///< of the muscles
    std::vector<Index> first_vertex = {};     ///< of each muscle, and the total
    std::vector<Index> origin_frame = {};     ///< per muscle
    std::vector<Index> insertion_frame = {};  ///< per muscle
    std::vector<double> fmax = {};            ///< per muscle, N

    /// A bone that muscles slide over, at rest.
    struct Obstacle {
        std::string name;
        TriangleMesh mesh;
        Index frame = -1;
    };
    std::vector<Obstacle> obstacles = {};
    int frames = 0;
};

struct BenchMuscle;
/// One muscle on the bench: its origin rests, its insertion belongs to frame 0.
MuscleScene bench_scene(const BenchMuscle& bench);

struct MuscleSimulatorOptions {
    double hold_stiffness = 1e6;     ///< of each held vertex, N/m, > 0
    double contact_stiffness = 2e4;  ///< of each touching vertex, N/m, >= 0; 0: no contact
    double contact_gap = 0.0005;     ///< between surfaces that touch, m, >= 0
    double contact_reach = 0.008;    ///< surfaces nearer than this are watched, m, > 0
    Vec3 gravity = Vec3(0.0, -kGravity, 0.0);
    double damping = 2.0;          ///< rate at which velocities decay in air, 1/s, >= 0
    double settle_depth = 0.001;   ///< contacts deeper than this are stiffened in statics, m, > 0
    int step_iterations = 8;       ///< Newton steps per time step at most, >= 1
    double step_tolerance = 1e-4;  ///< of their residual, (0, 1)
    double step_still = 6e-4;      ///< or the last of them moved nothing further, m, >= 0
    DilatationOptions dilatation = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MuscleSimulatorOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.hold_stiffness,
      Field{
          .name = "hold_stiffness", .help = "of each vertex on a bone", .unit = "N/m", .above = 0});
    v(o.contact_stiffness, Field{.name = "contact_stiffness",
                                 .help = "of each touching vertex; 0: no contact",
                                 .unit = "N/m",
                                 .min = 0});
    v(o.contact_gap,
      Field{.name = "contact_gap", .help = "between surfaces that touch", .unit = "m", .min = 0});
    v(o.contact_reach, Field{.name = "contact_reach",
                             .help = "surfaces nearer than this are watched",
                             .unit = "m",
                             .above = 0});
    v(o.damping,
      Field{.name = "damping", .help = "rate at which velocities decay", .unit = "1/s", .min = 0});
    v(o.step_iterations,
      Field{.name = "step_iterations", .help = "Newton steps per time step", .min = 1});
    v(o.step_still, Field{.name = "step_still",
                          .help = "a time step is over when a Newton step moves nothing further",
                          .unit = "m",
                          .min = 0});
}

/// How deep a muscle lies in a muscle or bone, beyond what it did at rest.
struct MuscleOverlap {
    double depth = 0.0;  ///< m
    Index muscle = -1;
    Index vertex = -1;  ///< of it, the deepest
    Index other = -1;   ///< the muscle in which it lies, or
    Index bone = -1;    ///< the obstacle
};

/// One muscle now.
struct MuscleState {
    std::string name;
    double activation = 0.0;
    double volume_change = 0.0;        ///< volume / volume at rest - 1
    double least_volume_ratio = 1.0;   ///< of a tetrahedron, volume / volume at rest
    double force = 0.0;                ///< that its insertion feels, N
    double length = 0.0;               ///< along its middle from origin to insertion, m
    double max_fibre_stress = 0.0;     ///< Cauchy, in the belly, Pa
    double mean_fibre_stretch = 1.0;   ///< of the belly, by volume
    double mean_tendon_stretch = 1.0;  ///< of the tendons, by volume; 1 without
    double belly_section = 0.0;        ///< largest across the path, mean over a fifth of it, m^2
};

/// Muscles in time or at rest. Held vertices follow their bones by stiff springs, whose forces are
/// what the muscle pulls with; contacts are planes found anew in every step.
class MuscleSimulator {
public:
    /// @throws InputError  when the scene's sizes do not fit
    explicit MuscleSimulator(MuscleScene scene, const MuscleSimulatorOptions& options = {});
    ~MuscleSimulator();
    MuscleSimulator(MuscleSimulator&&) noexcept;
    MuscleSimulator& operator=(MuscleSimulator&&) noexcept;

    /// alpha per muscle, [0, 1].
    void set_activation(std::span<const double> activation);
    /// T_world_rest of every frame.
    void set_frames(std::span<const Eigen::Isometry3d> frames);

    /// Active fibres and pressed flesh leave the exact Hessian indefinite far from equilibrium;
    /// near it, it is not, and takes over.
    static constexpr double kExactBelow = 0.1;
    static constexpr NewtonOptions kStatics = {.max_iterations = 60,
                                               .tolerance = 1e-5,
                                               .is_minimum_checked = false,
                                               .exact_below = kExactBelow,
                                               .is_single_tried = true};
    /// Equilibrium without inertia, by Newton's method; velocities become zero. The residual in the
    /// end is that of contacts held where they were found last.
    NewtonReport settle(const NewtonOptions& options = kStatics, const Progress& progress = {});
    /// One step of implicit Euler; held vertices reach their frames' positions at its end.
    /// @param step  s, > 0
    NewtonReport advance(double step, const Progress& progress = {});
    /// Explicit elastic forces [Teran2003, section 4.3] for `seconds`, frames at rest. Viscosity
    /// is implicit. @param step  s, below stable_step
    MixedStepReport advance_explicit(double step, int steps, double viscosity);
    /// Largest stable step of explicit forces here, s.
    double stable_step() const;

    const MuscleScene& scene() const;
    const Points& positions() const;
    const Points& velocities() const;
    double time() const;
    /// Where muscles overlap muscles or bones more than at rest; one per pair, the deepest first.
    std::vector<MuscleOverlap> overlaps() const;
    /// Depth of the first of these, m, >= 0.
    double penetration() const;
    std::vector<MuscleState> states() const;
    /// The tetrahedra now, with point data `displacement` and tet data `fibre_stretch`,
    /// `fibre_stress` (Pa), `volume_ratio`, `activation`, `tendon`, `muscle`, `fibre`.
    TetMesh frame() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
