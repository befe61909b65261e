#pragma once

#include "sinew/material/material.h"
#include "sinew/mesh/arrays.h"

namespace sinew::detail {

/// Edges of a tetrahedron among rows of three numbers.
inline Mat3 edges_of(const double* rows, const Tets& tets, Eigen::Index t) {
    const auto row = [&](int c) {
        return Eigen::Map<const Vec3>(rows + 3 * static_cast<std::ptrdiff_t>(tets(t, c)));
    };
    Mat3 D;
    D << row(1) - row(0), row(2) - row(0), row(3) - row(0);
    return D;
}

/// Adds what was found for the edges to the rows of their ends.
inline void add_edges(const Mat3& G, const Tets& tets, Eigen::Index t, double* rows) {
    const auto row = [&](int c) {
        return Eigen::Map<Vec3>(rows + 3 * static_cast<std::ptrdiff_t>(tets(t, c)));
    };
    row(0) -= G.rowwise().sum();
    for (int c = 0; c < 3; ++c) {
        row(c + 1) += G.col(c);
    }
}

/// A tetrahedron whose gradient is G = V P(F) B^T with F = D_s B: columns are those of corners 1 to
/// 3, corner 0 takes minus their sum. B and V carry the rest shape and growth.
struct TetState {
    Mat3 D_s;  ///< edges now
    Mat3 B;
    double V;
};

/// dP = C : dF.
inline Mat3 times_tangent(const Mat9& C, const Mat3& dF) {
    Mat3 dP;
    dP.reshaped() = C * dF.reshaped();
    return dP;
}

/// dG when B and V change: dV P B^T + V (C : D_s dB) B^T + V P dB^T.
inline Mat3 mixed_product(const Material& law, const TetState& t, const Mat3& dB, double dV) {
    const Mat3 F = t.D_s * t.B;
    const Mat3 P = law.stress(F);
    const Mat3 dP = times_tangent(law.tangent(F, Tangent::Exact), t.D_s * dB);
    return (dV * P + t.V * dP) * t.B.transpose() + t.V * P * dB.transpose();
}

/// Derivatives of <W, G> by B and V, W the edges of any w.
struct MixedAdjoint {
    Mat3 by_B;
    double by_V;
};
inline MixedAdjoint mixed_adjoint(const Material& law, const TetState& t, const Mat3& W) {
    const Mat3 F = t.D_s * t.B;
    const Mat3 P = law.stress(F);
    const Mat3 S = times_tangent(law.tangent(F, Tangent::Exact), W * t.B);  // C is symmetric
    return {t.V * (t.D_s.transpose() * S + W.transpose() * P), (W * t.B).cwiseProduct(P).sum()};
}

// With the rest shape D_m: B = D_m^-1 F_g^-1, so dB = -D_m^-1 dD_m B, dV = V tr(D_m^-1 dD_m).
inline Mat3 rest_product(const Material& law, const TetState& t, const Mat3& D_m_inverse,
                         const Mat3& dD_m) {
    const Mat3 change = D_m_inverse * dD_m;
    return mixed_product(law, t, -change * t.B, t.V * change.trace());
}
/// Derivative of <W, G> by D_m.
inline Mat3 rest_adjoint(const Material& law, const TetState& t, const Mat3& D_m_inverse,
                         const Mat3& W) {
    const MixedAdjoint a = mixed_adjoint(law, t, W);
    return D_m_inverse.transpose() * (a.by_V * t.V * Mat3::Identity() - a.by_B * t.B.transpose());
}

}  // namespace sinew::detail
