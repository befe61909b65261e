#include "sinew/solver/newton.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/solver/reduced_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace sinew {

namespace {

/// Differences of energy below this share of it, or of stiffness times length squared, are
/// rounding.
constexpr double kNewtonEnergyRounding = 1e-14;
/// Forces below this fraction of stiffness times length are rounding where no others are at work.
constexpr double kNewtonForceRounding = 1e-13;
/// So many whole steps that change the energy by rounding only and do not halve the forces: no
/// further step will.
constexpr int kMostIdle = 3;
constexpr double kSmallestStep = 1e-10;
/// Shifts of the diagonal, as shares of its mean.
constexpr double kFirstShift = 1e-8;
constexpr double kLargestShift = 1e6;
/// The shake that leaves a saddle point, as share of the body's size.
constexpr double kShake = 1e-3;
constexpr int kMostShakes = 5;
/// After a failure of the exact Hessian, so many iterations pass before it is tried again.
constexpr int kPatience = 3;

double total_energy(const EnergyTerms& terms, const Points& x) {
    double sum = 0.0;
    for (const auto& term : terms) {
        sum += term->value(x);
    }
    return sum;
}

/// Work of terms without a potential, which count for nothing in the total energy.
double work_without_potential(const EnergyTerms& terms, const Points& from, const Points& to) {
    double sum = 0.0;
    for (const auto& term : terms) {
        sum += term->offers().has_potential ? 0.0 : term->work(from, to);
    }
    return sum;
}

/// Gradient of the sum, its free part, and the size of the forces that balance in it: the largest
/// single term and the reactions of the constraints.
struct Forces {
    Points free;
    double norm = 0.0;
    double scale = 0.0;
};

Forces compute_forces(const EnergyTerms& terms, const VertexConstraints& constraints,
                      const Points& x) {
    Forces f{Points::Zero(x.rows(), 3), 0.0, 0.0};
    for (const auto& term : terms) {
        Points g = Points::Zero(x.rows(), 3);
        term->add_gradient(x, g);
        f.free += g;
        constraints.project(g);
        f.scale = std::max(f.scale, terms.size() > 1 ? g.norm() : 0.0);
    }
    const Points all = f.free;
    constraints.project(f.free);
    f.scale = std::max(f.scale, (all - f.free).norm());
    f.norm = f.free.norm();
    return f;
}

double size_of(const Points& x) {
    return (x.colwise().maxCoeff() - x.colwise().minCoeff()).norm();
}

void require_hessian(const EnergyTerm& term) {
    if (!term.offers().hessian) {
        throw InputError({.where = "term of a Newton solve",
                          .found = "no Hessian",
                          .needs = "second derivatives",
                          .remedy = "minimise it by local/global steps"});
    }
}

void require_start(const Points& start, Eigen::Index vertices) {
    if (start.rows() != vertices || !start.allFinite()) {
        throw InputError({.where = "start of a Newton solve",
                          .found = fmt::format("{} points{}", start.rows(),
                                               start.allFinite() ? "" : ", not all finite"),
                          .needs = fmt::format("{} finite points", vertices),
                          .remedy = "start from the rest positions"});
    }
}

}  // namespace

struct NewtonSolver::Data {
    Data(const BlockPattern& pattern, const VertexConstraints& c)
        : constraints(c), hessian(pattern), system(hessian, c) {}

    VertexConstraints constraints;
    BlockHessian hessian;
    ReducedSystem system;
    ReducedSystem::Precision precision = ReducedSystem::Precision::Double;
    double seconds_analyse = 0.0;

    void assemble(const EnergyTerms& terms, const Points& x, Tangent kind, NewtonReport& report) {
        const Timer timer;
        hessian.set_zero();
        for (const auto& term : terms) {
            term->add_hessian(x, kind, hessian);
        }
        report.seconds_assemble += timer.seconds();
    }

    bool factorise(double shift, NewtonReport& report) {
        const Timer timer;
        const bool is_positive = system.factorise(hessian, shift, precision);
        ++report.factorisations;
        report.seconds_factorise += timer.seconds();
        return is_positive;
    }

