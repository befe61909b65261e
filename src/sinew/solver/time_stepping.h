#pragma once

#include "sinew/energy/fem_viscosity.h"
#include "sinew/solver/newton.h"

#include <memory>
#include <optional>
#include <vector>

namespace sinew {

/// Positions (m) and velocities (m/s) at one time (s).
struct MovingPoints {
    Points x;
    Points v;
    double time = 0.0;
};

struct ImplicitEulerOptions {
    double step = 1.0 / 60.0;   ///< s, > 0
    double mass_damping = 0.0;  ///< rate at which free velocities decay, 1/s, >= 0
    NewtonOptions newton = {.is_minimum_checked = false};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ImplicitEulerOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.step, Field{.name = "step", .help = "length of a time step", .unit = "s", .above = 0});
    v(o.mass_damping, Field{.name = "mass_damping",
                            .help = "rate at which free velocities decay",
                            .unit = "1/s",
                            .min = 0});
}

/// Implicit Euler by minimisation [Kadlecek2022, eqs. 2.17, 2.18]: stable for any step, and
/// dissipative.
///
///   M ((x - x_old) / h - v_old) / h + d M (x - x_old) / h = f(x),   v = (x - x_old) / h
///
/// with d the mass damping. Keeps the symbolic factorisation from step to step.
class ImplicitEuler {
public:
    /// @param masses  one per vertex, kg, >= 0
    /// @throws InputError  when an option is out of range or the number of masses does not fit
    ImplicitEuler(EnergyTerms terms, std::vector<double> masses,
                  const VertexConstraints& constraints, const ImplicitEulerOptions& options = {});

    /// Moves the state on by one step.
    NewtonReport advance(MovingPoints& state, const Progress& progress = {});

private:
    EnergyTerms terms_;  // the last one is the inertia of the present step
    std::vector<double> masses_;
    ImplicitEulerOptions options_;
    NewtonSolver solver_;
};

struct MixedStepOptions {
    double step = 1e-4;        ///< s, > 0; must stay below compute_stable_step
    double tolerance = 1e-10;  ///< relative residual of the damping's linear systems, (0, 1)
    int max_iterations = 500;  ///< of conjugate gradients in each of them, >= 1
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MixedStepOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.step, Field{.name = "step", .help = "length of a time step", .unit = "s", .above = 0});
    v(o.tolerance, Field{.name = "tolerance",
                         .help = "relative residual of the damping's linear systems",
                         .max = 1,
                         .above = 0});
    v(o.max_iterations,
      Field{.name = "max_iterations", .help = "of conjugate gradients", .min = 1});
}

struct MixedStepReport {
    bool is_converged = true;  ///< both linear systems reached the tolerance
    int iterations = 0;        ///< of conjugate gradients, both systems together
};

/// Elastic forces explicit, damping implicit [Teran2003, section 4.3]:
///
///   (M + h/2 C(x)) v_half = M v + h/2 f(x),      x_new = x + h v_half,
///   (M + h/2 C(x_new)) v_new = M v_half + h/2 f(x_new)
///
/// Without damping this is the leapfrog: second order, no numerical viscosity. The stable step
/// shrinks with the edge length, not with its square as explicit damping would require. Needs only
/// forces: the linear systems are solved by conjugate gradients.
class MixedStepper {
public:
    /// @param masses  one per vertex, kg, > 0
    /// @throws InputError  when an option is out of range, a mass is not positive, or numbers
    /// differ
    MixedStepper(EnergyTerms terms, std::vector<double> masses,
                 std::optional<FemViscosity> viscosity, VertexConstraints constraints,
                 const MixedStepOptions& options = {});

    /// Moves the state on by one step.
    MixedStepReport advance(MovingPoints& state) const;

private:
    /// v = argument of (M + h/2 C(x)) v = M v_old + h/2 f(x)
    void half_step(const Points& x, Points& v, MixedStepReport& report) const;

    EnergyTerms terms_;
    std::vector<double> masses_;
    std::optional<FemViscosity> viscosity_;
    VertexConstraints constraints_;
    MixedStepOptions options_;
};

/// The step below which explicit elastic forces are stable near x: 2 over the highest frequency, s.
/// By power iteration from a fixed start; the estimate is from above by a few per cent.
double compute_stable_step(const EnergyTerms& terms, const std::vector<double>& masses,
                           const Points& x);

}  // namespace sinew
