#include "sinew/geometry/surface_tree.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/box_tree.h"
#include "sinew/geometry/simplex.h"
#include "sinew/mesh/validity.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace sinew {

namespace {

constexpr std::size_t kTreeGrain = 256;  // queries per piece of work
// Relative slack of the search radius: triangles that share the nearest vertex must all be seen,
// whatever their own rounding.
constexpr double kTreeSlack = 1.0 + 1e-12;

using Corners = std::array<Vec3, 3>;

/// A ray seen along its direction: the axis in which it is longest becomes z, and a shear brings
/// the other two components of the direction to zero [Woop2013, shear].
struct ShearedRay {
    int kx, ky, kz;
    double sx, sy, sz;

    explicit ShearedRay(const Vec3& d) {
        d.cwiseAbs().maxCoeff(&kz);
        kx = (kz + 1) % 3;
        ky = (kz + 2) % 3;
        if (d[kz] < 0.0) {
            std::swap(kx, ky);  // keeps the sense of rotation
        }
        sx = d[kx] / d[kz];
        sy = d[ky] / d[kz];
        sz = 1.0 / d[kz];
    }
};

/// a b - c d with an error below two units in the last place, so its sign is right (W. Kahan). The
/// compiler may not fuse or reorder this: every operation is spelled out.
double difference_of_products(double a, double b, double c, double d) {
    const double cd = c * d;
    return std::fma(a, b, -cd) + std::fma(-c, d, cd);
}

/// Edge tests in the sheared frame: both triangles at an edge see the same sign of the same
/// product, so no ray passes between them [Woop2013, edge tests].
/// Departs: the paper recomputes zeros in double precision; here signs are right from the start.
std::optional<RayHit> hit(const Ray& ray, const ShearedRay& s, const Corners& corners) {
    const Vec3 A = corners[0] - ray.origin;
    const Vec3 B = corners[1] - ray.origin;
    const Vec3 C = corners[2] - ray.origin;
    const double ax = std::fma(-s.sx, A[s.kz], A[s.kx]), ay = std::fma(-s.sy, A[s.kz], A[s.ky]);
    const double bx = std::fma(-s.sx, B[s.kz], B[s.kx]), by = std::fma(-s.sy, B[s.kz], B[s.ky]);
    const double cx = std::fma(-s.sx, C[s.kz], C[s.kx]), cy = std::fma(-s.sy, C[s.kz], C[s.ky]);
    const double u = difference_of_products(cx, by, cy, bx);
    const double v = difference_of_products(ax, cy, ay, cx);
    const double w = difference_of_products(bx, ay, by, ax);
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) {
        return std::nullopt;
    }
    const double det = u + v + w;
    if (det == 0.0) {
        return std::nullopt;  // no area as seen by the ray
    }
    const Vec3 barycentric = Vec3(u, v, w) / det;
    const double t =
        s.sz * (barycentric[0] * A[s.kz] + barycentric[1] * B[s.kz] + barycentric[2] * C[s.kz]);
    if (!(t >= ray.t_min && t <= ray.t_max)) {
        return std::nullopt;
    }
    RayHit result;
    result.t = t;
    result.barycentric = barycentric;
    result.point =
        barycentric[0] * corners[0] + barycentric[1] * corners[1] + barycentric[2] * corners[2];
    return result;
}

void require_finite(const Vec3& p) {
    if (!p.allFinite()) {
        throw InputError({.where = "closest point query",
                          .found = fmt::format("position ({}, {}, {})", p.x(), p.y(), p.z()),
                          .needs = "finite coordinates",
                          .remedy = "remove points that are not finite before asking"});
    }
}

void require_usable(const Ray& ray) {
    if (!ray.origin.allFinite() || !ray.direction.allFinite() || ray.direction.isZero(0.0) ||
        std::isnan(ray.t_min) || std::isnan(ray.t_max)) {
        throw InputError(
            {.where = "ray query",
             .found = fmt::format("ray from ({}, {}, {}) along ({}, {}, {}), t in [{}, {}]",
                                  ray.origin.x(), ray.origin.y(), ray.origin.z(), ray.direction.x(),
                                  ray.direction.y(), ray.direction.z(), ray.t_min, ray.t_max),
             .needs = "finite numbers and a direction other than zero",
             .remedy = "leave this ray out"});
    }
}

}  // namespace

struct SurfaceTree::Tree {
    std::vector<Corners> corners;
    BoxTree boxes;
};

