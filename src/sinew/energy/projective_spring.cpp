#include "sinew/energy/projective_spring.h"

#include "sinew/energy/projective_checks.h"

namespace sinew {

ProjectiveSpring::ProjectiveSpring(const Edges& edges, std::span<const double> lengths,
                                   std::span<const double> weights)
    : ProjectiveConstraints(1) {
    detail::check_count("weights of springs", weights.size(), edges.rows());
    detail::check_count("lengths of springs", lengths.size(), edges.rows());
    const double difference[2] = {-1.0, 1.0};
    for (std::size_t i = 0; i < weights.size(); ++i) {
        add({edges.data() + 2 * i, 2}, difference,
            detail::checked_weight("springs", i, weights[i]));
    }
    finish();
    set_lengths(lengths);
}

void ProjectiveSpring::set_lengths(std::span<const double> lengths) {
    detail::check_count("lengths of springs", lengths.size(), size());
    lengths_.assign(lengths.begin(), lengths.end());
}

void ProjectiveSpring::project(std::size_t i, const Rows& q, Rows& p) const {
    const double length = q.row(0).norm();
    // A spring without length may point anywhere; it takes the first axis.
    p.row(0) = length > 0.0 ? Eigen::RowVector3d(q.row(0) * (lengths_[i] / length))
                            : Eigen::RowVector3d(lengths_[i], 0.0, 0.0);
}

// p = L q / |q|, so dp/dq = L / |q| (I - q q^T / |q|^2).
void ProjectiveSpring::derivative(std::size_t i, const Rows& q, RowsDerivative& D) const {
    const double length = q.row(0).norm();
    if (length > 0.0) {
        const Eigen::RowVector3d n = q.row(0) / length;
        D.topLeftCorner<3, 3>() = lengths_[i] / length * (Mat3::Identity() - n.transpose() * n);
    }
}

}  // namespace sinew
