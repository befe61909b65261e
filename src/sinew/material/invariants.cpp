#include "sinew/material/invariants.h"

#include "sinew/material/stretches.h"

#include <Eigen/Geometry>

namespace sinew {

namespace {

using Vec9 = Eigen::Matrix<double, 9, 1>;

/// d2 I2 / dF2 applied to all unit matrices at once:
///   d(2 (I1 F - F F^T F)) = 2 (2 (F : dF) F + I1 dF - dF F^T F - F dF^T F - F F^T dF)
Mat9 second_derivative_of_I2(const Mat3& F, double I1) {
    const Mat3 C = F.transpose() * F;
    const Mat3 B = F * F.transpose();
    const Vec9 f = F.reshaped();
    Mat9 H = 4.0 * f * f.transpose();
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            auto block = H.block<3, 3>(3 * c, 3 * d);
            // Column d of dF acts on column c of the result.
            block -= 2.0 * F.col(d) * F.col(c).transpose();
            block.diagonal().array() -= 2.0 * C(d, c);
            if (c == d) {
                block -= 2.0 * B;
                block.diagonal().array() += 2.0 * I1;
            }
        }
    }
    return H;
}

/// [a]x, the matrix with [a]x b = a x b.
Mat3 cross_matrix(const Vec3& a) {
    Mat3 m;
    // clang-format off
    m <<      0, -a.z(),  a.y(),
          a.z(),      0, -a.x(),
         -a.y(),  a.x(),      0;
    // clang-format on
    return m;
}

/// d2 det F / dF2: the columns of cof F are f1 x f2, f2 x f0, f0 x f1.
Mat9 second_derivative_of_J(const Mat3& F) {
    Mat9 H = Mat9::Zero();
    for (int c = 0; c < 3; ++c) {
        const int d = (c + 1) % 3;
        const int e = (c + 2) % 3;
        // cof column c = f_d x f_e
        H.block<3, 3>(3 * c, 3 * e) = cross_matrix(F.col(d));
        H.block<3, 3>(3 * c, 3 * d) = -cross_matrix(F.col(e));
    }
    return H;
}

Mat9 exact_tangent(const Mat3& F, const InvariantDerivatives& d) {
    const double I1 = F.squaredNorm();
    const Vec9 v1 = 2.0 * F.reshaped();
    const Vec9 vJ = cofactors(F).reshaped();
    Mat9 H = d.dJ * second_derivative_of_J(F);
    H.diagonal().array() += 2.0 * d.d1;
    H.noalias() += (d.d11 * v1 + d.d1J * vJ) * v1.transpose();
    H.noalias() += (d.dJJ * vJ + d.d1J * v1) * vJ.transpose();
    if (d.d2 != 0.0 || d.d22 != 0.0 || d.d12 != 0.0 || d.d2J != 0.0) {
        const Mat3 dI2 = 2.0 * (I1 * F - F * (F.transpose() * F));
        const Vec9 v2 = dI2.reshaped();
        H.noalias() += d.d2 * second_derivative_of_I2(F, I1);
        H.noalias() += (d.d22 * v2 + d.d12 * v1 + d.d2J * vJ) * v2.transpose();
        H.noalias() += v2 * (d.d12 * v1 + d.d2J * vJ).transpose();
    }
    return H;
}

}  // namespace

Mat3 cofactors(const Mat3& F) {
    Mat3 cof;
    cof.col(0) = F.col(1).cross(F.col(2));
    cof.col(1) = F.col(2).cross(F.col(0));
    cof.col(2) = F.col(0).cross(F.col(1));
    return cof;
}

Invariants compute_invariants(const Mat3& F) {
    const Mat3 C = F.transpose() * F;
    const double I1 = C.trace();
    return {I1, 0.5 * (I1 * I1 - C.squaredNorm()), F.determinant()};
}

Mat3 stress_from_invariants(const Mat3& F, const InvariantDerivatives& d) {
    Mat3 P = 2.0 * d.d1 * F + d.dJ * cofactors(F);
    if (d.d2 != 0.0) {
        P += 2.0 * d.d2 * (F.squaredNorm() * F - F * (F.transpose() * F));
    }
    return P;
}

Mat9 tangent_from_invariants(const Mat3& F, const InvariantDerivatives& d, Tangent kind) {
    if (kind == Tangent::Exact) {
        return exact_tangent(F, d);
    }
    const SignedSvd s = signed_svd(F);
    const Vec3& x = s.s;
    const Vec3 q = x.cwiseAbs2();

    // d I1 / d sigma, d I2 / d sigma, d J / d sigma
    const Vec3 g1 = 2.0 * x;
    const Vec3 g2 = 2.0 * x.cwiseProduct(Vec3::Constant(q.sum()) - q);
    const Vec3 gJ(x[1] * x[2], x[2] * x[0], x[0] * x[1]);

    StretchDerivatives out;
    out.stretch = d.d11 * g1 * g1.transpose() + d.d22 * g2 * g2.transpose() +
                  d.dJJ * gJ * gJ.transpose() +
                  d.d12 * (g1 * g2.transpose() + g2 * g1.transpose()) +
                  d.d1J * (g1 * gJ.transpose() + gJ * g1.transpose()) +
                  d.d2J * (g2 * gJ.transpose() + gJ * g2.transpose());
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        out.stretch(k, k) += 2.0 * d.d1 + 2.0 * d.d2 * (q[i] + q[j]);
        const double off = 4.0 * d.d2 * x[i] * x[j] + d.dJ * x[k];
        out.stretch(i, j) += off;
        out.stretch(j, i) += off;
        // The quotients of StretchDerivatives, with the division carried out:
        out.flip[k] = 2.0 * d.d1 + 2.0 * d.d2 * (q[k] - x[i] * x[j]) - d.dJ * x[k];
        out.twist[k] = 2.0 * d.d1 + 2.0 * d.d2 * (q[k] + x[i] * x[j]) + d.dJ * x[k];
    }
    return tangent_from_stretches(s, out, kind);
}

}  // namespace sinew
