#include "sinew/fit/layer_order.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/linalg/svd3.h"
#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <cmath>
#include <vector>

// Keeping layers in their order while the skin changes: what lies under a vertex turns and grows as
// the skin around it does, and what comes out is put back.

namespace sinew {

namespace {

constexpr double kOutside = 2e-4;   // m, beyond which a vertex is put back
constexpr double kLeastSize = 0.4;  // of the offset
constexpr double kMostSize = 1.6;
constexpr int kHalvings = 6;
constexpr std::size_t kPieceThatAnswers = 1024;  // points that may answer for each other

}  // namespace

Points carried_under(const Points& outer, const Points& inner, const Points& now,
                     const Triangles& triangles) {
    const Lists around = neighbours_of_vertices(triangles, outer.rows());
    Points result(now.rows(), 3);
    for (Eigen::Index i = 0; i < now.rows(); ++i) {
        Mat3 S = Mat3::Zero();
        double before = 0.0;
        double after = 0.0;
        for (const Index w : around[at(i)]) {
            const Vec3 then = point(outer, w) - point(outer, i);
            const Vec3 here = point(now, w) - point(now, i);
            S += here * then.transpose();
            before += then.squaredNorm();
            after += here.squaredNorm();
        }
        const double size =
            before > 0.0 ? std::clamp(std::sqrt(after / before), kLeastSize, kMostSize) : 1.0;
        const Vec3 offset = point(inner, i) - point(outer, i);
        result.row(i) = (point(now, i) + size * (nearest_rotation(S) * offset)).transpose();
    }
    return result;
}

Eigen::Index put_inside(const Points& outer, const Triangles& triangles, double under,
                        std::span<const char> is_held, Points& inner) {
    const SignedDistance distance({.points = outer, .triangles = triangles});
    const Eigen::VectorXd all = distances_above(distance, inner, std::min(0.0, kOutside));
    const Points normals = vertex_normals(outer, triangles);
    Eigen::Index moved = 0;
    for (Eigen::Index i = 0; i < inner.rows(); ++i) {
        if (!(all[i] > kOutside) || (!is_held.empty() && is_held[at(i)] != 0)) {
            continue;
        }
        ++moved;
        const Vec3 own = point(outer, i);
        const Vec3 offset = point(inner, i) - own;
        Vec3 found = own - under * point(normals, i);
        double part = 1.0;
        for (int step = 0; step < kHalvings; ++step) {
            part *= 0.5;
            const Vec3 tried = own + part * offset;
            if (distance.at(tried) < -under) {
                found = tried;
                break;
            }
        }
        inner.row(i) = found.transpose();
    }
    return moved;
}

// The distance changes by no more than one goes, so around a point of distance d < level all within
// level - d are at level or below.
Eigen::VectorXd distances_above(const SignedDistance& surface, const Points& points, double level) {
    Eigen::VectorXd result(points.rows());
    parallel_for(at(points.rows()), kPieceThatAnswers, [&](std::size_t begin, std::size_t end) {
        std::vector<char> is_known(end - begin, 0);
        for (std::size_t i = begin; i < end; ++i) {
            if (is_known[i - begin] != 0) {
                continue;
            }
            const Vec3 p = point(points, static_cast<Eigen::Index>(i));
            const double here = surface.at(p);
            result[static_cast<Eigen::Index>(i)] = here;
            const double reach = level - here;
            for (std::size_t j = i + 1; j < end && reach > 0.0; ++j) {
                const auto other = static_cast<Eigen::Index>(j);
                const double away = (point(points, other) - p).norm();
                if (is_known[j - begin] == 0 && away < reach) {
                    is_known[j - begin] = 1;
                    result[other] = here + away;
                }
            }
        }
    });
    return result;
}

}  // namespace sinew
