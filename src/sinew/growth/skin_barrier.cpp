#include "sinew/growth/skin_barrier.h"

#include "sinew/base/parallel.h"
#include "sinew/contact/distance.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/skin_room.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr std::size_t kBarrierPiece = 512;  // vertices per piece of parallel work
constexpr double kClear =
    0.004;  // m below the sheet, from which the nearest vertex's plane will do
constexpr int kMostStrides = 100;

}  // namespace

SkinBarrier::SkinBarrier(const TetSurface& skin)
    : rest_(skin.mesh.points),
      triangles_(skin.mesh.triangles),
      normals_(vertex_normals(skin.mesh)),
      room_(outward_room(skin.mesh)),
      around_(neighbours_of_vertices(triangles_, rest_.rows())),
      triangles_of_(triangles_of_vertices(triangles_, rest_.rows())),
      tet_vertex_(skin.tet_vertex) {
    // Only vertices that face other skin within reach are watched.
    std::vector<double> area(room_.size(), 0.0);
    const Eigen::VectorXd areas = triangle_areas(skin.mesh);
    for (Eigen::Index t = 0; t < areas.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            area[at(triangles_(t, k))] += areas[t] / 3.0;
        }
    }
    for (std::size_t i = 0; i < room_.size(); ++i) {
        if (std::isfinite(room_[i])) {
            vertices_.push_back(static_cast<Index>(i));
            area_.push_back(area[i]);
        }
    }
}

// Downhill to the rest vertex that is nearest to p, over edges: never to another side.
Index SkinBarrier::walk(Index from, const Vec3& p) const {
    double nearest = (point(rest_, from) - p).squaredNorm();
    for (int stride = 0; stride < kMostStrides; ++stride) {
        const Index here = from;
        for (const Index w : around_[at(here)]) {
            const double d = (point(rest_, w) - p).squaredNorm();
            if (d < nearest) {
                nearest = d;
                from = w;
            }
        }
        if (from == here) {
            break;
        }
    }
    return from;
}

// Above the nearest place on the triangles around, with the room that is between their corners.
SkinBarrier::Height SkinBarrier::height(Index nearest, const Vec3& p) const {
    const auto above = [&](const Vec3& foot, const Vec3& normal, double room) {
        return Height{.beyond = (p - foot).dot(normal) - room, .normal = normal};
    };
    // Far below the sheet the plane of the nearest vertex will do.
    Height result = above(point(rest_, nearest), point(normals_, nearest), room_[at(nearest)]);
    if (result.beyond < -kClear) {
        return result;
    }
    // Near it, the nearest triangle around decides, with normals and rooms between its corners.
    double least = std::numeric_limits<double>::infinity();
    for (const Index t : triangles_of_[at(nearest)]) {
        const PairDistance d =
            point_triangle_distance(p, point(rest_, triangles_(t, 0)),
                                    point(rest_, triangles_(t, 1)), point(rest_, triangles_(t, 2)));
        if (d.squared >= least) {
            continue;
        }
        least = d.squared;
        Vec3 normal = Vec3::Zero();
        double room = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double w = -d.coefficients[k + 1];
            normal += w * point(normals_, triangles_(t, k));
            room += w > 0.0 ? w * room_[at(triangles_(t, k))] : 0.0;
        }
        result = above(p - d.between, normal.normalized(), room);
    }
    return result;
}

void SkinBarrier::measure(const Points& x, std::vector<Height>& heights) const {
    heights.resize(vertices_.size());
    parallel_for(vertices_.size(), kBarrierPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Vec3 p = point(x, tet_vertex(k));
            heights[k] = height(walk(vertices_[k], p), p);
        }
    });
}

double SkinBarrier::clamp(Points& x) const {
    constexpr int kRounds = 3;  // planes change a little where the vertex lands
    double furthest = 0.0;
    std::vector<Height> heights;
    for (int round = 0; round < kRounds; ++round) {
        measure(x, heights);
        for (std::size_t k = 0; k < heights.size(); ++k) {
            if (heights[k].beyond > 0.0) {
                furthest = std::max(furthest, heights[k].beyond);
                x.row(tet_vertex(k)) -= heights[k].beyond * heights[k].normal.transpose();
            }
        }
    }
    return furthest;
}

}  // namespace sinew