    /// Leaves a positive definite factorisation behind. `exact_wait` counts iterations until the
    /// exact Hessian is worth a try again.
    /// @return whether the exact Hessian served.
    bool factorise_hessian(const EnergyTerms& terms, const Points& x, bool is_exact_tried,
                           int& exact_wait, NewtonReport& report) {
        if (exact_wait == 0 && is_exact_tried) {
            assemble(terms, x, Tangent::Exact, report);
            if (factorise(0.0, report)) {
                return true;
            }
            exact_wait = kPatience;
        } else if (is_exact_tried) {
            --exact_wait;
        }
        ++report.projected_hessians;
        assemble(terms, x, Tangent::PositiveSemidefinite, report);
        if (factorise(0.0, report)) {
            return false;
        }
        const double unit = system.mean_diagonal() > 0.0 ? system.mean_diagonal() : 1.0;
        for (double share = kFirstShift; share <= kLargestShift; share *= 10.0) {
            report.largest_shift = std::max(report.largest_shift, share * unit);
            if (factorise(share * unit, report)) {
                return false;
            }
        }
        return false;
    }

    /// True when no direction lowers the energy at a stationary point. Rigid motions of a free body
    /// cost nothing: a tiny shift lets them pass.
    bool is_minimum(const EnergyTerms& terms, const Points& x, NewtonReport& report) {
        assemble(terms, x, Tangent::Exact, report);
        if (factorise(0.0, report)) {
            return true;
        }
        return factorise(1e-7 * std::abs(system.mean_diagonal()), report);
    }
};

namespace {

Points shaken(const Points& x, double size, int seed, int round) {
    Random random(Seed{static_cast<std::uint64_t>(seed)}, static_cast<std::uint64_t>(round));
    Points moved = x;
    for (Eigen::Index i = 0; i < moved.size(); ++i) {
        moved.data()[i] += random.uniform(-size, size);
    }
    return moved;
}

}  // namespace

/// One solve on its way: a state with all that is known about it.
struct NewtonSolver::Run {
    Data& data;
    const EnergyTerms& terms;
    const NewtonOptions& options;
    NewtonReport& report;
    Points x;
    double size = 0.0;  // of the body
    double energy = 0.0;
    double spent = 0.0;  // work so far of terms without a potential: minus it is their energy
    Forces forces = {};
    double rounding_force = 0.0;
    int exact_wait = 0;
    double least_force = std::numeric_limits<double>::infinity();  // of steps that changed it
    int idle = 0;  // steps that changed nothing but rounding
    bool has_stalled = false;
    bool is_still = false;   // the last step was whole and hardly moved anything
    bool is_convex = false;  // the last full step came from a positive definite exact Hessian

    void evaluate() {
        energy = total_energy(terms, x) - spent;
        forces = compute_forces(terms, data.constraints, x);
    }

    void record() {
        const double scale = std::max(
            {forces.scale, forces.norm, rounding_force, std::numeric_limits<double>::min()});
        report.residual.push_back(forces.norm / scale);
        report.energy.push_back(energy);
    }

    /// The residual is below the tolerance. Where nothing is at work, all forces are rounding.
    bool has_arrived() const {
        const bool is_unloaded = std::max(forces.norm, forces.scale) <= rounding_force;
        return forces.norm <= options.tolerance * forces.scale || is_unloaded || is_still;
    }

    /// Moves off a stationary point that is no minimum. @return false when there is no reason to
    bool leave_saddle() {
        if (!options.is_minimum_checked || is_convex || report.saddle_points_left >= kMostShakes ||
            report.iterations >= options.max_iterations || data.is_minimum(terms, x, report)) {
            return false;
        }
        const double shake = kShake * (size > 0.0 ? size : 1.0);
        x = shaken(x, shake, options.seed, report.saddle_points_left++);
        data.constraints.apply(x);
        evaluate();
        has_stalled = false;
        is_still = false;
        idle = 0;
        least_force = std::numeric_limits<double>::infinity();
        return true;
    }

    /// Halves the step until the energy falls enough. @return the share taken, or 0
    double search_along(const Points& direction, double slope, double rounding) {
        for (double share = 1.0; slope < 0.0 && share >= kSmallestStep; share *= 0.5) {
            Points there = x + share * direction;
            const double work = work_without_potential(terms, x, there);
            const double value = total_energy(terms, there) - spent - work;
            const double enough = energy + options.sufficient_decrease * share * slope + rounding;
            if (std::isfinite(value) && value <= enough) {
                x = std::move(there);
                energy = value;
                spent += work;
                return share;
            }
        }
        return 0.0;
    }

