#include "sinew/solver/local_global.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/solver/anderson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sinew {
namespace {

constexpr std::size_t kLocalGlobalPiece = 4096;  // vertices per piece of parallel work
constexpr double kEnergyRounding = 2e-6;         // relative error of energies summed in float
constexpr double kForceRounding = 1e-7;          // of forces, against the stiffness times the size
constexpr double kFloatingShift = 1e-6;  // of the mean diagonal, when nothing holds the body

std::span<double> values(Points& p) {
    return {p.data(), at(p.size())};
}
std::span<const double> values(const Points& p) {
    return {p.data(), at(p.size())};
}

// The root of a sum over [0, n), in a fixed order.
template <class Term>
double root_of_sum(std::size_t n, std::vector<double>& partial, const Term& term) {
    parallel_for(n, kLocalGlobalPiece, [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i) {
            sum += term(i);
        }
        partial[begin / kLocalGlobalPiece] = sum;
    });
    double sum = 0.0;
    for (std::size_t k = 0; k < (n + kLocalGlobalPiece - 1) / kLocalGlobalPiece; ++k) {
        sum += partial[k];
    }
    return std::sqrt(sum);
}

// to = x + length * d
void step_along(const Points& x, double length, const Points& d, Points& to) {
    parallel_for(at(x.rows()), kLocalGlobalPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = 3 * begin; i < 3 * end; ++i) {
            to.data()[i] = x.data()[i] + length * d.data()[i];
        }
    });
}

}  // namespace

struct LocalGlobal::Data {
    Eigen::Index vertices = 0;
    EnergyTerms terms;
    TermScratch scratch;
    std::vector<std::shared_ptr<ProjectiveConstraints>> changing;
    ChangingMethod changing_method = ChangingMethod::Automatic;
    int changing_iterations = LowRankSystem::kUsualSolves;
    std::vector<int> free;    // vertices among the unknowns, ascending
    std::vector<int> number;  // of a vertex among the unknowns, -1 when it is fixed
    Points external = Points(0, 3);

    // Time stepping; step = 0 at rest.
    double step = 0.0;
    std::vector<double> masses;
    Points inertial = Points(0, 3);  // y = x + dt v + dt^2 f / m

    std::optional<SparseAssembly> assembly;
    SparseSymmetric system;  // free unknowns only
    std::optional<SparseCholesky> cholesky;
    std::optional<SparseCholesky::Workspace> workspace;
    std::optional<LowRankSystem> low_rank;
    FactorResult result;

    // Memory of the iteration.
    Points force, trial_force, direction, plain, trial;
    std::vector<double> reduced_force, reduced_direction, partial;
    std::optional<Anderson> anderson;
    int anderson_window = 0;

    void factorise();
    double evaluate(const Points& x, Points& f);
    double norm(const Points& f);
    void solve(const Points& f, Points& d);
    double rounding_floor(const Points& x);
    LocalGlobalReport minimise(Points& x, const LocalGlobalOptions& options,
                               const Progress& progress, const IterationCallback& callback);
};

// The matrix of all terms, restricted to the free vertices, and its factor.
void LocalGlobal::Data::factorise() {
    Triplets triplets(static_cast<int>(vertices));
    for (const auto& term : terms) {
        term->add_quadratic(triplets);
    }
    for (Eigen::Index v = 0; v < vertices; ++v) {
        // Always present, so that the pattern is the same at rest and in time.
        const double mass = step > 0.0 ? masses[at(v)] / (step * step) : 0.0;
        triplets.add(static_cast<int>(v), static_cast<int>(v), mass);
    }
    const bool is_same_pattern = assembly && cholesky;
    if (is_same_pattern) {
        assembly->refill(triplets);
    } else {
        assembly.emplace(triplets);
    }
    system = submatrix(assembly->matrix(), free);
    if (!is_same_pattern) {
        cholesky.emplace(system);
        workspace.emplace(cholesky->make_workspace());
    }
    result = cholesky->factor(system);
    if (!result.is_positive_definite) {
        double mean = 0.0;
        for (int i = 0; i < system.size; ++i) {
            for (auto e = system.start[at(i)]; e < system.start[at(i) + 1]; ++e) {
                mean += system.column[at(e)] == i ? system.value[at(e)] / system.size : 0.0;
            }
        }
        for (int i = 0; i < system.size; ++i) {
            for (auto e = system.start[at(i)]; e < system.start[at(i) + 1]; ++e) {
                system.value[at(e)] += system.column[at(e)] == i ? kFloatingShift * mean : 0.0;
            }
        }
        result = cholesky->factor(system);
    }
    low_rank.emplace(system, *cholesky, number);
    if (!changing.empty() && result.is_positive_definite) {
        std::vector<const ProjectiveConstraints*> lists;
        for (const auto& c : changing) {
            lists.push_back(c.get());
        }
        low_rank->set_rows(lists, changing_method, *workspace, changing_iterations);
    }
}

