#include "sinew/solver/frame_stepper.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/solver/anderson.h"
#include "sinew/solver/raised_factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace sinew {
namespace {

constexpr std::size_t kStepPiece = 4096;  // vertices per piece of parallel work
constexpr double kEnergyRounding = 2e-6;  // relative error of energies summed in float
constexpr double kForceRounding = 1e-7;   // of forces, against the stiffness times the size
constexpr double kFinerRounding = 1e-8;   // of both, in double precision against the above
constexpr double kShortestStep = 1e-3;    // of a plain step, when the energy would rise
// Forces so many times above their rounding that have not fallen by a tenth in so many iterations
// are taken for noise of single precision, from which the acceleration learns nothing.
constexpr double kNoisy = 1e4;
constexpr double kFallen = 0.9;
constexpr int kMostNoisy = 20;

std::span<double> values(Points& p) {
    return {p.data(), at(p.size())};
}
std::span<const double> values(const Points& p) {
    return {p.data(), at(p.size())};
}

// The sum of term(i) over [0, n), in a fixed order.
template <class Term>
double ordered_sum(std::size_t n, std::vector<double>& partial, const Term& term) {
    parallel_for(n, kStepPiece, [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i) {
            sum += term(i);
        }
        partial[begin / kStepPiece] = sum;
    });
    double sum = 0.0;
    for (std::size_t k = 0; k < (n + kStepPiece - 1) / kStepPiece; ++k) {
        sum += partial[k];
    }
    return sum;
}

double squared(const Points& f, std::size_t i) {
    const double* v = f.data() + 3 * i;
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

// to = x + length * d
void step_along(const Points& x, double length, const Points& d, Points& to) {
    parallel_for(at(x.rows()), kStepPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = 3 * begin; i < 3 * end; ++i) {
            to.data()[i] = x.data()[i] + length * d.data()[i];
        }
    });
}

}  // namespace

void FrameReport::add(const StepReport& steps) {
    seconds_local += steps.seconds_local;
    seconds_global += steps.seconds_global;
    iterations += steps.iterations;
    residual = steps.residual.empty() ? residual : steps.residual.back();
    is_converged = steps.status == SolverStatus::Converged;
}

struct FrameStepper::Data {
    Eigen::Index vertices = 0;
    EnergyTerms terms;
    TermScratch scratch;
    FrameStepperOptions options;
    std::vector<int> free;       // vertices among the unknowns, ascending
    std::vector<int> number;     // of a vertex among the unknowns, -1 when it is held
    bool is_contiguous = false;  // the free vertices are 0, 1, 2, ...

    // Forces beside the terms.
    std::vector<double> inertia;      // m / dt^2; empty at rest
    Points predicted = Points(0, 3);  // y
    Points external = Points(0, 3);
    std::vector<std::shared_ptr<const ProjectiveConstraints>> changing;
    ChangingMethod changing_method = ChangingMethod::Automatic;
    int changing_iterations = LowRankSystem::kUsualSolves;
    ContactForces contact_forces;

    // Matrices of the free unknowns, with their factors.
    std::optional<SparseAssembly> assembly;
    SparseSymmetric system;
    std::vector<std::size_t> diagonal_at;  // of both matrices
    std::optional<SparseCholesky> cholesky;
    std::optional<SparseCholesky::Workspace> workspace;
    std::optional<LowRankSystem> low_rank;
    FactorResult result;
    SparseSymmetric contact_system;  // with D
    std::optional<SparseCholesky> contact_cholesky;
    std::optional<SparseCholesky::Workspace> contact_workspace;
    double floor = -1.0;      // of forces, by rounding, where steps were first taken; -1: not known
    bool is_precise = false;  // terms are evaluated in double precision

    // Memory of the iteration.
    Points force, trial_force, direction, trial, gradient;
    std::vector<double> reduced_force, reduced_direction, partial;
    std::optional<Anderson> anderson;
    int anderson_window = 0;

    void factorise();
    void set_rows();
    double evaluate(const Points& x, Points& f, double* scale);
    double norm(const Points& f);
    double norm_of_all(const Points& f);
    void solve(const Points& f, Points& d);
    void add_direction(Points& x) const;
    double rounding_floor(const Points& x);
    void step_plainly(Points& x, const StepRule& rule, const IterationCallback& callback,
                      StepReport& report);
    void step_guarded(Points& x, const StepRule& rule, const Progress& progress,
                      const IterationCallback& callback, StepReport& report);
    double try_step(const Points& x, double energy, const StepRule& rule, bool& is_accepted,
                    StepReport& report);
};

