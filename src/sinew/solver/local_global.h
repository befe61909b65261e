#pragma once

#include "sinew/base/fields.h"
#include "sinew/solver/frame_stepper.h"

#include <concepts>
#include <memory>
#include <span>
#include <vector>

namespace sinew {

struct LocalGlobalOptions {
    int max_iterations = 100;  ///< local and global steps at most, >= 0
    double tolerance = 1e-5;   ///< stop when |forces| / |forces at the start| is below, > 0
    int window = 5;            ///< past steps that Anderson acceleration combines; 0: plain steps
    /// Past steps of the last call count too: for terms that changed only a little since.
    bool keeps_history = false;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, LocalGlobalOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.max_iterations, Field{.name = "max_iterations", .help = "most iterations", .min = 0});
    v(o.tolerance, Field{.name = "tolerance",
                         .help = "largest residual, relative to the forces at the start",
                         .max = 1,
                         .above = 0});
    v(o.window, Field{.name = "window",
                      .help = "past steps that the acceleration combines, 0 for none",
                      .min = 0,
                      .max = 16});
}

using LocalGlobalStatus = SolverStatus;

/// What happened; `residual` is relative to the forces at the start.
using LocalGlobalReport = StepReport;

/// Projective Dynamics [Bouaziz2014; Komaritzan, section 2.2]: minimises a sum of projective terms
/// by alternating a local step (every constraint finds its nearest allowed state) and a global step
/// (one linear system whose factor is kept), at rest or in time.
///
/// The factor belongs to the terms as they are when it is made. While growth changes it remains a
/// good quasi-Newton matrix [Saito2015, section 3.1]; `refactor` makes it exact again. Every step
/// of FrameStepper is guarded: the energy never rises beyond rounding.
class LocalGlobal {
public:
    /// Orders, analyses and factorises. When nothing holds the body, a millionth of the mean
    /// diagonal is added: steps become a little shorter, results stay.
    /// @param terms  all of which offer a projection
    /// @param fixed  vertices that leave the unknowns and keep the position they are given
    ///               [Komaritzan, section 2.2.3]
    /// @throws InputError  when a term has no projection or a vertex does not exist
    LocalGlobal(Eigen::Index vertices, EnergyTerms terms, std::span<const Index> fixed = {});
    ~LocalGlobal();
    LocalGlobal(LocalGlobal&&) noexcept;
    LocalGlobal& operator=(LocalGlobal&&) noexcept;

    /// Factorises anew for the terms as they are now, on the same pattern.
    const FactorResult& refactor();
    const FactorResult& factor_result() const;
    const SparseCholesky& factor() const;

    /// Constraints that come and go, besides the terms: solved without a new factorisation of the
    /// terms. Call again whenever their lists changed; an empty span ends it.
    /// @param iterations  expected before the next change, for the automatic choice
    void set_changing(std::span<const std::shared_ptr<ProjectiveConstraints>> constraints,
                      ChangingMethod method = ChangingMethod::Automatic,
                      int iterations = LowRankSystem::kUsualSolves);

    /// Constant forces on vertices, N; an empty matrix for none.
    void set_external_forces(const Points& forces);

    /// Quasi-static equilibrium, from and into x. Fixed vertices stay where x has them.
    /// @throws InputError when x has the wrong size or is not finite
    /// @throws Cancelled  when asked to; x is then the last whole iterate
    LocalGlobalReport minimise(Points& x, const LocalGlobalOptions& options = {},
                               const Progress& progress = {},
                               const IterationCallback& callback = {});

    /// Prepares time stepping: adds M / dt^2 to the matrix and factorises.
    /// @param masses  one per vertex, kg, > 0
    /// @param step    dt, s, > 0
    const FactorResult& set_dynamics(std::span<const double> masses, double step);

    /// One step of implicit Euler [Komaritzan, eqs. 2.12-2.14]: x and v at t become those at t +
    /// dt. Where x has fixed vertices at a new position, they move there within the step.
    /// @param damping  mu, the fraction of the velocity that is kept, [0, 1]
    LocalGlobalReport advance(Points& x, Points& v, double damping,
                              const LocalGlobalOptions& options = {},
                              const Progress& progress = {});

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
