#include "sinew/solver/local_global.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {
namespace {

std::vector<int> free_vertices(Eigen::Index vertices, std::span<const Index> fixed) {
    std::vector<char> is_fixed(at(vertices), 0);
    for (const Index v : fixed) {
        if (v < 0 || v >= vertices) {
            throw InputError({.where = "fixed vertices",
                              .found = fmt::format("vertex {}", v),
                              .needs = fmt::format("a number from 0 to {}", vertices - 1),
                              .remedy = "check that the list belongs to this mesh"});
        }
        is_fixed[at(v)] = 1;
    }
    std::vector<int> free;
    for (int v = 0; v < vertices; ++v) {
        if (is_fixed[at(v)] == 0) {
            free.push_back(v);
        }
    }
    return free;
}

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

struct LocalGlobal::Data {
    Data(Eigen::Index count, EnergyTerms list, std::span<const Index> fixed)
        : vertices(count), stepper(count, std::move(list), free_vertices(count, fixed)) {}

    Eigen::Index vertices;
    FrameStepper stepper;
    double step = 0.0;  // dt, s; 0 at rest

    LocalGlobalReport minimise(Points& x, const LocalGlobalOptions& options,
                               const Progress& progress, const IterationCallback& callback) {
        return stepper.iterate(x,
                               {.iterations = options.max_iterations,
                                .tolerance = options.tolerance,
                                .is_stopping = true,
                                .is_guarded = true,
                                .window = options.window,
                                .keeps_history = options.keeps_history},
                               progress, callback);
    }
};

LocalGlobal::LocalGlobal(Eigen::Index vertices, EnergyTerms terms, std::span<const Index> fixed)
    : data_(std::make_unique<Data>(vertices, std::move(terms), fixed)) {}

LocalGlobal::~LocalGlobal() = default;
LocalGlobal::LocalGlobal(LocalGlobal&&) noexcept = default;
LocalGlobal& LocalGlobal::operator=(LocalGlobal&&) noexcept = default;

const FactorResult& LocalGlobal::refactor() {
    return data_->stepper.refactor();
}

const FactorResult& LocalGlobal::factor_result() const {
    return data_->stepper.factor_result();
}

const SparseCholesky& LocalGlobal::factor() const {
    return data_->stepper.factor();
}

void LocalGlobal::set_changing(std::span<const std::shared_ptr<ProjectiveConstraints>> constraints,
                               ChangingMethod method, int iterations) {
    data_->stepper.set_changing({constraints.begin(), constraints.end()}, method, iterations);
}

void LocalGlobal::set_external_forces(const Points& forces) {
    if (forces.rows() != 0 && forces.rows() != data_->vertices) {
        throw InputError({.where = "external forces",
                          .found = fmt::format("{} rows", forces.rows()),
                          .needs = fmt::format("one for each of {} vertices", data_->vertices),
                          .remedy = "give a row for every vertex, zero where no force acts"});
    }
    data_->stepper.set_external_forces(forces);
}

LocalGlobalReport LocalGlobal::minimise(Points& x, const LocalGlobalOptions& options,
                                        const Progress& progress,
                                        const IterationCallback& callback) {
    check_ranges(options, "local/global options");
    check_state(x, data_->vertices, "positions at the start");
    if (data_->step > 0.0) {
        data_->step = 0.0;
        data_->stepper.set_inertia({});
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
    std::vector<double> inertia(masses.begin(), masses.end());
    for (double& m : inertia) {
        m /= step * step;
    }
    d.step = step;
    return d.stepper.set_inertia(std::move(inertia));
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
    const Points before = x;
    x = d.stepper.predict(x, v, d.step);  // also where the search starts
    const LocalGlobalReport report = d.minimise(x, options, progress, {});
    d.stepper.set_velocities(before, x, damping, d.step, v);
    return report;
}

}  // namespace sinew
