#pragma once

#include "sinew/base/progress.h"
#include "sinew/energy/projective_constraints.h"
#include "sinew/linalg/cholesky.h"
#include "sinew/solver/low_rank_system.h"
#include "sinew/solver/solver_report.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace sinew {

/// How local and global steps follow each other.
struct StepRule {
    int iterations = 10;         ///< at most, >= 0
    double tolerance = 1e-2;     ///< residual that counts as converged, [0, 1]
    bool is_stopping = false;    ///< ends as soon as it has converged; false: all iterations
    bool is_guarded = false;     ///< takes no step that raises the energy
    int window = 0;              ///< past steps that the acceleration combines; guarded steps only
    bool keeps_history = false;  ///< past steps of the last call count too
};

struct FrameStepperOptions {
    /// Share of the largest diagonal entry that every vertex has at least: one that next to nothing
    /// holds then stays about where it is. [0, 1]
    double least_diagonal = 0.0;
};

/// What steps report. Guarded ones have the histories of every solver, relative to the forces at
/// the start; where these come down to rounding in single precision, they go on in double. Steps
/// that are not guarded are evaluated before each of them and not after the last, so their residual
/// is that of the state before the last step: relative to the forces at work, the largest of
/// inertia, reactions, and terms added up. They record no energies, and the residual of the last
/// step alone unless they may stop.
struct StepReport : SolverReport {
    int refused = 0;              ///< accelerated steps that would have raised the energy
    int shortened = 0;            ///< plain steps that had to be shortened
    double seconds_local = 0.0;   ///< projections and forces
    double seconds_global = 0.0;  ///< linear systems
    double seconds_accelerate = 0.0;
    TermScratch::Times tets = {};  ///< of seconds_local, what tetrahedra took
};

/// What happened in a frame of a simulation.
struct FrameReport {
    double seconds = 0.0;           ///< the whole frame
    double seconds_local = 0.0;     ///< projections
    double seconds_global = 0.0;    ///< linear systems
    double seconds_contacts = 0.0;  ///< finding contacts, factorising for them, untangling
    int contacts = 0;               ///< vertices that touch, pairs in folds
    int iterations = 0;             ///< local and global steps
    double residual = 0.0;          ///< before the last step, relative to the forces at work
    bool is_converged = false;      ///< the residual is below the tolerance of StepRule

    /// Adds further steps of the same frame.
    void add(const StepReport& steps);
};

/// Called after every iteration with its number (from 1) and the positions.
using IterationCallback = std::function<void(int, const Points&)>;

/// Local and global steps [Bouaziz2014; Komaritzan, section 2.2] with a matrix that stays
/// factorised from frame to frame: every constraint finds its nearest allowed state, then one
/// linear system
///
///   (M / dt^2 + terms + D) d = f,   x += d
///
/// moves the free vertices. M is the inertia, zero for frames at rest; D is what contacts add.
/// Whoever simulates builds terms, says which vertices are free, and places the others; this class
/// owns the matrix, the factors, the scratch memory of the terms, and the loop.
class FrameStepper {
public:
    /// Orders, analyses and factorises. Where the matrix has no factor because
    /// nothing holds the body, a small part of the mean diagonal is added: steps become a little
    /// shorter, results stay.
    /// @param terms  all of which offer a projection
    /// @param free   vertices that are unknowns, ascending
    /// @param inertia  mass over the square of the time step, one per vertex; empty: none
    /// @throws InputError  when a term has no projection
    FrameStepper(Eigen::Index vertices, EnergyTerms terms, std::vector<int> free,
                 std::vector<double> inertia = {}, const FrameStepperOptions& options = {});
    ~FrameStepper();
    FrameStepper(FrameStepper&&) noexcept;
    FrameStepper& operator=(FrameStepper&&) noexcept;

    /// Another inertia; empty: none. Factorises.
    const FactorResult& set_inertia(std::vector<double> inertia);
    /// Factorises anew for the terms as they are now, on the same pattern.
    const FactorResult& refactor();
    const FactorResult& factor_result() const;
    const SparseCholesky& factor() const;
    std::span<const int> free() const;
    bool is_free(Eigen::Index vertex) const;

    /// Constraints that come and go, besides the terms: LocalGlobal::set_changing.
    void set_changing(std::vector<std::shared_ptr<const ProjectiveConstraints>> constraints,
                      ChangingMethod method, int iterations);
    /// Constant forces on vertices, N; no rows for none. With inertia they move the prediction.
    void set_external_forces(Points forces);

    /// Contacts with forces of their own and a part D of the matrix on the diagonal of the free
    /// unknowns: factorises a second matrix, in single precision, which is twice as fast.
    void factor_contacts(std::span<const double> diagonal);
    /// Adds these forces in the next steps and solves with the matrix of `factor_contacts`; an
    /// empty function ends it, and both matrices stay.
    using ContactForces = std::function<void(const Points& x, Points& force)>;
    void set_contacts(ContactForces forces);

    /// d with (M / dt^2 + terms) d = f on the free vertices; other rows of d are left alone.
    void solve(const Points& f, Points& d);

    /// Where inertia alone would take the body: y = x + dt v + dt^2 M^-1 f [Komaritzan, algorithm
    /// 2.1], from where the next steps measure it. Vertices that are not free stay.
    /// @param step  dt, s; 0: without momentum, forces act all the same
    const Points& predict(const Points& x, const Points& v, double step);
    /// From here instead: after jumps.
    const Points& predict_rest(const Points& x);

    /// Steps from and into x. Vertices that are not free stay where x has them.
    StepReport iterate(Points& x, const StepRule& rule, const Progress& progress = {},
                       const IterationCallback& callback = {});

    /// v = damping (x - before) / dt of free vertices [Komaritzan, eq. 2.14].
    void set_velocities(const Points& before, const Points& x, double damping, double step,
                        Points& v) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
