#include "sinew/energy/projective_line_plane.h"

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
                              .remedy = "give the direction of the plane or line"});
        }
        unit.row(i) /= length;
    }
    return unit;
}

}  // namespace

ProjectivePlane::ProjectivePlane(std::span<const Index> vertices, const Points& origins,
                                 const Points& normals, std::span<const double> weights,
                                 bool one_sided)
    : ProjectiveConstraints(1),
      origins_(origins),
      normals_(unit_rows("normal of plane", normals)),
      one_sided_(one_sided) {
    detail::check_count("origins of planes", origins.rows(), vertices.size());
    detail::check_count("normals of planes", normals.rows(), vertices.size());
    detail::check_count("weights of planes", weights.size(), vertices.size());
    const double one[1] = {1.0};
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        add(vertices.subspan(i, 1), one, detail::checked_weight("planes", i, weights[i]));
    }
}

void ProjectivePlane::project(std::size_t i, const Rows& q, Rows& p) const {
    const auto row = static_cast<Eigen::Index>(i);
    const double height = (q.row(0) - origins_.row(row)).dot(normals_.row(row));
    if (!one_sided_ || height < 0.0) {
        p.row(0) = q.row(0) - height * normals_.row(row);
    }
}

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
}

void ProjectiveLine::project(std::size_t i, const Rows& q, Rows& p) const {
    const auto row = static_cast<Eigen::Index>(i);
    const Eigen::RowVector3d d = q.row(0) - origins_.row(row);
    p.row(0) = origins_.row(row) + d.dot(directions_.row(row)) * directions_.row(row);
}

}  // namespace sinew