    void step() {
        // Direction: H p = -g                                          [Kadlecek2022, eq. 2.22]
        const bool is_exact_tried =
            options.is_exact_tried && report.residual.back() <= options.exact_below;
        const bool is_exact = data.factorise_hessian(terms, x, is_exact_tried, exact_wait, report);
        const Timer solving;
        const Points direction = data.system.solve(-forces.free);
        report.seconds_solve += solving.seconds();

        size = std::max(size, size_of(x));  // a body may start in one point
        const double unit_force = data.system.mean_diagonal() * size;
        rounding_force =
            kNewtonForceRounding * unit_force * std::sqrt(static_cast<double>(x.rows()));
        const double rounding_energy =
            kNewtonEnergyRounding * std::max(std::abs(energy), unit_force * size);

        const Timer searching;
        const double before = energy;
        const double slope = forces.free.cwiseProduct(direction).sum();
        const double share = search_along(direction, slope, rounding_energy);
        report.seconds_search += searching.seconds();
        ++report.iterations;
        report.step.push_back(share);
        is_convex = is_exact && share == 1.0;
        has_stalled = !(share > 0.0);
        is_still = share == 1.0 && direction.rowwise().norm().maxCoeff() <= options.still;
        if (!has_stalled) {
            const Timer timer;
            forces = compute_forces(terms, data.constraints, x);
            report.seconds_assemble += timer.seconds();
            const bool is_better = forces.norm < 0.5 * least_force;
            least_force = is_better ? forces.norm : least_force;
            const bool is_rounding = share == 1.0 && std::abs(before - energy) <= rounding_energy;
            idle = is_better || !is_rounding ? 0 : idle + 1;
            has_stalled = idle >= kMostIdle;
        }
    }
};

NewtonSolver::NewtonSolver(const EnergyTerms& terms, Eigen::Index vertices,
                           const VertexConstraints& constraints) {
    const Timer timer;
    BlockPattern pattern(vertices);
    for (const auto& term : terms) {
        require_hessian(*term);
        term->add_pattern(pattern);
    }
    data_ = std::make_unique<Data>(pattern, constraints);
    data_->seconds_analyse = timer.seconds();
}

NewtonSolver::~NewtonSolver() = default;
NewtonSolver::NewtonSolver(NewtonSolver&&) noexcept = default;
NewtonSolver& NewtonSolver::operator=(NewtonSolver&&) noexcept = default;

NewtonResult NewtonSolver::solve(const EnergyTerms& terms, const Points& start,
                                 const NewtonOptions& options, const Progress& progress) {
    check_ranges(options, "newton options");
    require_start(start, data_->hessian.vertices());
    const Timer total;
    auto stage = progress.stage("newton", static_cast<std::uint64_t>(options.max_iterations));

    NewtonReport report;
    report.seconds_analyse = data_->seconds_analyse;
    data_->precision = options.is_single_tried ? ReducedSystem::Precision::Single
                                               : ReducedSystem::Precision::Double;
    Run run{*data_, terms, options, report, start};
    data_->constraints.apply(run.x);
    run.size = std::max(size_of(run.x), size_of(start));
    run.evaluate();
    run.record();
    for (;;) {
        progress.check_cancelled();
        if (run.has_arrived() && !run.leave_saddle()) {
            report.status = NewtonStatus::Converged;
            break;
        }
        if (run.has_stalled || report.iterations >= options.max_iterations) {
            report.status = run.has_stalled ? NewtonStatus::Stalled : NewtonStatus::IterationLimit;
            break;
        }
        run.step();
        run.record();
        stage.advance();
    }
    report.seconds_total = total.seconds();
    return {std::move(run.x), std::move(report)};
}

NewtonResult minimise(const EnergyTerms& terms, const VertexConstraints& constraints,
                      const Points& start, const NewtonOptions& options, const Progress& progress) {
    NewtonSolver solver(terms, start.rows(), constraints);
    return solver.solve(terms, start, options, progress);
}

}  // namespace sinew
