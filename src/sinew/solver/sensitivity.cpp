#include "sinew/solver/sensitivity.h"

#include "sinew/base/error.h"
#include "sinew/solver/reduced_system.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace sinew {
namespace {

/// Shifts of the diagonal where even projected elements leave a free motion, as shares of its mean.
constexpr double kFirstFreeShift = 1e-8;
constexpr double kLastFreeShift = 1.0;

BlockPattern pattern_of(const EnergyTerms& terms, Eigen::Index vertices) {
    BlockPattern pattern(vertices);
    for (const auto& term : terms) {
        if (!term->offers().hessian) {
            throw InputError({.where = "sensitivity of an equilibrium",
                              .found = "a term without Hessian",
                              .needs = "second derivatives of all terms",
                              .remedy = "use terms that offer them (docs/solver.md)"});
        }
        term->add_pattern(pattern);
    }
    return pattern;
}

double inner(const Points& a, const Points& b) {
    return a.cwiseProduct(b).sum();
}

}  // namespace

struct EquilibriumSensitivity::Data {
    Data(EnergyTerms list, const Points& at_x)
        : terms(std::move(list)), x(at_x), H(pattern_of(terms, x.rows())) {}

    EnergyTerms terms;
    Points x;
    BlockHessian H;
    bool is_exact = true;

    std::optional<ReducedSystem> reduced;  // or
    FrameStepper* stepper = nullptr;
    SensitivityOptions options = {};
    int iterations = 0;
    bool is_converged = true;

    void assemble(Tangent kind) {
        H.set_zero();
        for (const auto& term : terms) {
            term->add_hessian(x, kind, H);
        }
    }

    void factorise() {
        assemble(Tangent::Exact);
        if (reduced->factorise(H, 0.0)) {
            return;
        }
        is_exact = false;
        assemble(Tangent::PositiveSemidefinite);
        bool is_positive = reduced->factorise(H, 0.0);
        const double mean = reduced->mean_diagonal() > 0.0 ? reduced->mean_diagonal() : 1.0;
        for (double share = kFirstFreeShift; !is_positive && share <= kLastFreeShift;
             share *= 10.0) {
            is_positive = reduced->factorise(H, share * mean);
        }
    }

    // Rows of held vertices become zero.
    void keep_free(Points& p) const {
        for (Eigen::Index i = 0; i < p.rows(); ++i) {
            if (!stepper->is_free(i)) {
                p.row(i).setZero();
            }
        }
    }

    // Conjugate gradients on H, preconditioned by the constant matrix of the terms, which bounds H
    // from above. The factor is rounded to single precision, so directions are made orthogonal
    // with the change of the residual (Polak and Ribiere). False where H curves downwards.
    bool solve_iteratively(Points right, Points& y) {
        y = Points::Zero(x.rows(), 3);
        keep_free(right);
        Points r = right;
        Points z = Points::Zero(x.rows(), 3);
        stepper->solve(r, z);
        Points p = z;
        double rz = inner(r, z);
        const double first = right.norm();
        iterations = 0;
        while (iterations < options.max_iterations && r.norm() > options.tolerance * first) {
            Points Hp = H.times(p);
            keep_free(Hp);
            const double curvature = inner(p, Hp);
            if (!(curvature > 0.0)) {
                return false;
            }
            const double length = rz / curvature;
            y += length * p;
            const Points before = r;
            r -= length * Hp;
            stepper->solve(r, z);
            const double next = inner(r, z);
            p = z + std::max(0.0, (next - inner(before, z)) / rz) * p;
            rz = next;
            ++iterations;
        }
        is_converged = r.norm() <= options.tolerance * first;
        return true;
    }

    // H^-1 right on what is free.
    Points solve(const Points& right) {
        if (reduced) {
            return reduced->solve(right);
        }
        Points y;
        if (!solve_iteratively(right, y) && is_exact) {
            is_exact = false;
            assemble(Tangent::PositiveSemidefinite);
            solve_iteratively(right, y);
        }
        return y;
    }

    std::size_t count_of(TermParameter parameter, const EnergyTerm* of) const {
        std::size_t count = 0;
        for (const auto& term : terms) {
            if (of == nullptr || term.get() == of) {
                const std::optional<std::size_t> here = term->parameter_count(parameter);
                if (!here) {
                    throw InputError({.where = "sensitivity of an equilibrium",
                                      .found = "a term without derivatives by its rest shape",
                                      .needs = "derivatives of all terms that depend on it",
                                      .remedy = "use terms that offer them (docs/solver.md)"});
                }
                if (count != 0 && *here != 0 && parameter != TermParameter::RestShape) {
                    throw InputError({.where = "sensitivity of an equilibrium",
                                      .found = "several terms with this parameter",
                                      .needs = "the term that it belongs to",
                                      .remedy = "name the term"});
                }
                count = std::max(count, *here);
            }
        }
        return count;
    }
};

EquilibriumSensitivity::EquilibriumSensitivity(EnergyTerms terms, const Points& x,
                                               const VertexConstraints& constraints)
    : data_(std::make_unique<Data>(std::move(terms), x)) {
    data_->reduced.emplace(data_->H, constraints);
    data_->factorise();
}

EquilibriumSensitivity::EquilibriumSensitivity(EnergyTerms terms, const Points& x,
                                               FrameStepper& stepper,
                                               const SensitivityOptions& options)
    : data_(std::make_unique<Data>(std::move(terms), x)) {
    data_->stepper = &stepper;
    data_->options = options;
    data_->assemble(Tangent::Exact);
}

EquilibriumSensitivity::~EquilibriumSensitivity() = default;
EquilibriumSensitivity::EquilibriumSensitivity(EquilibriumSensitivity&&) noexcept = default;
EquilibriumSensitivity& EquilibriumSensitivity::operator=(EquilibriumSensitivity&&) noexcept =
    default;

bool EquilibriumSensitivity::is_exact() const {
    return data_->is_exact;
}

int EquilibriumSensitivity::iterations() const {
    return data_->iterations;
}

bool EquilibriumSensitivity::is_converged() const {
    return data_->is_converged;
}

Points EquilibriumSensitivity::derivative(TermParameter parameter, std::span<const double> dp,
                                          const EnergyTerm* of) {
    Data& d = *data_;
    const std::size_t count = d.count_of(parameter, of);
    if (dp.size() != count || count == 0) {
        throw InputError({.where = "sensitivity of an equilibrium",
                          .found = fmt::format("{} numbers", dp.size()),
                          .needs = fmt::format("{}, one for each of the parameter", count),
                          .remedy = "check the parameter and the term"});
    }
    Points right = Points::Zero(d.x.rows(), 3);
    for (const auto& term : d.terms) {
        if (of == nullptr || term.get() == of) {
            term->add_mixed_product(d.x, parameter, dp, right);
        }
    }
    right *= -1.0;
    return d.solve(right);
}

std::vector<double> EquilibriumSensitivity::adjoint(TermParameter parameter, const Points& g,
                                                    const EnergyTerm* of) {
    Data& d = *data_;
    std::vector<double> result(d.count_of(parameter, of), 0.0);
    const Points w = d.solve(-g);
    for (const auto& term : d.terms) {
        if (of == nullptr || term.get() == of) {
            term->add_mixed_adjoint(d.x, parameter, w, result);
        }
    }
    return result;
}

}  // namespace sinew
