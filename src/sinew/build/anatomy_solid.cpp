#include "sinew/build/anatomy_solid.h"

#include "sinew/base/parallel.h"

namespace sinew {

namespace {

TriangleMesh joined(const Template& anatomy) {
    Eigen::Index points = 0;
    Eigen::Index triangles = 0;
    const auto for_each = [&](auto&& visit) {
        for (const Bone& bone : anatomy.bones) {
            visit(bone.mesh);
        }
        for (const Muscle& muscle : anatomy.muscles) {
            visit(muscle.mesh);
        }
    };
    for_each([&](const TriangleMesh& mesh) {
        points += mesh.points.rows();
        triangles += mesh.triangles.rows();
    });
    TriangleMesh all{.points = Points(points, 3), .triangles = Triangles(triangles, 3)};
    points = 0;
    triangles = 0;
    for_each([&](const TriangleMesh& mesh) {
        all.points.middleRows(points, mesh.points.rows()) = mesh.points;
        all.triangles.middleRows(triangles, mesh.triangles.rows()) =
            mesh.triangles.array() + static_cast<Index>(points);
        points += mesh.points.rows();
        triangles += mesh.triangles.rows();
    });
    return all;
}

}  // namespace

AnatomySolid::AnatomySolid(const Template& anatomy) : AnatomySolid(joined(anatomy)) {}

AnatomySolid::AnatomySolid(const TriangleMesh& parts) : mesh_(parts), tree_(parts) {}

double AnatomySolid::distance(const Vec3& p, double max_distance) const {
    return tree_.closest_point(p, max_distance).distance;
}

bool AnatomySolid::is_inside(const Vec3& p) const {
    // From back to front a body is thinnest. A little askew, so that no ray runs along the edges of
    // surfaces that were made on a grid.
    const Ray ray{.origin = p, .direction = Vec3(0.0137, 0.0091, 1.0)};
    int left = 0;
    for (const RayHit& hit : tree_.all_hits(ray)) {
        const Vec3 a = point(mesh_.points, mesh_.triangles(hit.triangle, 0));
        const Vec3 b = point(mesh_.points, mesh_.triangles(hit.triangle, 1));
        const Vec3 c = point(mesh_.points, mesh_.triangles(hit.triangle, 2));
        left += (b - a).cross(c - a).dot(ray.direction) > 0.0 ? 1 : -1;
    }
    return left > 0;
}

double AnatomySolid::signed_distance(const Vec3& p) const {
    const double d = distance(p);
    return is_inside(p) ? -d : d;
}

Eigen::VectorXd AnatomySolid::signed_distances(const Points& points) const {
    Eigen::VectorXd result(points.rows());
    parallel_for(static_cast<std::size_t>(points.rows()), 256,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) {
                         const auto row = static_cast<Eigen::Index>(i);
                         result[row] = signed_distance(point(points, row));
                     }
                 });
    return result;
}

}  // namespace sinew
