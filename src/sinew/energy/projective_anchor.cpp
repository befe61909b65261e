#include "sinew/energy/projective_anchor.h"

#include "sinew/energy/projective_checks.h"

namespace sinew {

ProjectiveAnchor::ProjectiveAnchor(std::span<const Index> vertices, const Points& targets,
                                   std::span<const double> weights)
    : ProjectiveConstraints(1), targets_(targets) {
    detail::check_count("targets of anchors", targets.rows(), vertices.size());
    detail::check_count("weights of anchors", weights.size(), vertices.size());
    const double one[1] = {1.0};
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        add(vertices.subspan(i, 1), one, detail::checked_weight("anchors", i, weights[i]));
    }
}

void ProjectiveAnchor::set_targets(const Points& targets) {
    detail::check_count("targets of anchors", targets.rows(), size());
    targets_ = targets;
}

void ProjectiveAnchor::project(std::size_t i, const Rows&, Rows& p) const {
    p.row(0) = targets_.row(static_cast<Eigen::Index>(i));
}

}  // namespace sinew
