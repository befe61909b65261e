#include "sinew/io/mjcf_reference.h"

#include "sinew/linalg/dense.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace sinew::detail {

namespace {

constexpr int kSamples = 61;
constexpr int kPowers = 4;
constexpr double kThinnest = 1e-2;      // of the largest principal moment
constexpr double kLeastMoment = 1e-7;   // kg m^2
constexpr double kLeastRadius = 0.005;  // m, of gyration

Mat3 rotation(const Vec3& axis, double angle) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace

ReferenceChain with_references(const ReferenceChain& chain, const std::array<double, 6>& change) {
    ReferenceChain out = chain;
    const Mat3 R2 = rotation(chain.axes[1], change[1]);
    const Mat3 R3 = rotation(chain.axes[2], change[2]);
    const Mat3 all = rotation(chain.axes[0], change[0]) * R2 * R3;
    const Mat3& Q = chain.place.rotation;
    out.place.rotation = Q * all;
    out.axes[1] = R3.transpose() * chain.axes[1];
    out.axes[0] = (R2 * R3).transpose() * chain.axes[0];
    Vec3 anchor = chain.place * chain.centre;
    for (std::size_t k = 3; k < 6; ++k) {
        anchor += Q * chain.axes[k] * change[k];
        out.axes[k] = all.transpose() * chain.axes[k];
    }
    out.place.position = anchor - out.place.rotation * chain.centre;
    return out;
}

ReferencePolynomial fit_polynomial(const std::function<double(double)>& f, double x0, double low,
                                   double high) {
    Eigen::MatrixXd A(kSamples, kPowers);
    Eigen::VectorXd y(kSamples);
    const double y0 = f(x0);
    for (int k = 0; k < kSamples; ++k) {
        const double d = low + (high - low) * k / (kSamples - 1) - x0;
        y[k] = f(x0 + d) - y0;
        for (int p = 0; p < kPowers; ++p) {
            A(k, p) = std::pow(d, p + 1);
        }
    }
    const Eigen::VectorXd c = least_squares(A, y);
    ReferencePolynomial out;
    for (int p = 0; p < kPowers; ++p) {
        out.coefficients[static_cast<std::size_t>(p) + 1] = c[p];
    }
    out.error = (A * c - y).cwiseAbs().maxCoeff();
    return out;
}

std::vector<double> expand_polynomial(const std::vector<double>& c, double x0, double y0) {
    // Horner's scheme in x - x0, lowest power first.
    std::vector<double> sum = {0.0};
    for (std::size_t k = c.size(); k-- > 0;) {
        std::vector<double> next(sum.size() + 1, 0.0);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            next[i + 1] += sum[i];
            next[i] -= x0 * sum[i];
        }
        next[0] += c[k];
        sum = next;
    }
    sum[0] += y0;
    while (sum.size() > 1 && sum.back() == 0.0) {
        sum.pop_back();
    }
    return {sum.rbegin(), sum.rend()};
}

Mat3 possible_inertia(const Mat3& inertia, double mass) {
    const Mat3 even = 0.5 * (inertia + inertia.transpose());
    const auto [values, vectors] = symmetric_eigen(even);
    Vec3 I = values;
    const double least =
        std::max({kThinnest * I.maxCoeff(), kLeastMoment, mass * kLeastRadius * kLeastRadius});
    I = I.cwiseMax(least);
    // Sorted upwards: the largest may be as large as the others together.
    if (I[2] > I[0] + I[1]) {
        const double missing = 0.5 * (I[2] - I[0] - I[1]) * (1.0 + 1e-6);
        I[0] += missing;
        I[1] += missing;
    }
    return I == values ? inertia : Mat3(vectors * I.asDiagonal() * vectors.transpose());
}

}  // namespace sinew::detail
