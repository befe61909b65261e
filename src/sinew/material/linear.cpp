#include "sinew/material/linear.h"

namespace sinew {

Linear::Linear(const Lame& lame) : lame_(lame) {
    require_stable(lame, "linear material");
}

double Linear::energy(const Mat3& F) const {
    const Mat3 e = 0.5 * (F + F.transpose()) - Mat3::Identity();
    const double trace = e.trace();
    return lame_.mu * e.squaredNorm() + 0.5 * lame_.lambda * trace * trace;
}

// P = mu (F + F^T - 2 I) + lambda tr(F - I) I                          [Kadlecek2022, eq. 2.15]
Mat3 Linear::stress(const Mat3& F) const {
    const Mat3 e = 0.5 * (F + F.transpose()) - Mat3::Identity();
    return 2.0 * lame_.mu * e + lame_.lambda * e.trace() * Mat3::Identity();
}

// Constant, and semidefinite whatever is asked for.
Mat9 Linear::tangent(const Mat3& /*F*/, Tangent /*kind*/) const {
    Mat9 H = Mat9::Zero();
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            H(r + 3 * c, r + 3 * c) += lame_.mu;
            H(r + 3 * c, c + 3 * r) += lame_.mu;
            H(r + 3 * r, c + 3 * c) += lame_.lambda;
        }
    }
    return H;
}

}  // namespace sinew
