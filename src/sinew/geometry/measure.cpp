#include "sinew/geometry/measure.h"

#include "sinew/base/parallel.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace sinew {

namespace {

constexpr std::size_t kMeasureGrain = 4096;  // elements per piece of work

std::size_t rows_of(Eigen::Index rows) {
    return static_cast<std::size_t>(rows);
}

/// Calls f(i) for every row, in parallel.
template <class F>
void for_each_row(Eigen::Index rows, F&& f) {
    parallel_for(rows_of(rows), kMeasureGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            f(static_cast<Eigen::Index>(i));
        }
    });
}

/// Sums f(i) over all rows in a fixed order.
template <class T, class F>
T sum_of_rows(Eigen::Index rows, T zero, F&& f) {
    return parallel_reduce(
        rows_of(rows), kMeasureGrain, zero,
        [&](std::size_t begin, std::size_t end) {
            T part = zero;
            for (std::size_t i = begin; i < end; ++i) {
                part += f(static_cast<Eigen::Index>(i));
            }
            return part;
        },
        [](T a, const T& b) {
            a += b;
            return a;
        });
}

Vec3 doubled_area_vector(const Points& x, const Triangles& t, Eigen::Index i) {
    const Vec3 a = point(x, t(i, 0));
    return (point(x, t(i, 1)) - a).cross(point(x, t(i, 2)) - a);
}

/// Coordinates are taken relative to a point amid the mesh: far from the origin the sums of signed
/// volumes would cancel badly.
Vec3 reference_point(const Points& x) {
    return x.rows() == 0 ? Vec3::Zero().eval() : bounds(x).centre();
}

/// Integrals of 1, x and x x^T over signed tetrahedra.
struct Moments {
    double zeroth = 0.0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();

    Moments& operator+=(const Moments& other) {
        zeroth += other.zeroth;
        first += other.first;
        second += other.second;
        return *this;
    }
};

/// Tetrahedron with corners p_0..p_3, s = p_0 + .. + p_3:
///   int 1 = V,  int x = V/4 s,  int x x^T = V/20 (s s^T + sum_i p_i p_i^T)
Moments tet_moments(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const double V = (b - a).dot((c - a).cross(d - a)) / 6.0;
    const Vec3 s = a + b + c + d;
    Moments m;
    m.zeroth = V;
    m.first = V / 4.0 * s;
    m.second = V / 20.0 *
               (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose() +
                d * d.transpose());
    return m;
}

/// Inertia about the centroid: I = int (|x|^2 1 - x x^T), moved by Steiner's theorem.
MassProperties properties_of(const Moments& m, const Vec3& reference) {
    MassProperties result;
    result.volume = m.zeroth;
    if (m.zeroth == 0.0) {
        return result;
    }
    const Vec3 c = m.first / m.zeroth;
    const Mat3 central = m.second - m.zeroth * c * c.transpose();
    result.centroid = reference + c;
    result.inertia = central.trace() * Mat3::Identity() - central;
    return result;
}

}  // namespace

Bounds bounds(const Points& points) {
    Bounds box;
    if (points.rows() > 0) {
        for (int k = 0; k < 3; ++k) {
            box.low[k] = points.col(k).minCoeff<Eigen::PropagateNaN>();
            box.high[k] = points.col(k).maxCoeff<Eigen::PropagateNaN>();
        }
    }
    return box;
}

Eigen::VectorXd triangle_areas(const Points& points, const Triangles& triangles) {
    Eigen::VectorXd areas(triangles.rows());
    for_each_row(triangles.rows(), [&](Eigen::Index i) {
        areas[i] = 0.5 * doubled_area_vector(points, triangles, i).norm();
    });
    return areas;
}

Points triangle_normals(const Points& points, const Triangles& triangles) {
    Points normals(triangles.rows(), 3);
    for_each_row(triangles.rows(), [&](Eigen::Index i) {
        // stableNormalize keeps the direction of very small triangles.
        Vec3 n = doubled_area_vector(points, triangles, i);
        n.stableNormalize();
        normals.row(i) = n.transpose();
    });
    return normals;
}