// The matrix of all terms, restricted to the free vertices, and its factor.
void FrameStepper::Data::factorise() {
    Triplets triplets(static_cast<int>(vertices));
    for (const auto& term : terms) {
        term->add_quadratic(triplets);
    }
    for (Eigen::Index v = 0; v < vertices; ++v) {
        // Always present, so that the pattern is the same at rest and in time.
        triplets.add(static_cast<int>(v), static_cast<int>(v),
                     inertia.empty() ? 0.0 : inertia[at(v)]);
    }
    const bool is_same_pattern = assembly && cholesky;
    if (is_same_pattern) {
        assembly->refill(triplets);
    } else {
        assembly.emplace(triplets);
    }
    system = submatrix(assembly->matrix(), free);
    if (!is_same_pattern) {
        diagonal_at = diagonal_of(system);
        cholesky.emplace(system);
        workspace.emplace(cholesky->make_workspace());
    }
    if (options.least_diagonal > 0.0) {
        double largest = 0.0;
        for (const std::size_t e : diagonal_at) {
            largest = std::max(largest, system.value[e]);
        }
        for (const std::size_t e : diagonal_at) {
            system.value[e] = std::max(system.value[e], options.least_diagonal * largest);
        }
    }
    result = factor_raised(system, diagonal_at, *cholesky);
    low_rank.emplace(system, *cholesky, number);
    contact_cholesky.reset();
    floor = -1.0;
    if (!changing.empty()) {
        set_rows();
    }
}

void FrameStepper::Data::set_rows() {
    if (result.is_positive_definite) {
        std::vector<const ProjectiveConstraints*> lists;
        for (const auto& c : changing) {
            lists.push_back(c.get());
        }
        low_rank->set_rows(lists, changing_method, *workspace, changing_iterations);
    }
}

// Energy and forces of everything at x. `scale` takes the forces at work, where it is asked for.
double FrameStepper::Data::evaluate(const Points& x, Points& f, double* scale) {
    double energy = 0.0;
    // Inertia, m / (2 dt^2) |x - y|^2; nothing at rest.
    parallel_for(at(vertices), kStepPiece, [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        if (!inertia.empty()) {
            for (std::size_t v = begin; v < end; ++v) {
                const auto row = static_cast<Eigen::Index>(v);
                const Eigen::RowVector3d d = predicted.row(row) - x.row(row);
                f.row(row) = inertia[v] * d;
                sum += 0.5 * inertia[v] * d.squaredNorm();
            }
        } else {
            std::fill(f.data() + 3 * begin, f.data() + 3 * end, 0.0);
        }
        partial[begin / kStepPiece] = sum;
    });
    for (const double part : partial) {
        energy += part;
    }
    const auto measure = [&] {
        if (scale != nullptr) {
            *scale = std::max(*scale, norm_of_all(f));
        }
    };
    if (!inertia.empty()) {
        measure();
    }
    const auto add = [&](const EnergyTerm& term) {
        if (is_precise) {
            gradient.setZero(vertices, 3);
            term.add_gradient(x, gradient);
            f -= gradient;
            energy += term.value(x);
        } else {
            energy += term.add_force(x, f, scratch);
        }
        measure();
    };
    for (const auto& term : terms) {
        add(*term);
    }
    for (const auto& list : changing) {
        add(*list);
    }
    if (contact_forces) {
        contact_forces(x, f);
        measure();
    }
    if (inertia.empty() && external.rows() == vertices) {
        f += external;
        energy -= external.cwiseProduct(x).sum();
        measure();
    }
    return energy;
}

// Of free vertices.
double FrameStepper::Data::norm(const Points& f) {
    return std::sqrt(ordered_sum(at(f.rows()), partial, [&](std::size_t i) {
        return number[i] >= 0 ? squared(f, i) : 0.0;
    }));
}

double FrameStepper::Data::norm_of_all(const Points& f) {
    return std::sqrt(
        ordered_sum(at(f.rows()), partial, [&](std::size_t i) { return squared(f, i); }));
}

