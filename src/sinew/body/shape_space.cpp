#include "sinew/body/shape_space.h"

#include "sinew/base/error.h"
#include "sinew/geometry/surface_tree.h"

#include <fmt/format.h>

namespace sinew {

void require_valid(const ShapeSpace& space, std::string_view where) {
    const auto refuse = [&](std::string found, std::string needs) {
        throw InputError({.where = std::string(where),
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "use the file as it came, or make it again"});
    };
    const Eigen::Index V = space.reference.points.rows();
    const auto J = static_cast<Eigen::Index>(space.joint_names.size());
    const auto check = [&](const Points& points, Eigen::Index rows, const std::string& what) {
        if (points.rows() != rows || !points.allFinite()) {
            refuse(fmt::format("{} with {} rows", what, points.rows()),
                   fmt::format("{} rows of finite numbers", rows));
        }
    };
    if (V < 4 || space.reference.triangles.rows() < 4) {
        refuse(fmt::format("a reference of {} points", V), "a skin");
    }
    if (space.reference.triangles.minCoeff() < 0 || space.reference.triangles.maxCoeff() >= V) {
        refuse("a triangle with a vertex that does not exist",
               fmt::format("numbers from 0 to {}", V - 1));
    }
    check(space.reference.points, V, "a reference");
    check(space.mean_skin, V, "a mean skin");
    check(space.mean_joints, J, "mean joints");
    for (std::size_t k = 0; k < space.components.size(); ++k) {
        check(space.components[k].skin, V, fmt::format("component {}", k + 1));
        check(space.components[k].joints, J, fmt::format("joints of component {}", k + 1));
    }
    for (const Landmark& landmark : space.landmarks) {
        if (!landmark.position.allFinite() || landmark.skin_vertex < -1 ||
            landmark.skin_vertex >= V) {
            refuse(fmt::format("landmark '{}' out of range", landmark.name),
                   "a position and a vertex of the reference");
        }
    }
}

Points carried_to(const ShapeSpace& space, const Points& displacement, const Points& skin) {
    const SurfaceTree tree(space.reference);
    const std::vector<ClosestPoint> near = tree.closest_points(skin);
    Points result(skin.rows(), 3);
    for (std::size_t i = 0; i < near.size(); ++i) {
        Vec3 u = Vec3::Zero();
        for (int k = 0; k < 3; ++k) {
            u += near[i].barycentric[k] *
                 point(displacement, space.reference.triangles(near[i].triangle, k));
        }
        result.row(static_cast<Eigen::Index>(i)) = u.transpose();
    }
    return result;
}

}  // namespace sinew
