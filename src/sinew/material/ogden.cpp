#include "sinew/material/ogden.h"

#include "sinew/base/error.h"
#include "sinew/material/stretches.h"
#include "sinew/material/volume_functions.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

/// x^a for any x: as power_of_volume, which continues it below kSmallestVolumeRatio.
VolumeFunction power(double x, double a) {
    return power_of_volume(x, a);
}

/// (f'(x) - f'(y)) / (x - y); nearly equal arguments take the derivative between them.
double divided_difference(double x, double y, double a) {
    constexpr double kEqual = 1e-5;
    if (std::abs(x - y) < kEqual) {
        return power(0.5 * (x + y), a).second;
    }
    return (power(x, a).first - power(y, a).first) / (x - y);
}

/// A symmetric function of the stretches with the derivatives that a tangent needs (stretches.h).
struct StretchSum {
    double value = 0.0;
    Vec3 first = Vec3::Zero();
    StretchDerivatives second = {Mat3::Zero(), Vec3::Zero(), Vec3::Zero()};
};

// Sums of signed stretches vanish only where F collapses: of two, the smaller may be negative.
constexpr double kCollapsed = 1e-8;

/// sum_i s_i^a, a > 0
StretchSum sum_of_powers(const Vec3& s, double a) {
    StretchSum sum;
    for (int i = 0; i < 3; ++i) {
        const VolumeFunction f = power(s[i], a);
        sum.value += f.value;
        sum.first[i] = f.first;
        sum.second.stretch(i, i) = f.second;
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        sum.second.flip[k] = divided_difference(s[i], s[j], a);
        sum.second.twist[k] = (sum.first[i] + sum.first[j]) / std::max(s[i] + s[j], kCollapsed);
    }
    return sum;
}

/// sum_k (s_i s_j)^a over pairs, a > 0
StretchSum sum_of_products(const Vec3& s, double a) {
    StretchSum sum;
    const Vec3 c(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
    Vec3 first;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        const VolumeFunction f = power(c[k], a);
        sum.value += f.value;
        first[k] = f.first;
        sum.first[i] += f.first * s[j];
        sum.first[j] += f.first * s[i];
        sum.second.stretch(i, i) += f.second * s[j] * s[j];
        sum.second.stretch(j, j) += f.second * s[i] * s[i];
        sum.second.stretch(i, j) += f.second * c[k] + f.first;
        sum.second.stretch(j, i) += f.second * c[k] + f.first;
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        // c_j - c_i = s_k (s_i - s_j), and the same with sums
        sum.second.flip[k] = s[k] * s[k] * divided_difference(c[i], c[j], a) - first[k];
        sum.second.twist[k] =
            s[k] * (first[i] + first[j]) / std::max(s[i] + s[j], kCollapsed) + first[k];
    }
    return sum;
}

/// sum_i (J^(-1/3) s_i)^alpha as q(J) S(s). Negative exponents of a stretch are positive ones of
/// the other two: s_i^alpha = J^alpha (s_j s_k)^-alpha, so that q always falls with J and inverted
/// elements are pushed open.
struct OgdenTerm {
    VolumeFunction q;
    StretchSum S;
};
OgdenTerm term_of(const Vec3& s, double J, double alpha) {
    return alpha > 0.0
               ? OgdenTerm{power_of_volume(J, -alpha / 3.0), sum_of_powers(s, alpha)}
               : OgdenTerm{power_of_volume(J, 2.0 * alpha / 3.0), sum_of_products(s, -alpha)};
}

Vec3 products_of_others(const Vec3& s) {
    return {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
}

}  // namespace

Ogden::Ogden(OgdenConstants constants) : c_(std::move(constants)) {
    bool is_valid = !c_.terms.empty() && c_.K > 0.0 && std::isfinite(c_.K);
    for (const OgdenConstants::Term& t : c_.terms) {
        is_valid = is_valid && t.mu * t.alpha > 0.0 && std::isfinite(t.mu * t.alpha);
    }
    if (!is_valid) {
        std::string found = fmt::format("K = {} Pa", c_.K);
        for (const OgdenConstants::Term& t : c_.terms) {
            found += fmt::format(", mu = {} Pa with alpha = {}", t.mu, t.alpha);
        }
        throw InputError({.where = "Ogden material",
                          .found = found,
                          .needs = "K > 0 and pairs of mu and alpha of the same sign",
                          .remedy = "one pair with alpha = 2 is the neo-Hookean law"});
    }
}

double Ogden::energy(const Mat3& F) const {
    const Vec3 s = signed_svd(F).s;
    const double J = F.determinant();
    double sum = 0.25 * c_.K * (J * J - 1.0 - 2.0 * log_of_volume(J).value);
    for (const OgdenConstants::Term& t : c_.terms) {
        const OgdenTerm term = term_of(s, J, t.alpha);
        sum += t.mu / t.alpha * (term.q.value * term.S.value - 3.0);
    }
    return sum;
}

Mat3 Ogden::stress(const Mat3& F) const {
    const SignedSvd svd = signed_svd(F);
    const double J = svd.s.prod();
    double by_J = 0.5 * c_.K * (J - log_of_volume(J).first);
    Vec3 g = Vec3::Zero();
    for (const OgdenConstants::Term& t : c_.terms) {
        const OgdenTerm term = term_of(svd.s, J, t.alpha);
        by_J += t.mu / t.alpha * term.q.first * term.S.value;
        g += t.mu / t.alpha * term.q.value * term.S.first;
    }
    g += by_J * products_of_others(svd.s);
    return svd.U * g.asDiagonal() * svd.V.transpose();
}

Mat9 Ogden::tangent(const Mat3& F, Tangent kind) const {
    const SignedSvd svd = signed_svd(F);
    const Vec3& s = svd.s;
    const double J = s.prod();
    const Vec3 other = products_of_others(s);
    const VolumeFunction log = log_of_volume(J);
    double by_J = 0.5 * c_.K * (J - log.first);
    double by_JJ = 0.5 * c_.K * (1.0 - log.second);
    StretchDerivatives d = {Mat3::Zero(), Vec3::Zero(), Vec3::Zero()};
    for (const OgdenConstants::Term& t : c_.terms) {
        const auto [q, S] = term_of(s, J, t.alpha);
        const double c = t.mu / t.alpha;
        by_J += c * q.first * S.value;
        by_JJ += c * q.second * S.value;
        d.stretch += c * q.value * S.second.stretch;
        d.stretch += c * q.first * (S.first * other.transpose() + other * S.first.transpose());
        d.flip += c * q.value * S.second.flip;
        d.twist += c * q.value * S.second.twist;
    }
    d.stretch += by_JJ * other * other.transpose();
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        d.stretch(i, j) += by_J * s[k];
        d.stretch(j, i) += by_J * s[k];
        // dJ/ds_i -+ dJ/ds_j = -+ s_k (s_i -+ s_j)
        d.flip[k] -= by_J * s[k];
        d.twist[k] += by_J * s[k];
    }
    return tangent_from_stretches(svd, d, kind);
}

}  // namespace sinew