// Global step: d with (system) d = f, in rows of all vertices; those that are held are left alone.
void FrameStepper::Data::solve(const Points& f, Points& d) {
    const auto solve_free = [&](std::span<const double> right, std::span<double> left) {
        if (contact_forces) {
            contact_cholesky->solve(right, 3, left, *contact_workspace);
        } else {
            low_rank->solve(right, left, *workspace);
        }
    };
    if (is_contiguous) {
        solve_free(values(f).first(3 * free.size()), values(d).first(3 * free.size()));
        return;
    }
    for (std::size_t k = 0; k < free.size(); ++k) {
        std::copy_n(f.data() + 3 * at(free[k]), 3, reduced_force.data() + 3 * k);
    }
    solve_free(reduced_force, reduced_direction);
    for (std::size_t k = 0; k < free.size(); ++k) {
        std::copy_n(reduced_direction.data() + 3 * k, 3, d.data() + 3 * at(free[k]));
    }
}

void FrameStepper::Data::add_direction(Points& x) const {
    if (is_contiguous) {
        const auto count = static_cast<Eigen::Index>(free.size());
        x.topRows(count) += direction.topRows(count);
        return;
    }
    for (const int i : free) {
        x.row(i) += direction.row(i);
    }
}

// Forces below this are rounding: stiffness times the size of an element's displacement error.
double FrameStepper::Data::rounding_floor(const Points& x) {
    const Eigen::RowVector3d centre = x.colwise().mean();
    return kForceRounding * std::sqrt(ordered_sum(at(system.size), partial, [&](std::size_t i) {
               double diagonal = 0.0;
               double nearest = 1e300;
               const auto here = x.row(free[i]);
               for (auto e = system.start[i]; e < system.start[i + 1]; ++e) {
                   const auto j = at(system.column[at(e)]);
                   if (j == i) {
                       diagonal = system.value[at(e)];
                   } else {
                       nearest = std::min(nearest, (x.row(free[j]) - here).squaredNorm());
                   }
               }
               if (nearest == 1e300) {
                   nearest = (here - centre).squaredNorm();
               }
               return diagonal * diagonal * nearest;
           }));
}

// Whole steps; the energy falls with each as long as the matrix is that of the terms [Bouaziz2014].
void FrameStepper::Data::step_plainly(Points& x, const StepRule& rule,
                                      const IterationCallback& callback, StepReport& report) {
    if (floor < 0.0) {
        floor = rounding_floor(x);
    }
    while (report.iterations < rule.iterations) {
        const bool is_measured = rule.is_stopping || report.iterations + 1 == rule.iterations;
        const Timer local;
        double scale = floor;
        evaluate(x, force, is_measured ? &scale : nullptr);
        if (is_measured) {
            const double size = norm(force);
            report.residual.push_back(scale > 0.0 ? size / scale : 0.0);
            // Where nothing is at work, all forces are rounding.
            const bool is_converged = scale <= floor || report.residual.back() <= rule.tolerance;
            report.status = is_converged ? SolverStatus::Converged : SolverStatus::IterationLimit;
        }
        report.seconds_local += local.seconds();
        if (rule.is_stopping && report.status == SolverStatus::Converged) {
            return;
        }
        const Timer global;
        solve(force, direction);
        add_direction(x);
        report.seconds_global += global.seconds();
        ++report.iterations;
        if (callback) {
            callback(report.iterations, x);
        }
    }
}

// Accelerated step where it lowers the energy, else the plain one, shortened if need be. Leaves the
// state that was tried last in `trial`, and returns its energy.
double FrameStepper::Data::try_step(const Points& x, double energy, const StepRule& rule,
                                    bool& is_accepted, StepReport& report) {
    double trial_energy = energy;
    is_accepted = false;
    const auto judge = [&] {
        const Timer timer;
        trial_energy = evaluate(trial, trial_force, nullptr);
        report.seconds_local += timer.seconds();
        const double rounding = kEnergyRounding * (is_precise ? kFinerRounding : 1.0);
        is_accepted = trial_energy <= energy + rounding * std::abs(energy);
    };
    if (rule.window > 0) {
        const Timer accelerate;
        anderson->propose(values(x), values(direction), values(trial));
        report.seconds_accelerate += accelerate.seconds();
        judge();
        report.refused += is_accepted ? 0 : 1;
    }
    for (double length = 1.0; !is_accepted && length > kShortestStep; length *= 0.5) {
        step_along(x, length, direction, trial);
        judge();
        report.shortened += is_accepted ? 0 : 1;
    }
    return trial_energy;
}

