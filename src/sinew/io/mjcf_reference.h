#pragma once

#include "sinew/body/musculoskeletal.h"

#include <array>
#include <functional>
#include <vector>

namespace sinew::detail {

/// A chain of shifts and rotations as MuJoCo has it: the body stands at `place` when every joint is
/// at its reference value, and axes are those of the body. Shifts come before rotations, rotations
/// are about one point.
struct ReferenceChain {
    Placement place = {};           ///< of the body in its parent
    Vec3 centre = Vec3::Zero();     ///< of the rotations, in the body
    std::array<Vec3, 6> axes = {};  ///< three rotations, three shifts, in the body
};

/// The same chain with references changed by `change` (rad, m): axes that are not joints change
/// for good. Q R1(a1) R2(a2) R3(a3) = Q' R1(a1') R2(a2') R3(a3') with a3' = a3, a2' = R3^T a2,
/// a1' = (R2 R3)^T a1, all rotated by `change`.
ReferenceChain with_references(const ReferenceChain& chain, const std::array<double, 6>& change);

/// Coefficients c of c0 + c1 d + ... + c4 d^4, d = x - x0, which is `f(x) - f(x0)` as nearly as
/// possible over [low, high] and exactly at x0 (c0 = 0).
struct ReferencePolynomial {
    std::array<double, 5> coefficients = {};
    double error = 0.0;  ///< greatest difference over the range
};
ReferencePolynomial fit_polynomial(const std::function<double(double)>& f, double x0, double low,
                                   double high);

/// y0 + sum c_k (x - x0)^k as a polynomial of x, highest power first.
std::vector<double> expand_polynomial(const std::vector<double>& c, double x0, double y0);

/// The inertia nearest to this that MuJoCo takes: principal moments positive, each at most the sum
/// of the others.
Mat3 possible_inertia(const Mat3& inertia, double mass);

}  // namespace sinew::detail
