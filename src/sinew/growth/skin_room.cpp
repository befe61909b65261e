#include "sinew/growth/skin_room.h"

#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

// How far each skin vertex may move outward before it could meet skin that faces it: the least
// distance along its normal, over rays in two cones (25 and 50 degrees), times 0.45. Rays in cones
// see what stands obliquely, such as the arm beside the chest. The value is a bound for both sides
// at once, so no pairs need to be kept.

namespace sinew {

namespace {

constexpr double kShare = 0.45;              // of the air: both sides together leave a tenth
constexpr double kFarthest = 0.3;            // m; nothing grows so far
constexpr double kLeave = 1e-5;              // m, beyond the triangles of the vertex itself
constexpr int kRaysAround = 6;               // in each cone
constexpr std::array kCones = {25.0, 50.0};  // degrees from the normal

}  // namespace

// Rays from every vertex, along its normal and in two cones around it: the nearest skin that faces
// it bounds how far it may move outward.
std::vector<double> outward_room(const TriangleMesh& skin) {
    const Points normals = vertex_normals(skin);
    const SurfaceTree tree(skin);
    std::vector<double> room(at(skin.points.rows()));
    parallel_for(room.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const Vec3 n = normals.row(row).transpose();
            double nearest = std::numeric_limits<double>::infinity();
            const auto look = [&](const Vec3& direction) {
                const RayHit hit = tree.first_hit({.origin = skin.points.row(row).transpose(),
                                                   .direction = direction,
                                                   .t_min = kLeave,
                                                   .t_max = kFarthest});
                // Slanted rays count with their way along the normal.
                if (hit.triangle >= 0) {
                    nearest = std::min(nearest, hit.t * direction.dot(n));
                }
            };
            if (n.squaredNorm() > 0.5) {
                const Vec3 side = n.unitOrthogonal();
                look(n);
                for (const double cone : kCones) {
                    const double tilt = cone * kPi / 180.0;
                    for (int k = 0; k < kRaysAround; ++k) {
                        const double turn = 2.0 * kPi * k / kRaysAround;
                        const Vec3 across = std::cos(turn) * side + std::sin(turn) * n.cross(side);
                        look(std::cos(tilt) * n + std::sin(tilt) * across);
                    }
                }
            }
            room[i] = kShare * nearest;
        }
    });
    return room;
}

}  // namespace sinew