// Energy and forces of everything at x; fixed vertices feel none.
double LocalGlobal::Data::evaluate(const Points& x, Points& f) {
    double energy = 0.0;
    // Inertia, m / (2 dt^2) |x - y|^2; nothing at rest.
    parallel_for(at(vertices), kLocalGlobalPiece, [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        if (step > 0.0) {
            for (std::size_t v = begin; v < end; ++v) {
                const auto row = static_cast<Eigen::Index>(v);
                const Eigen::RowVector3d d = inertial.row(row) - x.row(row);
                const double w = masses[v] / (step * step);
                f.row(row) = w * d;
                sum += 0.5 * w * d.squaredNorm();
            }
        } else {
            std::fill(f.data() + 3 * begin, f.data() + 3 * end, 0.0);
        }
        partial[begin / kLocalGlobalPiece] = sum;
    });
    for (const double part : partial) {
        energy += part;
    }
    for (const auto& term : terms) {
        energy += term->add_force(x, f, scratch);
    }
    for (const auto& list : changing) {
        energy += list->add_force(x, f, scratch);
    }
    if (step == 0.0 && external.rows() == vertices) {
        f += external;
        energy -= external.cwiseProduct(x).sum();
    }
    if (free.size() < at(vertices)) {
        for (Eigen::Index v = 0; v < vertices; ++v) {
            if (number[at(v)] < 0) {
                f.row(v).setZero();
            }
        }
    }
    return energy;
}

double LocalGlobal::Data::norm(const Points& f) {
    return root_of_sum(at(f.rows()), partial, [&](std::size_t i) {
        const double* v = f.data() + 3 * i;
        return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    });
}

// Global step: d with (system) d = f.
void LocalGlobal::Data::solve(const Points& f, Points& d) {
    if (free.size() == at(vertices)) {
        low_rank->solve(values(f), values(d), *workspace);
        return;
    }
    for (std::size_t k = 0; k < free.size(); ++k) {
        std::copy_n(f.data() + 3 * at(free[k]), 3, reduced_force.data() + 3 * k);
    }
    low_rank->solve(reduced_force, reduced_direction, *workspace);
    for (std::size_t k = 0; k < free.size(); ++k) {
        std::copy_n(reduced_direction.data() + 3 * k, 3, d.data() + 3 * at(free[k]));
    }
}

// Forces below this are rounding: stiffness times the size of an element's displacement error.
double LocalGlobal::Data::rounding_floor(const Points& x) {
    const Eigen::RowVector3d centre = x.colwise().mean();
    return kForceRounding * root_of_sum(at(system.size), partial, [&](std::size_t i) {
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
           });
}