void FrameStepper::Data::step_guarded(Points& x, const StepRule& rule, const Progress& progress,
                                      const IterationCallback& callback, StepReport& report) {
    report.energy.reserve(static_cast<std::size_t>(rule.iterations) + 1);
    report.residual.reserve(static_cast<std::size_t>(rule.iterations) + 1);
    if (rule.window > 0 && anderson_window != rule.window) {
        anderson.emplace(at(x.size()), rule.window);
        anderson_window = rule.window;
    }
    if (anderson && rule.keeps_history) {
        anderson->interrupt();
    } else if (anderson) {
        anderson->restart();
    }
    direction.setZero();

    // Forces are summed in single precision, until they are no more than its rounding.
    is_precise = false;
    const double least = rounding_floor(x);
    const Timer local;
    double energy = evaluate(x, force, nullptr);
    double size = norm(force);
    double lowest = size;  // of the forces so far
    int since = 0;         // iterations that they did not fall
    const auto refine = [&] {
        since = size < kFallen * lowest ? 0 : since + 1;
        lowest = since == 0 ? size : lowest;
        const bool is_noise = size <= least || (size <= kNoisy * least && since >= kMostNoisy);
        if (rule.is_stopping && !is_precise && is_noise) {
            is_precise = true;
            energy = evaluate(x, force, nullptr);
            size = norm(force);
            if (anderson && report.iterations > 0) {
                anderson->restart();
            }
        }
    };
    refine();
    report.seconds_local += local.seconds();
    // Converged: what is left is small against the forces that there were at the start, which are
    // those of the load, or against rounding in double precision where there were none.
    const double nothing = kFinerRounding * least;
    const double reference = std::max(size, nothing);
    const auto record = [&] {
        report.energy.push_back(energy);
        report.residual.push_back(reference > 0.0 ? size / reference : 0.0);
        const bool is_done = size <= rule.tolerance * reference || reference <= nothing;
        if (rule.is_stopping && is_done) {
            report.status = SolverStatus::Converged;
        }
    };
    record();
    auto stage = progress.stage("local/global", static_cast<std::uint64_t>(rule.iterations));
    while (report.status == SolverStatus::IterationLimit && report.iterations < rule.iterations) {
        const Timer global;
        solve(force, direction);
        report.seconds_global += global.seconds();
        bool is_accepted = false;
        const double trial_energy = try_step(x, energy, rule, is_accepted, report);
        if (!is_accepted) {
            report.status = SolverStatus::Stalled;
            break;
        }
        x.swap(trial);
        force.swap(trial_force);
        energy = trial_energy;
        size = norm(force);
        refine();
        ++report.iterations;
        record();
        if (callback) {
            callback(report.iterations, x);
        }
        stage.advance();
    }
    is_precise = false;
}

FrameStepper::FrameStepper(Eigen::Index vertices, EnergyTerms terms, std::vector<int> free,
                           std::vector<double> inertia, const FrameStepperOptions& options)
    : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    for (std::size_t k = 0; k < terms.size(); ++k) {
        if (!terms[k]->offers().projection) {
            throw InputError({.where = fmt::format("term {} of local/global steps", k),
                              .found = "no projection",
                              .needs = "a constant quadratic part",
                              .remedy = "minimise it by Newton's method"});
        }
    }
    SINEW_ASSERT(inertia.empty() || inertia.size() == at(vertices), "{} for {} vertices",
                 inertia.size(), vertices);
    d.vertices = vertices;
    d.terms = std::move(terms);
    d.free = std::move(free);
    d.inertia = std::move(inertia);
    d.options = options;
    d.is_contiguous = d.free.empty() || at(d.free.back()) + 1 == d.free.size();
    d.number.assign(at(vertices), -1);
    for (std::size_t k = 0; k < d.free.size(); ++k) {
        d.number[at(d.free[k])] = static_cast<int>(k);
    }
    for (Points* p : {&d.force, &d.trial_force, &d.direction, &d.trial, &d.predicted}) {
        *p = Points::Zero(vertices, 3);
    }
    d.reduced_force.resize(d.is_contiguous ? 0 : 3 * d.free.size());
    d.reduced_direction.resize(d.reduced_force.size());
    d.partial.resize((at(vertices) + kStepPiece - 1) / kStepPiece);
    d.factorise();
}

