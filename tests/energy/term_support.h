#pragma once

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/energy/energy_term.h"
#include "sinew/linalg/sparse_symmetric.h"

#include <gtest/gtest.h>

#include <vector>

namespace sinew::support {

inline Points shaken(const Points& x, double by, Seed seed) {
    Random random(seed);
    Points y = x;
    for (Eigen::Index i = 0; i < y.size(); ++i) {
        y.data()[i] += by * random.normal();
    }
    return y;
}

inline Points force_of(const EnergyTerm& term, const Points& x) {
    Points f = Points::Zero(x.rows(), 3);
    TermScratch scratch;
    term.add_force(x, f, scratch);
    return f;
}

/// p is the nearest point, so the force is minus the derivative of the energy itself.
inline void expect_force_is_minus_gradient(const EnergyTerm& term, const Points& x, double size,
                                           double tolerance) {
    const Points f = force_of(term, x);
    const double h = 1e-6 * size;
    double error = 0.0;
    Points y = x;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        y.data()[i] = x.data()[i] + h;
        const double up = term.value(y);
        y.data()[i] = x.data()[i] - h;
        const double down = term.value(y);
        y.data()[i] = x.data()[i];
        error = std::max(error, std::abs(-(up - down) / (2 * h) - f.data()[i]));
    }
    EXPECT_LE(error, tolerance * std::max(f.cwiseAbs().maxCoeff(), 1e-12));
}

/// With p held fixed E is quadratic, and letting p follow can only lower it:
///   E(x + d) <= E(x) - f.d + d.A d / 2.
inline void expect_quadratic_is_an_upper_bound(const EnergyTerm& term, const Points& x,
                                               double size) {
    Triplets triplets(static_cast<int>(x.rows()));
    term.add_quadratic(triplets);
    const SparseSymmetric A = assemble(triplets);
    const Points f = force_of(term, x);
    const double before = term.value(x);
    Points Ad(x.rows(), 3);
    const auto n = static_cast<std::size_t>(x.size());
    for (std::uint64_t k = 0; k < 10; ++k) {
        const Points d =
            shaken(Points::Zero(x.rows(), 3), k < 5 ? size : 0.01 * size, Seed{100 + k});
        multiply(A, {d.data(), n}, 3, {Ad.data(), n});
        const double bound = before - f.cwiseProduct(d).sum() + 0.5 * d.cwiseProduct(Ad).sum();
        EXPECT_LE(term.value(x + d), bound + 1e-6 * std::abs(bound));
    }
}

inline Points gradient_of(const EnergyTerm& term, const Points& x) {
    Points g = Points::Zero(x.rows(), 3);
    term.add_gradient(x, g);
    return g;
}

inline BlockHessian hessian_of(const EnergyTerm& term, const Points& x, Tangent kind) {
    BlockPattern pattern(x.rows());
    term.add_pattern(pattern);
    BlockHessian H(pattern);
    term.add_hessian(x, kind, H);
    return H;
}

/// H d against the difference of gradients along d, for a few directions; and no negative curvature
/// where that was asked for.
inline void expect_hessian_is_derivative_of_gradient(const EnergyTerm& term, const Points& x,
                                                     double size, double tolerance) {
    ASSERT_TRUE(term.offers().hessian);
    const BlockHessian exact = hessian_of(term, x, Tangent::Exact);
    const BlockHessian positive = hessian_of(term, x, Tangent::PositiveSemidefinite);
    const double h = 1e-5 * size;
    for (std::uint64_t k = 0; k < 5; ++k) {
        const Points d = shaken(Points::Zero(x.rows(), 3), 1.0, Seed{200 + k});
        const Points difference =
            (gradient_of(term, x + h * d) - gradient_of(term, x - h * d)) / (2.0 * h);
        const Points told = exact.times(d);
        EXPECT_LE((told - difference).norm(), tolerance * std::max(told.norm(), 1e-12));
        EXPECT_GE(d.cwiseProduct(positive.times(d)).sum(), -1e-9 * told.norm() * d.norm());
    }
}

/// (d2E / dx dp) dp against the difference of gradients along dp, and <w, M dp> = <M^T w, dp>.
/// @param make  the term for given numbers of the parameter
template <class Make>
void expect_mixed_derivatives(const Make& make, TermParameter parameter,
                              const std::vector<double>& p, const Points& x, double size,
                              double tolerance) {
    const auto term = make(p);
    ASSERT_EQ(term.parameter_count(parameter), p.size());
    const double h = 1e-5 * size;
    for (std::uint64_t k = 0; k < 4; ++k) {
        Random random(Seed{300 + k});
        std::vector<double> dp, up, down;
        for (const double value : p) {
            dp.push_back(random.normal());
            up.push_back(value + h * dp.back());
            down.push_back(value - h * dp.back());
        }
        const Points difference = (gradient_of(make(up), x) - gradient_of(make(down), x)) / (2 * h);
        Points product = Points::Zero(x.rows(), 3);
        term.add_mixed_product(x, parameter, dp, product);
        EXPECT_LE((product - difference).norm(), tolerance * std::max(product.norm(), 1e-12));
        const Points w = shaken(Points::Zero(x.rows(), 3), 1.0, Seed{400 + k});
        std::vector<double> adjoint(p.size(), 0.0);
        term.add_mixed_adjoint(x, parameter, w, adjoint);
        double told = 0.0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            told += adjoint[i] * dp[i];
        }
        EXPECT_NEAR(told, w.cwiseProduct(product).sum(), 1e-10 * w.norm() * product.norm());
    }
}

inline void expect_same_bytes_on_any_threads(const EnergyTerm& term, const Points& x) {
    std::vector<Points> forces;
    std::vector<double> energies;
    TermScratch scratch;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        Points f = Points::Zero(x.rows(), 3);
        energies.push_back(term.add_force(x, f, scratch));
        forces.push_back(f);
    }
    EXPECT_EQ(forces[0], forces[1]);
    EXPECT_EQ(energies[0], energies[1]);
}

}  // namespace sinew::support
