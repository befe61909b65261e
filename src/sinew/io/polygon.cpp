#include "sinew/io/polygon.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sinew {

namespace {

double cross(const Vec2& a, const Vec2& b, const Vec2& c) {
    const Vec2 u = b - a;
    const Vec2 v = c - a;
    return u.x() * v.y() - u.y() * v.x();
}

// Twice the area vector of the polygon: sum of p_i x p_(i+1), about its first corner (Newell).
Vec3 newell_normal(const Points& points, std::span<const Index> corners) {
    const Vec3 origin = point(points, corners[0]);
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
        const Vec3 a = point(points, corners[i]) - origin;
        const Vec3 b = point(points, corners[i + 1]) - origin;
        sum += a.cross(b);
    }
    return sum;
}

// The corners in the plane across `normal`, counter-clockwise.
std::vector<Vec2> flattened(const Points& points, std::span<const Index> corners,
                            const Vec3& normal) {
    Eigen::Index drop = 0;
    normal.cwiseAbs().maxCoeff(&drop);
    const Eigen::Index u = (drop + 1) % 3;
    const Eigen::Index v = (drop + 2) % 3;
    const double sign = normal[drop] < 0 ? -1.0 : 1.0;
    const Vec3 origin = point(points, corners[0]);
    std::vector<Vec2> flat;
    flat.reserve(corners.size());
    for (const Index corner : corners) {
        const Vec3 p = point(points, corner) - origin;
        flat.emplace_back(p[u], sign * p[v]);
    }
    return flat;
}

// A fan around corner 0 is right when none of its triangles is turned over.
bool fan_fits(const std::vector<Vec2>& flat) {
    for (std::size_t i = 1; i + 1 < flat.size(); ++i) {
        if (!(cross(flat[0], flat[i], flat[i + 1]) > 0)) {
            return false;
        }
    }
    return true;
}

void add_triangle(std::vector<Index>& triangles, Index a, Index b, Index c) {
    triangles.insert(triangles.end(), {a, b, c});
}

void add_fan(std::span<const Index> corners, std::vector<Index>& triangles) {
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
        add_triangle(triangles, corners[0], corners[i], corners[i + 1]);
    }
}

class EarClipper {
public:
    EarClipper(std::span<const Index> corners, std::vector<Vec2> flat)
        : corners_(corners), flat_(std::move(flat)), next_(corners.size()), last_(corners.size()) {
        const std::size_t n = corners.size();
        for (std::size_t i = 0; i < n; ++i) {
            next_[i] = (i + 1) % n;
            last_[i] = (i + n - 1) % n;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (!is_convex(i)) {
                reflex_.push_back(i);
            }
        }
    }

    void clip(std::vector<Index>& triangles) {
        std::size_t left = corners_.size();
        std::size_t at = 0;
        std::size_t without_ear = 0;
        while (left > 3 && without_ear < left && work_ < most_work()) {
            if (is_ear(at)) {
                add_triangle(triangles, corners_[last_[at]], corners_[at], corners_[next_[at]]);
                next_[last_[at]] = next_[at];
                last_[next_[at]] = last_[at];
                --left;
                without_ear = 0;
                at = next_[next_[at]];  // going around keeps the triangles from getting thin
            } else {
                ++without_ear;
                at = next_[at];
            }
        }
        std::vector<Index> rest;
        for (std::size_t i = 0; i < left; ++i, at = next_[at]) {
            rest.push_back(corners_[at]);
        }
        add_fan(rest, triangles);
    }

private:
    bool is_convex(std::size_t i) const {
        return cross(flat_[last_[i]], flat_[i], flat_[next_[i]]) > 0;
    }

    // Corners turn from reflex to convex as ears go, never back: the first list serves to the end.
    bool is_ear(std::size_t i) {
        ++work_;
        if (!is_convex(i)) {
            return false;
        }
        const Vec2& a = flat_[last_[i]];
        const Vec2& b = flat_[i];
        const Vec2& c = flat_[next_[i]];
        work_ += reflex_.size();
        for (const std::size_t k : reflex_) {
            const Vec2& p = flat_[k];
            if (p == a || p == b || p == c) {
                continue;
            }
            if (cross(a, b, p) >= 0 && cross(b, c, p) >= 0 && cross(c, a, p) >= 0) {
                return false;
            }
        }
        return true;
    }

    // Ear clipping is quadratic, at worst cubic: far beyond what real faces need it gives up.
    std::size_t most_work() const {
        const std::size_t n = corners_.size();
        return 8 * n * std::min<std::size_t>(n, 1000);
    }

    std::span<const Index> corners_;
    std::vector<Vec2> flat_;
    std::vector<std::size_t> next_;
    std::vector<std::size_t> last_;
    std::vector<std::size_t> reflex_;
    std::size_t work_ = 0;
};

}  // namespace

void PolygonList::add(std::span<const Index> polygon) {
    corners.insert(corners.end(), polygon.begin(), polygon.end());
    start.push_back(corners.size());
}

Triangles triangulated(const Points& points, const PolygonList& polygons,
                       std::vector<Index>* source) {
    std::vector<Index> flat;
    flat.reserve(polygons.corners.size());
    if (source != nullptr) {
        source->reserve(polygons.size());
    }
    for (std::size_t i = 0; i < polygons.size(); ++i) {
        add_triangulated(points, polygons[i], flat);
        if (source != nullptr) {
            source->resize(flat.size() / 3, static_cast<Index>(i));
        }
    }
    const auto rows = static_cast<Eigen::Index>(flat.size() / 3);
    return Eigen::Map<const Triangles>(flat.data(), rows, 3);
}

void add_triangulated(const Points& points, std::span<const Index> corners,
                      std::vector<Index>& triangles) {
    if (corners.size() == 3) {
        add_triangle(triangles, corners[0], corners[1], corners[2]);
        return;
    }
    const Vec3 normal = newell_normal(points, corners);
    std::vector<Vec2> flat = flattened(points, corners, normal);
    if (!(normal.squaredNorm() > 0) || fan_fits(flat)) {
        add_fan(corners, triangles);
        return;
    }
    EarClipper(corners, std::move(flat)).clip(triangles);
}

}  // namespace sinew
