#include "sinew/energy/pins.h"

#include "sinew/energy/projective_checks.h"

namespace sinew {

Pins::Pins(std::span<const Pin> pins)
    : ProjectiveConstraints(1), targets_(static_cast<Eigen::Index>(pins.size()), 3) {
    const double one[1] = {1.0};
    for (std::size_t i = 0; i < pins.size(); ++i) {
        targets_.row(static_cast<Eigen::Index>(i)) = pins[i].target.transpose();
        add({&pins[i].vertex, 1}, one, detail::checked_weight("pins", i, pins[i].stiffness));
    }
    finish();
}

Pins::Pins(std::span<const Index> vertices, const Points& targets, std::span<const double> weights)
    : ProjectiveConstraints(1), targets_(targets) {
    detail::check_count("targets of pins", targets.rows(), vertices.size());
    detail::check_count("weights of pins", weights.size(), vertices.size());
    const double one[1] = {1.0};
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        add(vertices.subspan(i, 1), one, detail::checked_weight("pins", i, weights[i]));
    }
    finish();
}

Pins::Pins(const Tets& corners,
           const Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>& barycentric,
           const Points& targets, std::span<const double> weights)
    : ProjectiveConstraints(1), targets_(targets) {
    detail::check_count("barycentric coordinates of pins", barycentric.rows(), corners.rows());
    detail::check_count("targets of pins", targets.rows(), corners.rows());
    detail::check_count("weights of pins", weights.size(), corners.rows());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        add({corners.data() + 4 * i, 4}, {barycentric.data() + 4 * i, 4},
            detail::checked_weight("pins", i, weights[i]));
    }
    finish();
}

void Pins::set_targets(const Points& targets) {
    detail::check_count("targets of pins", targets.rows(), size());
    targets_ = targets;
}

void Pins::project(std::size_t i, const Rows&, Rows& p) const {
    p.row(0) = targets_.row(static_cast<Eigen::Index>(i));
}

std::optional<std::size_t> Pins::parameter_count(TermParameter parameter) const {
    return parameter == TermParameter::Targets ? 3 * size() : 0;
}

void Pins::add_mixed_product(const Points& /*x*/, TermParameter parameter,
                             std::span<const double> dp, Points& out) const {
    if (parameter != TermParameter::Targets) {
        return;
    }
    for (std::size_t i = 0; i < size(); ++i) {
        const View c = constraint(i);
        const Eigen::Map<const Eigen::RowVector3d> change(dp.data() + 3 * i);
        for (std::size_t k = 0; k < c.vertices.size(); ++k) {
            out.row(c.vertices[k]) -= c.weight * c.coefficients[k] * change;
        }
    }
}

void Pins::add_mixed_adjoint(const Points& /*x*/, TermParameter parameter, const Points& w,
                             std::span<double> out) const {
    if (parameter != TermParameter::Targets) {
        return;
    }
    for (std::size_t i = 0; i < size(); ++i) {
        const View c = constraint(i);
        Eigen::Map<Eigen::RowVector3d> change(out.data() + 3 * i);
        for (std::size_t k = 0; k < c.vertices.size(); ++k) {
            change -= c.weight * c.coefficients[k] * w.row(c.vertices[k]);
        }
    }
}

// Targets do not follow: D stays zero.
void Pins::derivative(std::size_t, const Rows&, RowsDerivative&) const {}

}  // namespace sinew
