#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/base/random.h"
#include "sinew/energy/energy_term.h"
#include "sinew/solver/solver_report.h"
#include "sinew/solver/vertex_constraints.h"

#include <concepts>
#include <memory>
#include <span>
#include <vector>

namespace sinew {

struct NewtonOptions {
    int max_iterations = 200;  ///< factorise and step at most so often, >= 0
    double tolerance = 1e-9;   ///< largest residual, relative to the forces at work, > 0
    double sufficient_decrease =
        1e-4;                        ///< fraction of the predicted decrease to insist on, (0, 0.5)
    bool is_minimum_checked = true;  ///< leave saddle points, e.g. a body collapsed to a point
    bool is_exact_tried = true;      ///< false: project every Hessian, where few are definite
    double exact_below = 1.0;        ///< residual from which on the exact Hessian is tried, [0, 1]
    double still = 0.0;              ///< arrived when a whole step moves no vertex further, m, >= 0
    bool is_single_tried = false;    ///< factorise in single precision and refine, where that does
    int seed = 1;                    ///< of the small shake that leaves a saddle point, >= 0
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, NewtonOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.max_iterations, Field{.name = "max_iterations", .help = "most iterations", .min = 0});
    v(o.tolerance, Field{.name = "tolerance",
                         .help = "largest residual, relative to the forces at work",
                         .max = 1,
                         .above = 0});
    v(o.sufficient_decrease, Field{.name = "sufficient_decrease",
                                   .help = "fraction of the predicted decrease to insist on",
                                   .max = 0.5,
                                   .above = 0});
    v(o.is_minimum_checked, Field{.name = "is_minimum_checked", .help = "leave saddle points"});
    v(o.is_exact_tried,
      Field{.name = "is_exact_tried", .help = "use the exact Hessian where it is definite"});
    v(o.exact_below, Field{.name = "exact_below",
                           .help = "residual from which on the exact Hessian is tried",
                           .min = 0,
                           .max = 1});
    v(o.still, Field{.name = "still",
                     .help = "arrived when a whole step moves no vertex further",
                     .unit = "m",
                     .min = 0});
    v(o.is_single_tried,
      Field{.name = "is_single_tried", .help = "factorise in single precision and refine"});
    v(o.seed, Field{.name = "seed", .help = "of the shake that leaves a saddle point", .min = 0});
}

using NewtonStatus = SolverStatus;

/// What happened; `residual` is relative to the forces at work.
struct NewtonReport : SolverReport {
    std::vector<double> step = {};  ///< fraction of the Newton step taken, one per iteration
    int factorisations = 0;
    int projected_hessians = 0;  ///< how often the exact one was not positive definite
    int saddle_points_left = 0;
    double largest_shift = 0.0;    ///< added to the diagonal to make it positive definite, N/m
    double seconds_analyse = 0.0;  ///< pattern and symbolic factorisation
    double seconds_assemble = 0.0;
    double seconds_factorise = 0.0;
    double seconds_solve = 0.0;
    double seconds_search = 0.0;  ///< energies along the step
};

struct NewtonResult {
    Points x;
    NewtonReport report;
};

/// Minimises a sum of energy terms over the vertex positions by Newton's method with line search
/// [Kadlecek2022, eqs. 2.20-2.22]. The exact Hessian is used where it is positive definite; where
/// it is not, each element's is projected [Smith2019], and the diagonal is raised if that does not
/// suffice. Construction analyses the pattern once, for any number of solves.
class NewtonSolver {
public:
    /// @param terms     whose patterns the system must hold; later solves may use others within
    /// them
    /// @param vertices  rows of the positions
    /// @throws InputError  when a term offers no Hessian
    NewtonSolver(const EnergyTerms& terms, Eigen::Index vertices,
                 const VertexConstraints& constraints);
    ~NewtonSolver();
    NewtonSolver(NewtonSolver&&) noexcept;
    NewtonSolver& operator=(NewtonSolver&&) noexcept;

    /// From any finite start, inverted or collapsed ones included.
    /// @throws InputError  when the start has another number of rows, is not finite, or an option
    /// is
    ///                     out of range
    /// @throws Cancelled   when the work was asked to stop
    NewtonResult solve(const EnergyTerms& terms, const Points& start,
                       const NewtonOptions& options = {}, const Progress& progress = {});

private:
    struct Data;
    struct Run;
    std::unique_ptr<Data> data_;
};

/// One solve: the equilibrium of these terms under these constraints.
NewtonResult minimise(const EnergyTerms& terms, const VertexConstraints& constraints,
                      const Points& start, const NewtonOptions& options = {},
                      const Progress& progress = {});

}  // namespace sinew
