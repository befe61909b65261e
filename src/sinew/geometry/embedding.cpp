#include "sinew/geometry/embedding.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/simplex.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/validity.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr std::size_t kEmbeddingGrain = 512;
constexpr double kFlatFrame = 1e-12;  // doubled area over longest edge squared: no usable frame

Vec4 coordinates(const TetLocator& locator, Index t, const Vec3& p) {
    const Points& x = locator.points();
    const Tets& tets = locator.tets();
    return tet_barycentric(p, point(x, tets(t, 0)), point(x, tets(t, 1)), point(x, tets(t, 2)),
                           point(x, tets(t, 3)));
}

double largest(const Vec4& weights) {
    return weights.allFinite() ? weights.cwiseAbs().maxCoeff()
                               : std::numeric_limits<double>::infinity();
}

struct Choice {
    Index tet;
    Vec4 weights;
};

/// The nearest tetrahedron with its true coordinates of p; if those are wild, the tamest among the
/// tetrahedra in a neighbourhood a few times as wide.
Choice choose(const TetLocator& locator, const TetLocation& location, const Vec3& p,
              double max_weight) {
    if (location.distance == 0.0) {
        return {location.tet, location.barycentric};
    }
    Choice best{location.tet, coordinates(locator, location.tet, p)};
    for (const double reach : {1.5, 3.0}) {
        if (largest(best.weights) <= max_weight) {
            break;
        }
        for (const Index t : locator.within(p, reach * location.distance)) {
            const Vec4 weights = coordinates(locator, t, p);
            if (largest(weights) < largest(best.weights)) {
                best = {t, weights};
            }
        }
    }
    return best;
}

[[noreturn]] void refuse_outside(std::size_t i, const Vec3& p, const TetLocation& location,
                                 double max_outside, bool is_mesh_empty) {
    const std::string found =
        is_mesh_empty ? std::string("a mesh without tetrahedra")
        : location.tet < 0
            ? fmt::format("({}, {}, {}) is more than {} m outside the tetrahedra", p.x(), p.y(),
                          p.z(), max_outside)
            : fmt::format("({}, {}, {}) is {} m outside, and the tetrahedra there have no volume",
                          p.x(), p.y(), p.z(), location.distance);
    throw InputError({.where = fmt::format("embedding, point {}", i),
                      .found = found,
                      .needs = fmt::format("a tetrahedron within {} m", max_outside),
                      .remedy = "enlarge the tetrahedral mesh, remove the point, or raise "
                                "max_outside"});
}

/// Columns: along the first edge, across it in the plane, normal.
Mat3 frame_of(const Vec3& a, const Vec3& b, const Vec3& c) {
    Vec3 along = b - a;
    along.stableNormalize();
    if (along.isZero(0.0)) {
        along = (c - a).stableNormalized();
    }
    if (along.isZero(0.0)) {
        return Mat3::Identity();  // collapsed to a point: no direction is left
    }
    Vec3 normal = along.cross((c - a).stableNormalized());
    if (normal.squaredNorm() < kFlatFrame * kFlatFrame) {
        normal = along.unitOrthogonal();  // collapsed to a line: any normal across it
    }
    normal.normalize();
    Mat3 frame;
    frame << along, normal.cross(along), normal;
    return frame;
}

bool has_area(const Points& x, const Triangles& t, Eigen::Index i) {
    const Vec3 u = point(x, t(i, 1)) - point(x, t(i, 0));
    const Vec3 v = point(x, t(i, 2)) - point(x, t(i, 0));
    return u.cross(v).norm() >
           kFlatFrame * std::max({u.squaredNorm(), v.squaredNorm(), (v - u).squaredNorm()});
}

}  // namespace

Eigen::Index TetEmbedding::outside_count() const {
    return (outside.array() > 0.0).count();
}

double TetEmbedding::largest_outside() const {
    return outside.size() == 0 ? 0.0 : outside.maxCoeff();
}