Points vertex_normals(const Points& points, const Triangles& triangles) {
    const Points flat = triangle_normals(points, triangles);
    Points angles(triangles.rows(), 3);
    for_each_row(triangles.rows(), [&](Eigen::Index i) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 at = point(points, triangles(i, k));
            const Vec3 u = point(points, triangles(i, (k + 1) % 3)) - at;
            const Vec3 v = point(points, triangles(i, (k + 2) % 3)) - at;
            angles(i, k) = std::atan2(u.cross(v).norm(), u.dot(v));
        }
    });
    // Summed one after another: cheap, and the order never changes.
    Points normals = Points::Zero(points.rows(), 3);
    for (Eigen::Index i = 0; i < triangles.rows(); ++i) {
        for (int k = 0; k < 3; ++k) {
            normals.row(triangles(i, k)) += angles(i, k) * flat.row(i);
        }
    }
    for_each_row(points.rows(), [&](Eigen::Index i) {
        const double length = normals.row(i).norm();
        if (length > 0.0) {
            normals.row(i) /= length;
        }
    });
    return normals;
}

double surface_area(const Points& points, const Triangles& triangles) {
    return sum_of_rows(triangles.rows(), 0.0, [&](Eigen::Index i) {
        return 0.5 * doubled_area_vector(points, triangles, i).norm();
    });
}

double enclosed_volume(const Points& points, const Triangles& triangles) {
    // Divergence theorem for the field x/3: V = sum over triangles of det(a, b, c) / 6.
    const Vec3 o = reference_point(points);
    return sum_of_rows(triangles.rows(), 0.0, [&](Eigen::Index i) {
        const Vec3 a = point(points, triangles(i, 0)) - o;
        const Vec3 b = point(points, triangles(i, 1)) - o;
        const Vec3 c = point(points, triangles(i, 2)) - o;
        return a.dot(b.cross(c)) / 6.0;
    });
}

bool is_watertight(const Triangles& triangles) {
    if (triangles.rows() == 0) {
        return false;
    }
    // Directed edges as numbers, and the same edges turned round: both sorted lists must be equal
    // and free of repetitions.
    const auto key = [](Index from, Index to) {
        return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32) |
               static_cast<std::uint32_t>(to);
    };
    std::vector<std::uint64_t> edges;
    std::vector<std::uint64_t> turned;
    edges.reserve(3 * rows_of(triangles.rows()));
    turned.reserve(3 * rows_of(triangles.rows()));
    for (Eigen::Index i = 0; i < triangles.rows(); ++i) {
        for (int k = 0; k < 3; ++k) {
            const Index a = triangles(i, k);
            const Index b = triangles(i, (k + 1) % 3);
            if (a == b) {
                return false;
            }
            edges.push_back(key(a, b));
            turned.push_back(key(b, a));
        }
    }
    std::sort(edges.begin(), edges.end());
    std::sort(turned.begin(), turned.end());
    return edges == turned && std::adjacent_find(edges.begin(), edges.end()) == edges.end();
}

Eigen::VectorXd tet_volumes(const Points& points, const Tets& tets) {
    Eigen::VectorXd volumes(tets.rows());
    for_each_row(tets.rows(), [&](Eigen::Index i) {
        const Vec3 a = point(points, tets(i, 0));
        volumes[i] =
            (point(points, tets(i, 1)) - a)
                .dot((point(points, tets(i, 2)) - a).cross(point(points, tets(i, 3)) - a)) /
            6.0;
    });
    return volumes;
}

double volume(const Points& points, const Tets& tets) {
    const Eigen::VectorXd volumes = tet_volumes(points, tets);
    return sum_of_rows(tets.rows(), 0.0, [&](Eigen::Index i) { return volumes[i]; });
}

MassProperties mass_properties(const Points& points, const Triangles& triangles) {
    const Vec3 o = reference_point(points);
    const Moments m = sum_of_rows(triangles.rows(), Moments{}, [&](Eigen::Index i) {
        return tet_moments(Vec3::Zero(), point(points, triangles(i, 0)) - o,
                           point(points, triangles(i, 1)) - o, point(points, triangles(i, 2)) - o);
    });
    return properties_of(m, o);
}

MassProperties mass_properties(const Points& points, const Tets& tets) {
    const Vec3 o = reference_point(points);
    const Moments m = sum_of_rows(tets.rows(), Moments{}, [&](Eigen::Index i) {
        return tet_moments(point(points, tets(i, 0)) - o, point(points, tets(i, 1)) - o,
                           point(points, tets(i, 2)) - o, point(points, tets(i, 3)) - o);
    });
    return properties_of(m, o);
}

}  // namespace sinew