LocalGlobalReport LocalGlobal::Data::minimise(Points& x, const LocalGlobalOptions& options,
                                              const Progress& progress,
                                              const IterationCallback& callback) {
    LocalGlobalReport report;
    const Timer total;
    if (!result.is_positive_definite) {
        report.status = LocalGlobalStatus::NotPositiveDefinite;
        return report;
    }
    report.energy.reserve(static_cast<std::size_t>(options.max_iterations) + 1);
    report.residual.reserve(static_cast<std::size_t>(options.max_iterations) + 1);
    if (options.window > 0 && anderson_window != options.window) {
        anderson.emplace(at(x.size()), options.window);
        anderson_window = options.window;
    }
    if (anderson && options.keeps_history) {
        anderson->interrupt();
    } else if (anderson) {
        anderson->restart();
    }
    direction.setZero();
    const auto timed_evaluate = [&](const Points& where, Points& f) {
        const Timer timer;
        const double energy = evaluate(where, f);
        report.seconds_local += timer.seconds();
        return energy;
    };
    const auto rises = [](double after, double before) {
        return !(after <= before + kEnergyRounding * std::abs(before));
    };

    const TermScratch::Times tets_before = scratch.times;
    double energy = timed_evaluate(x, force);
    const double first = norm(force);
    const double floor = rounding_floor(x);
    const double reference = std::max(first, floor);
    report.energy.push_back(energy);
    report.residual.push_back(reference > 0.0 ? first / reference : 0.0);
    const auto is_done = [&](double size) {
        return size <= floor || size <= options.tolerance * reference;
    };
    auto stage = progress.stage("local/global", static_cast<std::uint64_t>(options.max_iterations));
    if (is_done(first)) {
        report.status = LocalGlobalStatus::Converged;
    }
    while (report.status == LocalGlobalStatus::IterationLimit &&
           report.iterations < options.max_iterations) {
        const Timer global;
        solve(force, direction);
        report.seconds_global += global.seconds();

        // Accelerated step where it lowers the energy, else the plain one, shortened if need be.
        bool is_accepted = false;
        double trial_energy = energy;
        if (options.window > 0) {
            const Timer accelerate;
            anderson->propose(values(x), values(direction), values(trial));
            report.seconds_accelerate += accelerate.seconds();
            trial_energy = timed_evaluate(trial, trial_force);
            is_accepted = !rises(trial_energy, energy);
            report.refused += is_accepted ? 0 : 1;
        }
        double length = 1.0;
        constexpr double kShortest = 1e-3;
        for (; !is_accepted && length > kShortest; length *= 0.5) {
            step_along(x, length, direction, trial);
            trial_energy = timed_evaluate(trial, trial_force);
            is_accepted = !rises(trial_energy, energy);
            report.shortened += is_accepted ? 0 : 1;
        }
        if (!is_accepted) {
            report.status = LocalGlobalStatus::Stalled;
            break;
        }
        x.swap(trial);
        force.swap(trial_force);
        energy = trial_energy;
        ++report.iterations;
        const double size = norm(force);
        report.energy.push_back(energy);
        report.residual.push_back(size / reference);
        if (is_done(size)) {
            report.status = LocalGlobalStatus::Converged;
        }
        if (callback) {
            callback(report.iterations, x);
        }
        stage.advance();
    }
    for (const auto& term : terms) {
        const VolumeError error = term->volume_error(x);
        report.volume_error.total = std::max(report.volume_error.total, error.total);
        report.volume_error.largest = std::max(report.volume_error.largest, error.largest);
    }
    report.tets = {scratch.times.project - tets_before.project,
                   scratch.times.sum - tets_before.sum};
    report.seconds_total = total.seconds();
    return report;
}

LocalGlobal::LocalGlobal(Eigen::Index vertices, EnergyTerms terms, std::span<const Index> fixed)
    : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    d.vertices = vertices;
    d.terms = std::move(terms);
    for (std::size_t k = 0; k < d.terms.size(); ++k) {
        if (!d.terms[k]->offers().projection) {
            throw InputError({.where = fmt::format("term {} of a local/global solver", k),
                              .found = "no projection",
                              .needs = "a constant quadratic part",
                              .remedy = "minimise it by Newton's method"});
        }
    }
    d.number.assign(at(vertices), 0);
    for (const Index v : fixed) {
        if (v < 0 || v >= vertices) {
            throw InputError({.where = "fixed vertices",
                              .found = fmt::format("vertex {}", v),
                              .needs = fmt::format("a number from 0 to {}", vertices - 1),
                              .remedy = "check that the list belongs to this mesh"});
        }
        d.number[at(v)] = -1;
    }
    for (int v = 0; v < vertices; ++v) {
        if (d.number[at(v)] == 0) {
            d.number[at(v)] = static_cast<int>(d.free.size());
            d.free.push_back(v);
        }
    }
    for (Points* p : {&d.force, &d.trial_force, &d.direction, &d.plain, &d.trial}) {
        *p = Points::Zero(vertices, 3);
    }
    d.reduced_force.resize(3 * d.free.size());
    d.reduced_direction.resize(3 * d.free.size());
    d.partial.resize((at(vertices) + kLocalGlobalPiece - 1) / kLocalGlobalPiece);
    d.factorise();
}

LocalGlobal::~LocalGlobal() = default;
LocalGlobal::LocalGlobal(LocalGlobal&&) noexcept = default;
LocalGlobal& LocalGlobal::operator=(LocalGlobal&&) noexcept = default;

const FactorResult& LocalGlobal::refactor() {
    data_->factorise();
    return data_->result;
}

const FactorResult& LocalGlobal::factor_result() const {
    return data_->result;
}