FrameStepper::~FrameStepper() = default;
FrameStepper::FrameStepper(FrameStepper&&) noexcept = default;
FrameStepper& FrameStepper::operator=(FrameStepper&&) noexcept = default;

const FactorResult& FrameStepper::set_inertia(std::vector<double> inertia) {
    data_->inertia = std::move(inertia);
    return refactor();
}

const FactorResult& FrameStepper::refactor() {
    data_->factorise();
    return data_->result;
}

const FactorResult& FrameStepper::factor_result() const {
    return data_->result;
}

const SparseCholesky& FrameStepper::factor() const {
    return *data_->cholesky;
}

std::span<const int> FrameStepper::free() const {
    return data_->free;
}

bool FrameStepper::is_free(Eigen::Index vertex) const {
    return data_->number[at(vertex)] >= 0;
}

void FrameStepper::set_changing(
    std::vector<std::shared_ptr<const ProjectiveConstraints>> constraints, ChangingMethod method,
    int iterations) {
    data_->changing = std::move(constraints);
    data_->changing_method = method;
    data_->changing_iterations = iterations;
    data_->set_rows();
}

void FrameStepper::set_external_forces(Points forces) {
    data_->external = std::move(forces);
}

void FrameStepper::factor_contacts(std::span<const double> diagonal) {
    Data& d = *data_;
    SINEW_ASSERT(diagonal.size() == d.free.size(), "{} entries for {} unknowns", diagonal.size(),
                 d.free.size());
    if (!d.contact_cholesky) {
        d.contact_system = d.system;
        d.contact_cholesky.emplace(*d.cholesky, CholeskyOptions{.factor_in_float = true});
        d.contact_workspace.emplace(d.contact_cholesky->make_workspace());
    }
    d.contact_system.value = d.system.value;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        d.contact_system.value[d.diagonal_at[i]] += diagonal[i];
    }
    [[maybe_unused]] const FactorResult result =
        factor_raised(d.contact_system, d.diagonal_at, *d.contact_cholesky);
    SINEW_ASSERT(result.is_positive_definite, "pivot {} at {}", result.pivot_value, result.pivot);
}

void FrameStepper::set_contacts(ContactForces forces) {
    SINEW_ASSERT(!forces || data_->contact_cholesky, "contacts without a matrix of {} unknowns",
                 data_->free.size());
    data_->contact_forces = std::move(forces);
}

void FrameStepper::solve(const Points& f, Points& d) {
    const ContactForces contacts = std::exchange(data_->contact_forces, {});
    data_->solve(f, d);
    data_->contact_forces = contacts;
}

const Points& FrameStepper::predict(const Points& x, const Points& v, double step) {
    Data& d = *data_;
    d.predicted = x;
    const bool is_pulled = d.external.rows() == d.vertices && !d.inertia.empty();
    for (const int i : d.free) {
        if (step > 0.0) {
            d.predicted.row(i) += step * v.row(i);
        }
        if (is_pulled) {
            d.predicted.row(i) += 1.0 / d.inertia[at(i)] * d.external.row(i);
        }
    }
    return d.predicted;
}

const Points& FrameStepper::predict_rest(const Points& x) {
    data_->predicted = x;
    return data_->predicted;
}

StepReport FrameStepper::iterate(Points& x, const StepRule& rule, const Progress& progress,
                                 const IterationCallback& callback) {
    Data& d = *data_;
    SINEW_ASSERT(x.rows() == d.vertices, "{} positions for {} vertices", x.rows(), d.vertices);
    StepReport report;
    if (!d.result.is_positive_definite) {
        report.status = SolverStatus::NotPositiveDefinite;
        return report;
    }
    const Timer total;
    const TermScratch::Times before = d.scratch.times;
    if (rule.is_guarded) {
        d.step_guarded(x, rule, progress, callback, report);
    } else {
        d.step_plainly(x, rule, callback, report);
    }
    report.tets = {d.scratch.times.project - before.project, d.scratch.times.sum - before.sum};
    report.seconds_total = total.seconds();
    return report;
}

void FrameStepper::set_velocities(const Points& before, const Points& x, double damping,
                                  double step, Points& v) const {
    const Data& d = *data_;
    if (d.free.size() == at(d.vertices)) {
        v = damping / step * (x - before);
        return;
    }
    for (const int i : d.free) {
        v.row(i) = damping / step * (x.row(i) - before.row(i));
    }
}

}  // namespace sinew