SurfaceTree::SurfaceTree(const TriangleMesh& mesh) : SurfaceTree(mesh.points, mesh.triangles) {}

SurfaceTree::SurfaceTree(const Points& points, const Triangles& triangles)
    : tree_(std::make_unique<Tree>()) {
    require_valid(TriangleMesh{.points = points, .triangles = triangles}, "surface");
    std::vector<Bounds> boxes(static_cast<std::size_t>(triangles.rows()));
    tree_->corners.resize(boxes.size());
    for (std::size_t t = 0; t < boxes.size(); ++t) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 p = point(
                points, triangles(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(k)));
            tree_->corners[t][k] = p;
            boxes[t].add(p);
        }
    }
    tree_->boxes = BoxTree(boxes);
}

SurfaceTree::~SurfaceTree() = default;
SurfaceTree::SurfaceTree(SurfaceTree&&) noexcept = default;
SurfaceTree& SurfaceTree::operator=(SurfaceTree&&) noexcept = default;

Eigen::Index SurfaceTree::triangle_count() const {
    return static_cast<Eigen::Index>(tree_->corners.size());
}

ClosestPoint SurfaceTree::closest_point(const Vec3& p, double max_distance) const {
    require_finite(p);
    ClosestPoint best;
    double best2 = max_distance * max_distance;
    double radius = max_distance;
    tree_->boxes.near(p, max_distance, [&](std::size_t i) {
        const Corners& c = tree_->corners[i];
        const OnTriangle on = closest_on_triangle(p, c[0], c[1], c[2]);
        const auto triangle = static_cast<Index>(i);
        const bool is_nearer =
            on.squared_distance < best2 ||
            (on.squared_distance == best2 && (best.triangle < 0 || triangle < best.triangle));
        if (is_nearer) {
            best2 = on.squared_distance;
            best.point = on.point;
            best.triangle = triangle;
            best.barycentric = on.barycentric;
            radius = std::sqrt(best2) * kTreeSlack;
        }
        return radius;
    });
    if (best.triangle >= 0) {
        best.distance = std::sqrt(best2);
    }
    return best;
}

std::vector<ClosestPoint> SurfaceTree::closest_points(const Points& points,
                                                      double max_distance) const {
    std::vector<ClosestPoint> result(static_cast<std::size_t>(points.rows()));
    parallel_for(result.size(), kTreeGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            result[i] = closest_point(point(points, static_cast<Eigen::Index>(i)), max_distance);
        }
    });
    return result;
}

RayHit SurfaceTree::first_hit(const Ray& ray) const {
    require_usable(ray);
    const ShearedRay sheared(ray.direction);
    RayHit best;
    double t_max = ray.t_max;
    tree_->boxes.along(ray.origin, ray.direction, ray.t_min, ray.t_max, [&](std::size_t i) {
        const auto triangle = static_cast<Index>(i);
        const std::optional<RayHit> found = hit(ray, sheared, tree_->corners[i]);
        if (found && (found->t < best.t || (found->t == best.t && triangle < best.triangle))) {
            best = *found;
            best.triangle = triangle;
            t_max = found->t;
        }
        return t_max;
    });
    return best;
}

std::vector<RayHit> SurfaceTree::first_hits(const std::vector<Ray>& rays) const {
    std::vector<RayHit> result(rays.size());
    parallel_for(rays.size(), kTreeGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            result[i] = first_hit(rays[i]);
        }
    });
    return result;
}

std::vector<RayHit> SurfaceTree::all_hits(const Ray& ray) const {
    require_usable(ray);
    const ShearedRay sheared(ray.direction);
    std::vector<RayHit> hits;
    tree_->boxes.along(ray.origin, ray.direction, ray.t_min, ray.t_max, [&](std::size_t i) {
        if (std::optional<RayHit> found = hit(ray, sheared, tree_->corners[i])) {
            found->triangle = static_cast<Index>(i);
            hits.push_back(*found);
        }
        return ray.t_max;
    });
    std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
        return a.t < b.t || (a.t == b.t && a.triangle < b.triangle);
    });
    return hits;
}

std::size_t SurfaceTree::count_hits(const Ray& ray) const {
    require_usable(ray);
    const ShearedRay sheared(ray.direction);
    std::size_t count = 0;
    tree_->boxes.along(ray.origin, ray.direction, ray.t_min, ray.t_max, [&](std::size_t i) {
        count += hit(ray, sheared, tree_->corners[i]) ? 1 : 0;
        return ray.t_max;
    });
    return count;
}

}  // namespace sinew