TetEmbedding embed(const Points& points, const TetLocator& locator,
                   const EmbeddingOptions& options) {
    const Eigen::Index n = points.rows();
    TetEmbedding result;
    result.corners.resize(n, 4);
    result.weights.resize(n, 4);
    result.outside.resize(n);
    result.tet.resize(static_cast<std::size_t>(n));
    parallel_for(result.tet.size(), kEmbeddingGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const Vec3 p = point(points, row);
            const TetLocation location = locator.nearest(p, options.max_outside);
            if (location.tet < 0) {
                refuse_outside(i, p, location, options.max_outside, locator.tets().rows() == 0);
            }
            const Choice choice = choose(locator, location, p, options.max_weight);
            if (!choice.weights.allFinite()) {
                refuse_outside(i, p, location, options.max_outside, false);
            }
            result.tet[i] = choice.tet;
            result.corners.row(row) = locator.tets().row(choice.tet);
            result.weights.row(row) = choice.weights.transpose();
            result.outside[row] = location.distance;
        }
    });
    return result;
}

TetEmbedding embed(const Points& points, const TetMesh& mesh, const EmbeddingOptions& options) {
    return embed(points, TetLocator(mesh), options);
}

Points apply(const TetEmbedding& embedding, const Points& tet_points) {
    Points result(embedding.size(), 3);
    parallel_for(static_cast<std::size_t>(embedding.size()), 4 * kEmbeddingGrain,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) {
                         const auto row = static_cast<Eigen::Index>(i);
                         Vec3 x = Vec3::Zero();
                         for (int k = 0; k < 4; ++k) {
                             x += embedding.weights(row, k) *
                                  point(tet_points, embedding.corners(row, k));
                         }
                         result.row(row) = x.transpose();
                     }
                 });
    return result;
}

Eigen::SparseMatrix<double> embedding_matrix(const TetEmbedding& embedding, Eigen::Index vertices) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(4 * static_cast<std::size_t>(embedding.size()));
    for (Eigen::Index i = 0; i < embedding.size(); ++i) {
        for (int k = 0; k < 4; ++k) {
            entries.emplace_back(static_cast<int>(i), embedding.corners(i, k),
                                 embedding.weights(i, k));
        }
    }
    Eigen::SparseMatrix<double> result(embedding.size(), vertices);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

SurfaceAttachment attach(const Points& points, const TriangleMesh& surface) {
    require_valid(surface, "surface to attach to");
    Triangles usable(surface.triangles.rows(), 3);
    Eigen::Index count = 0;
    for (Eigen::Index t = 0; t < surface.triangles.rows(); ++t) {
        if (has_area(surface.points, surface.triangles, t)) {
            usable.row(count++) = surface.triangles.row(t);
        }
    }
    usable.conservativeResize(count, 3);
    if (count == 0 && points.rows() > 0) {
        throw InputError({.where = "attaching points to a surface",
                          .found = "no triangle with area",
                          .needs = "a surface",
                          .remedy = "check that the right mesh was given"});
    }
    const SurfaceTree tree(surface.points, usable);
    const std::vector<ClosestPoint> closest = tree.closest_points(points);
    SurfaceAttachment result;
    result.corners.resize(points.rows(), 3);
    result.barycentric.resize(points.rows(), 3);
    result.offset.resize(points.rows(), 3);
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        const ClosestPoint& c = closest[at(i)];
        const auto corners = usable.row(c.triangle);
        const Mat3 frame =
            frame_of(point(surface.points, corners[0]), point(surface.points, corners[1]),
                     point(surface.points, corners[2]));
        result.corners.row(i) = corners;
        result.barycentric.row(i) = c.barycentric.transpose();
        result.offset.row(i) = (frame.transpose() * (point(points, i) - c.point)).transpose();
    }
    return result;
}

Points apply(const SurfaceAttachment& attachment, const Points& surface_points) {
    Points result(attachment.size(), 3);
    parallel_for(static_cast<std::size_t>(attachment.size()), 4 * kEmbeddingGrain,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) {
                         const auto row = static_cast<Eigen::Index>(i);
                         const Vec3 a = point(surface_points, attachment.corners(row, 0));
                         const Vec3 b = point(surface_points, attachment.corners(row, 1));
                         const Vec3 c = point(surface_points, attachment.corners(row, 2));
                         const Vec3 x = attachment.barycentric(row, 0) * a +
                                        attachment.barycentric(row, 1) * b +
                                        attachment.barycentric(row, 2) * c +
                                        frame_of(a, b, c) * point(attachment.offset, row);
                         result.row(row) = x.transpose();
                     }
                 });
    return result;
}

}  // namespace sinew
