#include "sinew/material/holzapfel_ogden.h"

#include "sinew/base/error.h"
#include "sinew/material/exponential.h"
#include "sinew/material/invariants.h"
#include "sinew/material/muscle_material.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <array>
#include <cmath>

namespace sinew {

namespace {

/// a/(2b) (e^(b q) - 1) by q; a/2 q where b is 0.
VolumeFunction stiffening(double a, double b, double q) {
    if (!(b > 0.0)) {
        return {0.5 * a * q, 0.5 * a, 0.0};
    }
    const VolumeFunction e = exponential(b * q);
    return {0.5 * a / b * e.value, 0.5 * a * e.first, 0.5 * a * b * e.second};
}

/// The same of q = u^2, by u.
VolumeFunction stiffening_of_square(double a, double b, double u) {
    const VolumeFunction g = stiffening(a, b, u * u);
    return {g.value, 2.0 * u * g.first, 2.0 * g.first + 4.0 * u * u * g.second};
}

/// One scalar F m . F n with what it costs.
struct Family {
    Vec3 m, n;
    VolumeFunction cost;
};

std::array<Family, 3> families(const HolzapfelOgdenConstants& c, const Vec3& f, const Vec3& s,
                               const Mat3& F) {
    const Vec3 Ff = F * f;
    const Vec3 Fs = F * s;
    const auto tension = [](double a, double b, double u) {
        return u > 0.0 ? stiffening_of_square(a, b, u) : VolumeFunction{0.0, 0.0, 0.0};
    };
    return {Family{f, f, tension(c.af, c.bf, Ff.squaredNorm() - 1.0)},
            Family{s, s, tension(c.as, c.bs, Fs.squaredNorm() - 1.0)},
            Family{f, s, stiffening_of_square(c.afs, c.bfs, Ff.dot(Fs) - f.dot(s))}};
}

InvariantDerivatives matrix_derivatives(const HolzapfelOgdenConstants& c, const Mat3& F) {
    const double I1 = F.squaredNorm();
    const double J = F.determinant();
    const VolumeFunction p = power_of_volume(J, -2.0 / 3.0);
    const VolumeFunction log = log_of_volume(J);
    const VolumeFunction g = stiffening(c.a, c.b, p.value * I1 - 3.0);
    return {.d1 = g.first * p.value,
            .dJ = g.first * I1 * p.first + 0.5 * c.K * (J - log.first),
            .d11 = g.second * p.value * p.value,
            .dJJ = g.second * I1 * I1 * p.first * p.first + g.first * I1 * p.second +
                   0.5 * c.K * (1.0 - log.second),
            .d1J = g.second * p.value * I1 * p.first + g.first * p.first};
}

}  // namespace

HolzapfelOgden::HolzapfelOgden(const HolzapfelOgdenConstants& constants, const Vec3& fibre,
                               const Vec3& sheet)
    : c_(constants), f_(fibre), s_(sheet) {
    const double least = std::min({c_.b, c_.af, c_.bf, c_.as, c_.bs, c_.afs, c_.bfs});
    const double sum = c_.a + c_.b + c_.af + c_.bf + c_.as + c_.bs + c_.afs + c_.bfs + c_.K;
    if (!std::isfinite(sum) || !(least >= 0.0) || !(c_.a > 0.0) || !(c_.K > 0.0) ||
        !(fibre.norm() > 0.0) || !(sheet.norm() > 0.0) || !fibre.allFinite() ||
        !sheet.allFinite()) {
        throw InputError(
            {.where = "Holzapfel-Ogden material",
             .found = fmt::format("a = {}, b = {}, af = {}, bf = {}, as = {}, bs = {}, afs = {}, "
                                  "bfs = {}, K = {}",
                                  c_.a, c_.b, c_.af, c_.bf, c_.as, c_.bs, c_.afs, c_.bfs, c_.K),
             .needs = "a > 0, K > 0, all others >= 0, and directions with length",
             .remedy = "leave out what the tissue does not have"});
    }
    f_.normalize();
    s_.normalize();
}

double HolzapfelOgden::energy(const Mat3& F) const {
    const double J = F.determinant();
    double sum =
        stiffening(c_.a, c_.b, power_of_volume(J, -2.0 / 3.0).value * F.squaredNorm() - 3.0).value +
        0.25 * c_.K * (J * J - 1.0 - 2.0 * log_of_volume(J).value);
    for (const Family& family : families(c_, f_, s_, F)) {
        sum += family.cost.value;
    }
    return sum;
}

Mat3 HolzapfelOgden::stress(const Mat3& F) const {
    Mat3 P = stress_from_invariants(F, matrix_derivatives(c_, F));
    for (const Family& k : families(c_, f_, s_, F)) {
        // d(F m . F n)/dF = F (m n^T + n m^T)
        const Mat3 M = k.m * k.n.transpose();
        P += k.cost.first * F * (M + M.transpose());
    }
    return P;
}

Mat9 HolzapfelOgden::tangent(const Mat3& F, Tangent kind) const {
    Mat9 H = tangent_from_invariants(F, matrix_derivatives(c_, F), Tangent::Exact);
    for (const Family& k : families(c_, f_, s_, F)) {
        const Mat3 M = k.m * k.n.transpose();
        const Mat3 N = M + M.transpose();
        const Mat3 FN = F * N;
        H.noalias() += k.cost.second * FN.reshaped() * FN.reshaped().transpose();
        for (int r = 0; r < 3; ++r) {
            for (int s = 0; s < 3; ++s) {
                H.block<3, 3>(3 * r, 3 * s).diagonal().array() += k.cost.first * N(r, s);
            }
        }
    }
    return kind == Tangent::Exact ? H : without_negative_eigenvalues(H);
}

}  // namespace sinew