const SparseCholesky& LocalGlobal::factor() const {
    return *data_->cholesky;
}

void LocalGlobal::set_changing(std::span<const std::shared_ptr<ProjectiveConstraints>> constraints,
                               ChangingMethod method, int iterations) {
    Data& d = *data_;
    d.changing.assign(constraints.begin(), constraints.end());
    d.changing_method = method;
    d.changing_iterations = iterations;
    std::vector<const ProjectiveConstraints*> lists;
    for (const auto& c : d.changing) {
        lists.push_back(c.get());
    }
    if (d.result.is_positive_definite) {
        d.low_rank->set_rows(lists, method, *d.workspace, iterations);
    }
}

void LocalGlobal::set_external_forces(const Points& forces) {
    if (forces.rows() != 0 && forces.rows() != data_->vertices) {
        throw InputError({.where = "external forces",
                          .found = fmt::format("{} rows", forces.rows()),
                          .needs = fmt::format("one for each of {} vertices", data_->vertices),
                          .remedy = "give a row for every vertex, zero where no force acts"});
    }
    data_->external = forces;
}

namespace {

void check_state(const Points& x, Eigen::Index vertices, const char* what) {
    if (x.rows() != vertices || !x.allFinite()) {
        throw InputError({.where = what,
                          .found = x.rows() != vertices
                                       ? fmt::format("{} rows", x.rows())
                                       : std::string("a number that is not finite"),
                          .needs = fmt::format("{} finite rows", vertices),
                          .remedy = "start from the rest shape or another finite state"});
    }
}

}  // namespace

LocalGlobalReport LocalGlobal::minimise(Points& x, const LocalGlobalOptions& options,
                                        const Progress& progress,
                                        const IterationCallback& callback) {
    check_ranges(options, "local/global options");
    check_state(x, data_->vertices, "positions at the start");
    if (data_->step > 0.0) {
        data_->step = 0.0;
        data_->factorise();
    }
    return data_->minimise(x, options, progress, callback);
}

const FactorResult& LocalGlobal::set_dynamics(std::span<const double> masses, double step) {
    Data& d = *data_;
    const bool is_positive =
        std::all_of(masses.begin(), masses.end(), [](double m) { return m > 0; });
    if (masses.size() != at(d.vertices) || !is_positive || !(step > 0.0)) {
        throw InputError({.where = "masses and time step",
                          .found = fmt::format("{} masses, step {} s", masses.size(), step),
                          .needs = fmt::format("{} masses > 0 and a step > 0", d.vertices),
                          .remedy = "give every vertex a share of the body's mass"});
    }
    d.masses.assign(masses.begin(), masses.end());
    d.step = step;
    d.inertial = Points::Zero(d.vertices, 3);
    d.factorise();
    return d.result;
}

LocalGlobalReport LocalGlobal::advance(Points& x, Points& v, double damping,
                                       const LocalGlobalOptions& options,
                                       const Progress& progress) {
    Data& d = *data_;
    check_ranges(options, "local/global options");
    check_state(x, d.vertices, "positions");
    check_state(v, d.vertices, "velocities");
    if (!(d.step > 0.0)) {
        throw InputError({.where = "time step",
                          .found = "no masses and no step",
                          .needs = "both before the first step",
                          .remedy = "call set_dynamics first"});
    }
    // y = x + dt v + dt^2 M^-1 f, which is also where the search starts  [Komaritzan,
    // algorithm 2.1]
    const double h = d.step;
    d.plain = x;
    d.inertial = x + h * v;
    if (d.external.rows() == d.vertices) {
        for (Eigen::Index i = 0; i < d.vertices; ++i) {
            d.inertial.row(i) += h * h / d.masses[at(i)] * d.external.row(i);
        }
    }
    for (Eigen::Index i = 0; i < d.vertices; ++i) {
        if (d.number[at(i)] >= 0) {
            x.row(i) = d.inertial.row(i);
        } else {
            d.inertial.row(i) = x.row(i);
        }
    }
    const LocalGlobalReport report = d.minimise(x, options, progress, {});
    // v = mu (x - x_before) / dt  [Komaritzan, eq. 2.14]
    for (Eigen::Index i = 0; i < d.vertices; ++i) {
        if (d.number[at(i)] >= 0) {
            v.row(i) = damping / h * (x.row(i) - d.plain.row(i));
        }
    }
    return report;
}

}  // namespace sinew
