#include "sinew/energy/inertia.h"

#include "sinew/base/error.h"

namespace sinew {

Inertia::Inertia(std::vector<double> masses, Points predicted, double step)
    : weight_(std::move(masses)), predicted_(std::move(predicted)) {
    SINEW_ASSERT(step > 0.0, "step {}", step);
    for (double& w : weight_) {
        w /= step * step;
    }
}

double Inertia::value(const Points& x) const {
    double sum = 0.0;
    for (std::size_t v = 0; v < weight_.size(); ++v) {
        const auto i = static_cast<Eigen::Index>(v);
        sum += 0.5 * weight_[v] * (x.row(i) - predicted_.row(i)).squaredNorm();
    }
    return sum;
}

void Inertia::add_gradient(const Points& x, Points& gradient) const {
    for (std::size_t v = 0; v < weight_.size(); ++v) {
        const auto i = static_cast<Eigen::Index>(v);
        gradient.row(i) += weight_[v] * (x.row(i) - predicted_.row(i));
    }
}

// The diagonal is part of every pattern.
void Inertia::add_hessian(const Points& /*x*/, Tangent /*kind*/, BlockHessian& H) const {
    for (std::size_t v = 0; v < weight_.size(); ++v) {
        const auto i = static_cast<Index>(v);
        H.add(i, i, weight_[v] * Mat3::Identity());
    }
}

void Inertia::add_quadratic(Triplets& A) const {
    for (std::size_t v = 0; v < weight_.size(); ++v) {
        A.add(static_cast<int>(v), static_cast<int>(v), weight_[v]);
    }
}

}  // namespace sinew
