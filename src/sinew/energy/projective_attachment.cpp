#include "sinew/energy/projective_attachment.h"

#include "sinew/energy/projective_checks.h"

namespace sinew {

ProjectiveAttachment::ProjectiveAttachment(
    const Tets& corners,
    const Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>& barycentric,
    const Points& targets, std::span<const double> weights)
    : ProjectiveConstraints(1), targets_(targets) {
    detail::check_count("barycentric coordinates of attachments", barycentric.rows(),
                        corners.rows());
    detail::check_count("targets of attachments", targets.rows(), corners.rows());
    detail::check_count("weights of attachments", weights.size(), corners.rows());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        add({corners.data() + 4 * i, 4}, {barycentric.data() + 4 * i, 4},
            detail::checked_weight("attachments", i, weights[i]));
    }
}

void ProjectiveAttachment::set_targets(const Points& targets) {
    detail::check_count("targets of attachments", targets.rows(), size());
    targets_ = targets;
}

void ProjectiveAttachment::project(std::size_t i, const Rows&, Rows& p) const {
    p.row(0) = targets_.row(static_cast<Eigen::Index>(i));
}

}  // namespace sinew
