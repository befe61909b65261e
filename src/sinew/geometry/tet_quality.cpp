#include "sinew/geometry/tet_quality.h"

#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr std::size_t kQualityGrain = 2048;

/// The edge (i, j) and the two corners (k, l) that it does not touch.
constexpr int kEdges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                              {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};

}  // namespace

DihedralAngles tet_dihedral_angles(const Points& points, const Tets& tets) {
    DihedralAngles angles(tets.rows(), 6);
    parallel_for(static_cast<std::size_t>(tets.rows()), kQualityGrain,
                 [&](std::size_t begin, std::size_t end) {
                     for (auto t = static_cast<Eigen::Index>(begin);
                          t < static_cast<Eigen::Index>(end); ++t) {
                         for (int e = 0; e < 6; ++e) {
                             // Seen along the edge, the other two corners span the dihedral angle.
                             const Vec3 at = point(points, tets(t, kEdges[e][0]));
                             const Vec3 along = point(points, tets(t, kEdges[e][1])) - at;
                             const Vec3 u = along.cross(point(points, tets(t, kEdges[e][2])) - at);
                             const Vec3 v = along.cross(point(points, tets(t, kEdges[e][3])) - at);
                             angles(t, e) = std::atan2(u.cross(v).norm(), u.dot(v));
                         }
                     }
                 });
    return angles;
}

Eigen::VectorXd tet_radius_edge_ratios(const Points& points, const Tets& tets) {
    Eigen::VectorXd ratios(tets.rows());
    parallel_for(
        static_cast<std::size_t>(tets.rows()), kQualityGrain,
        [&](std::size_t begin, std::size_t end) {
            for (auto t = static_cast<Eigen::Index>(begin); t < static_cast<Eigen::Index>(end);
                 ++t) {
                const Vec3 a = point(points, tets(t, 0));
                const Vec3 u = point(points, tets(t, 1)) - a;
                const Vec3 v = point(points, tets(t, 2)) - a;
                const Vec3 w = point(points, tets(t, 3)) - a;
                // Centre of the sphere through 0, u, v, w:
                //   c = (|u|^2 v x w + |v|^2 w x u + |w|^2 u x v) / (2 det(u, v, w))
                const Vec3 numerator = u.squaredNorm() * v.cross(w) + v.squaredNorm() * w.cross(u) +
                                       w.squaredNorm() * u.cross(v);
                const double det = u.dot(v.cross(w));
                const double shortest = std::sqrt(std::min(
                    {u.squaredNorm(), v.squaredNorm(), w.squaredNorm(), (u - v).squaredNorm(),
                     (v - w).squaredNorm(), (w - u).squaredNorm()}));
                const double ratio = numerator.norm() / (2.0 * std::abs(det) * shortest);
                ratios[t] = std::isfinite(ratio) ? ratio : std::numeric_limits<double>::infinity();
            }
        });
    return ratios;
}

TetQuality tet_quality(const Points& points, const Tets& tets) {
    TetQuality q;
    q.tets = tets.rows();
    if (q.tets == 0) {
        return q;
    }
    const Eigen::VectorXd volumes = tet_volumes(points, tets);
    const DihedralAngles angles = tet_dihedral_angles(points, tets);
    const Eigen::VectorXd ratios = tet_radius_edge_ratios(points, tets);

    q.smallest_volume = volumes.minCoeff();
    q.largest_dihedral = angles.maxCoeff();
    q.largest_radius_edge = ratios.maxCoeff();
    q.smallest_dihedral = kPi;
    double finite_sum = 0.0;
    Eigen::Index finite_count = 0;
    for (Eigen::Index t = 0; t < q.tets; ++t) {
        q.inverted += volumes[t] > 0.0 ? 0 : 1;
        const double smallest = angles.row(t).minCoeff();
        q.mean_smallest_dihedral += smallest;
        if (q.worst_tet < 0 || smallest < q.smallest_dihedral) {
            q.smallest_dihedral = smallest;
            q.worst_tet = static_cast<Index>(t);
        }
        if (std::isfinite(ratios[t])) {
            finite_sum += ratios[t];
            ++finite_count;
        }
    }
    q.mean_smallest_dihedral /= static_cast<double>(q.tets);
    q.mean_radius_edge = finite_count > 0 ? finite_sum / static_cast<double>(finite_count) : 0.0;
    return q;
}

}  // namespace sinew
