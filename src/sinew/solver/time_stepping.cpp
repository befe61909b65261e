#include "sinew/solver/time_stepping.h"

#include "sinew/base/error.h"
#include "sinew/energy/inertia.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace sinew {

namespace {

void require_masses(const std::vector<double>& masses, bool may_be_zero) {
    for (std::size_t v = 0; v < masses.size(); ++v) {
        const bool is_good = may_be_zero ? masses[v] >= 0.0 : masses[v] > 0.0;
        if (!is_good || !std::isfinite(masses[v])) {
            throw InputError({.where = fmt::format("mass of vertex {}", v),
                              .found = fmt::format("{} kg", masses[v]),
                              .needs = may_be_zero ? "a mass >= 0" : "a mass > 0",
                              .remedy = "give a density > 0 and drop vertices without elements"});
        }
    }
}

void require_state(const MovingPoints& state, std::size_t vertices) {
    const auto n = static_cast<Eigen::Index>(vertices);
    if (state.x.rows() != n || state.v.rows() != n) {
        throw InputError(
            {.where = "state of a time step",
             .found = fmt::format("{} positions, {} velocities", state.x.rows(), state.v.rows()),
             .needs = fmt::format("{} of each, one per mass", n),
             .remedy = "start from the rest positions with velocities of zero"});
    }
}

EnergyTerms with_inertia(EnergyTerms terms, const std::vector<double>& masses) {
    const auto n = static_cast<Eigen::Index>(masses.size());
    terms.push_back(std::make_shared<Inertia>(masses, Points::Zero(n, 3), 1.0));
    return terms;
}

Points times_mass(const std::vector<double>& masses, const Points& v) {
    Points result = v;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        result.row(static_cast<Eigen::Index>(i)) *= masses[i];
    }
    return result;
}

double dot(const Points& a, const Points& b) {
    return a.cwiseProduct(b).sum();
}

}  // namespace

ImplicitEuler::ImplicitEuler(EnergyTerms terms, std::vector<double> masses,
                             const VertexConstraints& constraints,
                             const ImplicitEulerOptions& options)
    : terms_(with_inertia(std::move(terms), masses)),
      masses_(std::move(masses)),
      options_(options),
      solver_(terms_, static_cast<Eigen::Index>(masses_.size()), constraints) {
    check_ranges(options_, "implicit Euler options");
    require_masses(masses_, true);
}

// Inertia and damping together pull towards one point with one weight:
//   m/h^2 (x - y) + d m/h (x - x_old) = m (1 + d h)/h^2 (x - z),   z = (y + d h x_old) / (1 + d h)
NewtonReport ImplicitEuler::advance(MovingPoints& state, const Progress& progress) {
    require_state(state, masses_.size());
    const double h = options_.step;
    const double damping = options_.mass_damping * h;
    const Points goal = state.x + h / (1.0 + damping) * state.v;
    terms_.back() = std::make_shared<Inertia>(masses_, goal, h / std::sqrt(1.0 + damping));

    NewtonResult result = solver_.solve(terms_, state.x, options_.newton, progress);
    state.v = (result.x - state.x) / h;
    state.x = std::move(result.x);
    state.time += h;
    return std::move(result.report);
}

MixedStepper::MixedStepper(EnergyTerms terms, std::vector<double> masses,
                           std::optional<FemViscosity> viscosity, VertexConstraints constraints,
                           const MixedStepOptions& options)
    : terms_(std::move(terms)),
      masses_(std::move(masses)),
      viscosity_(std::move(viscosity)),
      constraints_(std::move(constraints)),
      options_(options) {
    check_ranges(options_, "mixed step options");
    require_masses(masses_, false);
}

void MixedStepper::half_step(const Points& x, Points& v, MixedStepReport& report) const {
    const double half = 0.5 * options_.step;
    const auto free = [&](Points p) {
        constraints_.project(p);
        return p;
    };
    const auto over_mass = [&](Points p) {
        for (std::size_t i = 0; i < masses_.size(); ++i) {
            p.row(static_cast<Eigen::Index>(i)) /= masses_[i];
        }
        return p;
    };
    Points gradient = Points::Zero(x.rows(), 3);
    for (const auto& term : terms_) {
        term->add_gradient(x, gradient);
    }
    if (!viscosity_) {
        v = free(v - half * over_mass(gradient));
        return;
    }
    const auto times_matrix = [&](const Points& p) {
        Points damping = Points::Zero(x.rows(), 3);
        viscosity_->add_damping(x, p, damping);
        return free(times_mass(masses_, p) + half * damping);
    };

    // Conjugate gradients, preconditioned by the masses.
    const Points b = free(times_mass(masses_, v) - half * gradient);
    v = free(v);
    Points r = b - times_matrix(v);
    Points z = over_mass(r);
    Points p = z;
    double rz = dot(r, z);
    const double enough = options_.tolerance * options_.tolerance *
                          std::max(dot(b, over_mass(b)), std::numeric_limits<double>::min());
    int iteration = 0;
    for (; rz > enough && iteration < options_.max_iterations; ++iteration) {
        const Points Ap = times_matrix(p);
        const double alpha = rz / dot(p, Ap);
        v += alpha * p;
        r -= alpha * Ap;
        z = over_mass(r);
        const double rz_new = dot(r, z);
        p = z + (rz_new / rz) * p;
        rz = rz_new;
    }
    report.iterations += iteration;
    report.is_converged = report.is_converged && rz <= enough;
}

MixedStepReport MixedStepper::advance(MovingPoints& state) const {
    require_state(state, masses_.size());
    MixedStepReport report;
    half_step(state.x, state.v, report);
    state.x += options_.step * state.v;
    half_step(state.x, state.v, report);
    state.time += options_.step;
    return report;
}

double compute_stable_step(const EnergyTerms& terms, const std::vector<double>& masses,
                           const Points& x) {
    require_masses(masses, false);
    constexpr int kIterations = 60;
    BlockPattern pattern(x.rows());
    for (const auto& term : terms) {
        term->add_pattern(pattern);
    }
    BlockHessian H(pattern);
    for (const auto& term : terms) {
        term->add_hessian(x, Tangent::PositiveSemidefinite, H);
    }
    // Largest eigenvalue of M^-1 H.
    Random random(Seed{1});
    Points v(x.rows(), 3);
    for (Eigen::Index i = 0; i < v.size(); ++i) {
        v.data()[i] = random.normal();
    }
    double largest = 0.0;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        Points w = H.times(v);
        largest = dot(v, w) / dot(v, times_mass(masses, v));
        for (std::size_t i = 0; i < masses.size(); ++i) {
            w.row(static_cast<Eigen::Index>(i)) /= masses[i];
        }
        const double norm = w.norm();
        if (!(norm > 0.0)) {
            return std::numeric_limits<double>::infinity();
        }
        v = w / norm;
    }
    return 2.0 / std::sqrt(largest);
}

}  // namespace sinew
