#include "sinew/material/muscle_material.h"

#include "sinew/base/error.h"
#include "sinew/linalg/symmetric9.h"
#include "sinew/material/invariants.h"
#include "sinew/material/volume_functions.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <array>
#include <cmath>

namespace sinew {

namespace {

using Vec9 = Eigen::Matrix<double, 9, 1>;

struct Kinematics {
    Invariants i;
    VolumeFunction p1, p2, p3;  // J^(-2/3), J^(-4/3), J^(-1/3)
    VolumeFunction log;
    Vec3 fibre;  // F a0
    double length;
    double stretch;
};

Kinematics kinematics(const Mat3& F, const Vec3& a0) {
    Kinematics k;
    k.i = compute_invariants(F);
    if (k.i.J < kSmallestVolumeRatio) {
        k.p1 = power_of_volume(k.i.J, -2.0 / 3.0);
        k.p2 = power_of_volume(k.i.J, -4.0 / 3.0);
        k.p3 = power_of_volume(k.i.J, -1.0 / 3.0);
    } else {
        // One root serves all three powers.
        const double J = k.i.J;
        const double r = 1.0 / std::cbrt(J);
        const auto power = [J](double value, double p) {
            return VolumeFunction{value, p * value / J, p * (p - 1.0) * value / (J * J)};
        };
        k.p3 = power(r, -1.0 / 3.0);
        k.p1 = power(r * r, -2.0 / 3.0);
        k.p2 = power(r * r * r * r, -4.0 / 3.0);
    }
    k.log = log_of_volume(k.i.J);
    k.fibre = F * a0;
    k.length = k.fibre.norm();
    k.stretch = k.p3.value * k.length;
    return k;
}

/// Of the isotropic part, and of lambda through J.
InvariantDerivatives derivatives(const MooneyRivlinConstants& c, const Kinematics& k,
                                 const FibreResponse& f) {
    return {.d1 = c.A * k.p1.value,
            .d2 = c.B * k.p2.value,
            .dJ = c.A * k.i.I1 * k.p1.first + c.B * k.i.I2 * k.p2.first +
                  2.0 * c.K * k.log.value * k.log.first + f.tension * k.length * k.p3.first,
            .dJJ = c.A * k.i.I1 * k.p1.second + c.B * k.i.I2 * k.p2.second +
                   2.0 * c.K * (k.log.first * k.log.first + k.log.value * k.log.second) +
                   f.tension * k.length * k.p3.second,
            .d1J = c.A * k.p1.first,
            .d2J = c.B * k.p2.first};
}

FibreResponse scaled(FibreResponse f, double s) {
    return {s * f.energy, s * f.tension, s * f.slope};
}

}  // namespace

MuscleConstants muscle_constants() {
    return {.matrix = {.A = 1000.0, .B = 500.0, .K = 1e7},
            .fibre = {.peak_stress = 3e5,
                      .optimal_stretch = 1.0,
                      .passive_stress = 0.05 * 3e5,
                      .passive_exponent = 6.6,
                      .linear_from = 1.4,
                      .toe = 0.02},
            .density = 1060.0};
}

MuscleConstants tendon_constants() {
    return {.matrix = {.A = 2.5e4, .B = 2.5e4, .K = 1e7},
            .fibre = {.peak_stress = 0.0,
                      .optimal_stretch = 1.0,
                      .passive_stress = 2.7e6,
                      .passive_exponent = 46.4,
                      .linear_from = 1.03,
                      .toe = 0.005},
            .density = 1100.0};
}

MuscleStress muscle_stress(const MuscleConstants& c, const Mat3& F, const Vec3& a0,
                           double activation, double crowd) {
    const Kinematics k = kinematics(F, a0);
    const FibreResponse f = scaled(c.fibre.at(k.stretch, activation), crowd);
    MuscleStress s;
    s.energy = c.matrix.A * (k.p1.value * k.i.I1 - 3.0) + c.matrix.B * (k.p2.value * k.i.I2 - 3.0) +
               c.matrix.K * k.log.value * k.log.value + f.energy;
    s.stretch = k.stretch;
    s.fibre_stress = k.stretch * f.tension;
    s.P = stress_from_invariants(F, derivatives(c.matrix, k, f));
    if (f.tension > 0.0) {
        // dF2/dF = T (J^(-1/3) (F a0) (x) a0 / |F a0| + |F a0| dJ^(-1/3)/dF); the last part is in P
        s.P += (f.tension * k.p3.value / k.length) * k.fibre * a0.transpose();
    }
    return s;
}

void add_muscle_tangent(const MuscleConstants& c, const Mat3& F, const Vec3& a0, double activation,
                        double crowd, double share, Mat9& C) {
    const Kinematics k = kinematics(F, a0);
    const FibreResponse f = scaled(c.fibre.at(k.stretch, activation), crowd);
    C += share * tangent_from_invariants(F, derivatives(c.matrix, k, f), Tangent::Exact);
    if (f.tension == 0.0 && f.slope == 0.0) {
        return;
    }
    // lambda = p3(J) l: d lambda = p3' l dJ + p3 dl, and its second derivative; the parts with dJ
    // alone are in the invariants' tangent.
    const Vec3 n = k.fibre / k.length;
    const Vec9 dJ = cofactors(F).reshaped();
    const Mat3 na = n * a0.transpose();
    const Vec9 dl = na.reshaped();
    const Vec9 dlambda = k.p3.first * k.length * dJ + k.p3.value * dl;
    C.noalias() += share * f.slope * dlambda * dlambda.transpose();
    const double cross = share * f.tension * k.p3.first;
    C.noalias() += cross * (dJ * dl.transpose() + dl * dJ.transpose());
    const Mat3 turn =
        (share * f.tension * k.p3.value / k.length) * (Mat3::Identity() - n * n.transpose());
    for (int r = 0; r < 3; ++r) {
        for (int s = 0; s < 3; ++s) {
            C.block<3, 3>(3 * r, 3 * s) += a0[r] * a0[s] * turn;
        }
    }
}

Mat3 muscle_cauchy_stress(const MuscleConstants& c, const Mat3& F, const Vec3& a0,
                          double activation) {
    const double J = F.determinant();
    const Mat3 B = std::pow(J, -2.0 / 3.0) * F * F.transpose();
    const double I1 = B.trace();
    const double I2 = 0.5 * (I1 * I1 - (B * B).trace());
    const double lambda = std::pow(J, -1.0 / 3.0) * (F * a0).norm();
    const Vec3 a = std::pow(J, -1.0 / 3.0) * F * a0 / lambda;
    const double W1 = c.matrix.A;
    const double W2 = c.matrix.B;
    const double fibre = lambda * c.fibre.at(lambda, activation).tension;
    const double p = 2.0 * c.matrix.K * std::log(J) / J;
    const Mat3 I = Mat3::Identity();
    return p * I + 2.0 / J * ((W1 + I1 * W2) * B - W2 * B * B) + fibre / J * a * a.transpose() -
           2.0 / (3.0 * J) * (W1 * I1 + 2.0 * W2 * I2 + 0.5 * fibre) * I;
}

Mat9 without_negative_eigenvalues(const Mat9& A) {
    // Most have none to remove, and a Cholesky factor tells so at a fraction of the price.
    if (is_positive_semidefinite(A)) {
        return A;
    }
    Mat9 absolute = A;
    take_absolute_eigenvalues(std::array{&absolute});
    return 0.5 * (A + absolute);  // lambda + |lambda| is 2 lambda or 0
}

void require_valid(const MuscleConstants& c, const char* where) {
    const FibreCurve& f = c.fibre;
    const bool is_valid = c.matrix.A >= 0.0 && c.matrix.B >= 0.0 && c.matrix.A + c.matrix.B > 0.0 &&
                          c.matrix.K > 0.0 && f.peak_stress >= 0.0 && f.optimal_stretch > 0.0 &&
                          f.passive_stress >= 0.0 && f.passive_exponent > 0.0 && f.toe >= 0.0 &&
                          f.toe * f.passive_exponent < 2.0 && f.linear_from > 1.0 + f.toe &&
                          c.density > 0.0 && std::isfinite(c.matrix.A + c.matrix.B + c.matrix.K) &&
                          std::isfinite(f.peak_stress + f.optimal_stretch + f.passive_stress) &&
                          std::isfinite(f.passive_exponent + f.linear_from + c.density);
    if (!is_valid) {
        throw InputError(
            {.where = where,
             .found = fmt::format(
                 "A = {}, B = {}, K = {}, peak stress {}, optimal stretch {}, passive stress {}, "
                 "exponent {}, straight from {}, toe {}, density {}",
                 c.matrix.A, c.matrix.B, c.matrix.K, f.peak_stress, f.optimal_stretch,
                 f.passive_stress, f.passive_exponent, f.linear_from, f.toe, c.density),
             .needs = "A, B >= 0, A + B > 0, K > 0, stresses >= 0, optimal stretch, exponent and "
                      "density > 0, straight from > 1 + toe, toe * exponent < 2",
             .remedy = "start from muscle_constants or tendon_constants"});
    }
}

MuscleMaterial::MuscleMaterial(const MuscleConstants& constants, const Vec3& direction,
                               double activation)
    : c_(constants), a0_(direction), activation_(activation) {
    require_valid(c_, "muscle material");
    const double length = direction.norm();
    if (!(length > 0.0) || !std::isfinite(length) || !(activation >= 0.0 && activation <= 1.0)) {
        throw InputError(
            {.where = "muscle material",
             .found = fmt::format("a fibre of length {}, activation {}", length, activation),
             .needs = "a direction with length, an activation in [0, 1]",
             .remedy = "give the direction from origin to insertion"});
    }
    a0_ /= length;
}

double MuscleMaterial::energy(const Mat3& F) const {
    return muscle_stress(c_, F, a0_, activation_).energy;
}

Mat3 MuscleMaterial::stress(const Mat3& F) const {
    return muscle_stress(c_, F, a0_, activation_).P;
}

Mat9 MuscleMaterial::tangent(const Mat3& F, Tangent kind) const {
    Mat9 C = Mat9::Zero();
    add_muscle_tangent(c_, F, a0_, activation_, 1.0, 1.0, C);
    return kind == Tangent::Exact ? C : without_negative_eigenvalues(C);
}

}  // namespace sinew
