#include "sinew/material/guccione.h"

#include "sinew/base/error.h"
#include "sinew/material/exponential.h"
#include "sinew/material/invariants.h"
#include "sinew/material/muscle_material.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include <cmath>

namespace sinew {

Guccione::Guccione(const GuccioneConstants& constants, const Vec3& fibre) : c_(constants) {
    const double length = fibre.norm();
    const bool is_finite = std::isfinite(c_.C + c_.bf + c_.bt + c_.bfs + c_.K + length);
    if (!is_finite || !(c_.C > 0.0) || !(c_.bf > 0.0) || !(c_.bt > 0.0) || !(c_.bfs > 0.0) ||
        !(c_.K > 0.0) || !(length > 0.0)) {
        throw InputError({.where = "Guccione material",
                          .found = fmt::format("C = {}, bf = {}, bt = {}, bfs = {}, K = {}, a "
                                               "fibre of length {}",
                                               c_.C, c_.bf, c_.bt, c_.bfs, c_.K, length),
                          .needs = "constants > 0 and a direction with length",
                          .remedy = "start from C = 2e3 Pa, bf = 8, bt = 2, bfs = 4, K = 1e6 Pa"});
    }
    axes_.col(0) = fibre / length;
    axes_.col(1) = axes_.col(0).unitOrthogonal();
    axes_.col(2) = axes_.col(0).cross(axes_.col(1));
    weights_.setConstant(c_.bt);
    weights_.row(0).setConstant(c_.bfs);
    weights_.col(0).setConstant(c_.bfs);
    weights_(0, 0) = c_.bf;
}

double Guccione::energy(const Mat3& F) const {
    const Mat3 A = F * axes_;
    const Mat3 E = 0.5 * (A.transpose() * A - Mat3::Identity());
    const double J = F.determinant();
    return 0.5 * c_.C * exponential(weights_.cwiseProduct(E.cwiseAbs2()).sum()).value +
           0.25 * c_.K * (J * J - 1.0 - 2.0 * log_of_volume(J).value);
}

Mat3 Guccione::stress(const Mat3& F) const {
    const Mat3 A = F * axes_;
    const Mat3 E = 0.5 * (A.transpose() * A - Mat3::Identity());
    const double first = exponential(weights_.cwiseProduct(E.cwiseAbs2()).sum()).first;
    const double J = F.determinant();
    // S = C/2 e^Q dQ/dE in the fibre's axes, P = F S
    const Mat3 S = c_.C * first * weights_.cwiseProduct(E);
    return A * S * axes_.transpose() + 0.5 * c_.K * (J - log_of_volume(J).first) * cofactors(F);
}

Mat9 Guccione::tangent(const Mat3& F, Tangent kind) const {
    const Mat3 A = F * axes_;
    const Mat3 E = 0.5 * (A.transpose() * A - Mat3::Identity());
    const VolumeFunction e = exponential(weights_.cwiseProduct(E.cwiseAbs2()).sum());
    const Mat3 half_dQ = weights_.cwiseProduct(E);
    const Mat3 S = c_.C * e.first * half_dQ;
    const double J = F.determinant();
    const VolumeFunction log = log_of_volume(J);
    Mat9 H = tangent_from_invariants(
        F, {.dJ = 0.5 * c_.K * (J - log.first), .dJJ = 0.5 * c_.K * (1.0 - log.second)},
        Tangent::Exact);
    // dP = dF S + F dS, dS = C (e' w dE + 2 e'' (w E : dE) w E), for each entry of dF
    for (int k = 0; k < 9; ++k) {
        Mat3 dF = Mat3::Zero();
        dF(k) = 1.0;
        const Mat3 dA = dF * axes_;
        const Mat3 product = A.transpose() * dA;
        const Mat3 dE = 0.5 * (product + product.transpose());
        const double dQ = 2.0 * half_dQ.cwiseProduct(dE).sum();
        const Mat3 dS = c_.C * (e.first * weights_.cwiseProduct(dE) + e.second * dQ * half_dQ);
        H.col(k) += ((dA * S + A * dS) * axes_.transpose()).eval().reshaped();
    }
    return kind == Tangent::Exact ? H : without_negative_eigenvalues(H);
}

}  // namespace sinew
