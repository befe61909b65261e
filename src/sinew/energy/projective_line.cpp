#include "sinew/energy/projective_line.h"

#include "sinew/energy/projective_checks.h"

namespace sinew {
namespace {

Points unit_rows(const char* what, const Points& rows) {
    Points unit = rows;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        const double length = rows.row(i).norm();
        if (!(length > 0.0) || !std::isfinite(length)) {
            throw InputError({.where = fmt::format("{} {}", what, i),
                              .found = fmt::format("length {}", length),
                              .needs = "a finite length > 0",
                              .remedy = "give the direction of the line"});
        }
        unit.row(i) /= length;
    }
    return unit;
}

}  // namespace

ProjectiveLine::ProjectiveLine(std::span<const Index> vertices, const Points& origins,
                               const Points& directions, std::span<const double> weights)
    : ProjectiveConstraints(1),
      origins_(origins),
      directions_(unit_rows("direction of line", directions)) {
    detail::check_count("origins of lines", origins.rows(), vertices.size());
    detail::check_count("directions of lines", directions.rows(), vertices.size());
    detail::check_count("weights of lines", weights.size(), vertices.size());
    const double one[1] = {1.0};
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        add(vertices.subspan(i, 1), one, detail::checked_weight("lines", i, weights[i]));
    }
    finish();
}

void ProjectiveLine::project(std::size_t i, const Rows& q, Rows& p) const {
    const auto row = static_cast<Eigen::Index>(i);
    const Eigen::RowVector3d d = q.row(0) - origins_.row(row);
    p.row(0) = origins_.row(row) + d.dot(directions_.row(row)) * directions_.row(row);
}

void ProjectiveLine::derivative(std::size_t i, const Rows&, RowsDerivative& D) const {
    const auto d = directions_.row(static_cast<Eigen::Index>(i));
    D.topLeftCorner<3, 3>() = d.transpose() * d;
}

}  // namespace sinew
