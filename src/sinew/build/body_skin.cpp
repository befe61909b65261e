#include "sinew/build/body_skin.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/build/limit_gradient.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/remesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kGradation = 0.25;    // change of edge length over way walked
constexpr double kFarThickness = 0.4;  // m: thicker flesh does not matter
constexpr int kAttempts = 6;           // at a skin without folds

/// The mean over each vertex and its neighbours, several times.
template <class Rows>
void average(Rows& values, const Lists& neighbours, int passes) {
    for (int pass = 0; pass < passes; ++pass) {
        const Rows old = values;
        parallel_for(neighbours.size(), 1024, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto row = static_cast<Eigen::Index>(i);
                for (const Index n : neighbours[i]) {
                    values.row(row) += old.row(n);
                }
                values.row(row) /= 1.0 + static_cast<double>(neighbours[i].size());
            }
        });
    }
}

/// Nearest sheet that a vertex faces, inside or outside: what its edges must be small against, m.
Eigen::VectorXd opposite_distances(const TriangleMesh& skin, const Points& normals) {
    const SurfaceTree tree(skin);
    Eigen::VectorXd distance(skin.points.rows());
    parallel_for(
        static_cast<std::size_t>(skin.points.rows()), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto row = static_cast<Eigen::Index>(i);
                const Vec3 x = point(skin.points, row);
                const Vec3 n = point(normals, row);
                double nearest = kFarThickness;
                if (n.squaredNorm() > 0.5) {
                    constexpr double kStart = 1e-4;  // m: beyond the vertex's own triangles
                    for (const double side : {-1.0, 1.0}) {
                        const RayHit hit = tree.first_hit({.origin = x,
                                                           .direction = side * n,
                                                           .t_min = kStart,
                                                           .t_max = kFarThickness});
                        nearest = std::min(nearest, hit.t);
                    }
                }
                distance[row] = nearest;
            }
        });
    return distance;
}

/// Radius of the sharpest bend around each vertex, m, of normals that were averaged before.
Eigen::VectorXd bend_radii(const Points& points, const Points& normals, const Lists& neighbours) {
    Eigen::VectorXd radius(points.rows());
    parallel_for(neighbours.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            double bend = 1e-3;
            for (const Index n : neighbours[i]) {
                const double way = (points.row(row) - points.row(n)).norm();
                bend = std::max(bend,
                                (normals.row(row) - normals.row(n)).norm() / std::max(way, 1e-9));
            }
            radius[row] = 1.0 / bend;
        }
    });
    return radius;
}

/// Vertices of a surface of triangles with these edges: one per two triangles of sqrt(3)/4 edge^2.
double expected_vertices(const Eigen::VectorXd& areas, const std::vector<double>& edges) {
    double count = 0.0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        count += areas[static_cast<Eigen::Index>(i)] / (std::sqrt(3.0) / 2.0 * edges[i] * edges[i]);
    }
    return count;
}

/// Moves vertices along their normals by what the middles of the triangles around them lack to the
/// true surface: chords cut convex places off.
void undo_chords(TriangleMesh& skin, const SurfaceTree& truth, const TriangleMesh& original) {
    const Points truth_normals = triangle_normals(original);
    for (int pass = 0; pass < 2; ++pass) {
        Points middles(skin.triangles.rows(), 3);
        for (Eigen::Index t = 0; t < middles.rows(); ++t) {
            middles.row(t) =
                (skin.points.row(skin.triangles(t, 0)) + skin.points.row(skin.triangles(t, 1)) +
                 skin.points.row(skin.triangles(t, 2))) /
                3.0;
        }
        const std::vector<ClosestPoint> nearest = truth.closest_points(middles);
        const Points normals = vertex_normals(skin);
        const Lists around = triangles_of_vertices(skin.triangles, skin.points.rows());
        for (std::size_t i = 0; i < around.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            double lack = 0.0;
            for (const Index t : around[i]) {
                const ClosestPoint& c = nearest[at(t)];
                const Vec3 n = point(truth_normals, c.triangle);
                lack += n.dot(c.point - point(middles, t)) / static_cast<double>(around[i].size());
            }
            constexpr double kShare = 0.5;  // of two passes: most of what is lacking, no overshoot
            skin.points.row(row) += kShare * lack * normals.row(row);
        }
    }
}

/// Lifts the skin off muscles and bones that are nearer than the clearance.
void lift_off(TriangleMesh& skin, const AnatomySolid& solid, const BodySkinOptions& options) {
    const Points normals = vertex_normals(skin);
    const Edges edges = unique_edges(skin.triangles);
    const Eigen::Index vertices = skin.points.rows();
    const Eigen::Index triangles = skin.triangles.rows();
    Eigen::VectorXd lifted = Eigen::VectorXd::Zero(vertices);
    std::vector<double> clearance = mean_edges(skin);
    for (double& c : clearance) {
        c = std::max(options.clearance, options.clearance_over_edge * c);
    }
    for (int pass = 0; pass < 6; ++pass) {
        // Vertices, middles of edges and of triangles.
        Points samples(vertices + edges.rows() + triangles, 3);
        samples.topRows(vertices) = skin.points;
        for (Eigen::Index e = 0; e < edges.rows(); ++e) {
            samples.row(vertices + e) =
                0.5 * (skin.points.row(edges(e, 0)) + skin.points.row(edges(e, 1)));
        }
        for (Eigen::Index t = 0; t < triangles; ++t) {
            samples.row(vertices + edges.rows() + t) =
                (skin.points.row(skin.triangles(t, 0)) + skin.points.row(skin.triangles(t, 1)) +
                 skin.points.row(skin.triangles(t, 2))) /
                3.0;
        }
        const Eigen::VectorXd distance = solid.signed_distances(samples);
        Eigen::VectorXd wanted = Eigen::VectorXd::Zero(vertices);
        const auto ask = [&](Index v, double d) {
            wanted[v] = std::max(wanted[v], clearance[at(v)] - d);
        };
        for (Eigen::Index i = 0; i < vertices; ++i) {
            ask(static_cast<Index>(i), distance[i]);
        }
        for (Eigen::Index e = 0; e < edges.rows(); ++e) {
            ask(edges(e, 0), distance[vertices + e]);
            ask(edges(e, 1), distance[vertices + e]);
        }
        for (Eigen::Index t = 0; t < triangles; ++t) {
            for (int k = 0; k < 3; ++k) {
                ask(skin.triangles(t, k), distance[vertices + edges.rows() + t]);
            }
        }
        if (!(wanted.maxCoeff() > 0.02 * options.clearance)) {
            return;
        }
        for (Eigen::Index i = 0; i < vertices; ++i) {
            const double step = std::min(0.7 * wanted[i], options.max_lift - lifted[i]);
            if (step > 0.0) {
                skin.points.row(i) += step * normals.row(i);
                lifted[i] += step;
            }
        }
    }
}

/// Vertices of triangles that intersect, and those where no direction looks away from all
/// triangles.
std::vector<Index> bad_vertices(const TriangleMesh& skin) {
    std::vector<char> is_bad(static_cast<std::size_t>(skin.points.rows()), 0);
    for (const auto& [a, b] : find_self_intersections(skin).pairs) {
        for (const Index t : {a, b}) {
            for (int k = 0; k < 3; ++k) {
                is_bad[at(skin.triangles(t, k))] = 1;
            }
        }
    }
    constexpr double kVisible = 0.1;  // cosine
    const Points faces = triangle_normals(skin);
    const Points normals = most_visible_normals(skin);
    for (Eigen::Index t = 0; t < faces.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Index v = skin.triangles(t, k);
            if (!(faces.row(t).dot(normals.row(v)) > kVisible)) {
                is_bad[at(v)] = 1;
            }
        }
    }
    std::vector<Index> bad;
    for (std::size_t i = 0; i < is_bad.size(); ++i) {
        if (is_bad[i]) {
            bad.push_back(static_cast<Index>(i));
        }
    }
    return bad;
}

/// Moves these vertices and those around them halfway to the mean of their neighbours.
void smooth_at(const std::vector<Index>& bad, TriangleMesh& skin) {
    const Lists neighbours = neighbours_of_vertices(skin.triangles, skin.points.rows());
    std::vector<char> is_moving(neighbours.size(), 0);
    for (const Index v : bad) {
        is_moving[at(v)] = 1;
        for (const Index n : neighbours[at(v)]) {
            is_moving[at(n)] = 1;
        }
    }
    const Points old = skin.points;
    for (std::size_t i = 0; i < is_moving.size(); ++i) {
        if (is_moving[i]) {
            Vec3 mean = Vec3::Zero();
            for (const Index n : neighbours[i]) {
                mean += point(old, n) / static_cast<double>(neighbours[i].size());
            }
            const auto row = static_cast<Eigen::Index>(i);
            skin.points.row(row) = 0.5 * (old.row(row) + mean.transpose());
        }
    }
}

/// Shorter edges on the original around these vertices.
void refine_at(const std::vector<Index>& bad, const TriangleMesh& skin,
               const TriangleMesh& original, const SurfaceTree& truth, const Lists& neighbours,
               std::vector<double>& edges) {
    std::vector<char> is_marked(edges.size(), 0);
    for (const Index v : bad) {
        const ClosestPoint c = truth.closest_point(point(skin.points, v));
        for (int j = 0; j < 3; ++j) {
            is_marked[at(original.triangles(c.triangle, j))] = 1;
        }
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (is_marked[i]) {
            edges[i] *= 0.7;
        }
    }
    limit_gradient(edges, original.points, neighbours, kGradation);
}

}  // namespace

std::vector<double> mean_edges(const TriangleMesh& mesh) {
    const Lists neighbours = neighbours_of_vertices(mesh.triangles, mesh.points.rows());
    std::vector<double> lengths(neighbours.size(), 0.0);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        for (const Index n : neighbours[i]) {
            lengths[i] +=
                (mesh.points.row(static_cast<Eigen::Index>(i)) - mesh.points.row(n)).norm() /
                static_cast<double>(neighbours[i].size());
        }
    }
    return lengths;
}

Points most_visible_normals(const TriangleMesh& mesh) {
    const Points faces = triangle_normals(mesh);
    Points normals = vertex_normals(mesh);
    const Lists around = triangles_of_vertices(mesh.triangles, mesh.points.rows());
    parallel_for(around.size(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            // Steps towards the normal that is seen worst, ever shorter, find the middle of the
            // smallest cone around all [Badoiu2003].
            Vec3 n = point(normals, static_cast<Eigen::Index>(i));
            for (int step = 1; step <= 24; ++step) {
                double worst = 2.0;
                Vec3 towards = Vec3::Zero();
                for (const Index t : around[i]) {
                    const Vec3 f = point(faces, t);
                    if (f.dot(n) < worst) {
                        worst = f.dot(n);
                        towards = f;
                    }
                }
                n = (n + (towards - n) / (step + 1.0)).normalized();
            }
            normals.row(static_cast<Eigen::Index>(i)) = n.transpose();
        }
    });
    return normals;
}

std::vector<double> edge_lengths_for(const TriangleMesh& skin, const BodySkinOptions& options) {
    const Lists neighbours = neighbours_of_vertices(skin.triangles, skin.points.rows());
    Points normals = vertex_normals(skin);
    average(normals, neighbours, 3);
    normals.rowwise().normalize();
    const Eigen::VectorXd facing = opposite_distances(skin, normals);
    const Eigen::VectorXd radius = bend_radii(skin.points, normals, neighbours);
    Eigen::VectorXd wanted =
        (options.edge_over_thickness * facing).cwiseMin(options.edge_over_radius * radius);
    average(wanted, neighbours, 2);

    // Areas around the vertices, then the largest edge by bisection.
    Eigen::VectorXd areas = Eigen::VectorXd::Zero(skin.points.rows());
    const Eigen::VectorXd triangle = triangle_areas(skin);
    for (Eigen::Index t = 0; t < triangle.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            areas[skin.triangles(t, k)] += triangle[t] / 3.0;
        }
    }
    const auto graded = [&](double largest) {
        std::vector<double> edges(static_cast<std::size_t>(wanted.size()));
        for (std::size_t i = 0; i < edges.size(); ++i) {
            edges[i] = std::clamp(wanted[static_cast<Eigen::Index>(i)],
                                  options.smallest_edge * largest, largest);
        }
        limit_gradient(edges, skin.points, neighbours, kGradation);
        return edges;
    };
    double low = 0.001;
    double high = 0.2;
    for (int i = 0; i < 10; ++i) {
        const double middle = std::sqrt(low * high);
        (expected_vertices(areas, graded(middle)) > options.vertices ? low : high) = middle;
    }
    return graded(std::sqrt(low * high));
}

TriangleMesh resampled_skin(const TriangleMesh& skin, const AnatomySolid& solid,
                            const BodySkinOptions& options, const Progress& progress) {
    TriangleMesh original;
    original.points = skin.points;
    original.triangles = skin.triangles;
    const SurfaceTree truth(original);
    const Lists neighbours = neighbours_of_vertices(original.triangles, original.points.rows());
    std::vector<double> edges = edge_lengths_for(original, options);
    std::vector<Index> bad;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        TriangleMesh result =
            remeshed(original, edges, {.iterations = 6, .feature_angle = kPi}, progress);
        undo_chords(result, truth, original);
        lift_off(result, solid, options);
        bad = bad_vertices(result);
        for (int pass = 0; pass < 4 && !bad.empty(); ++pass) {
            smooth_at(bad, result);
            bad = bad_vertices(result);
        }
        if (bad.empty()) {
            return result;
        }
        progress.info(fmt::format("skin folds at {} vertices: finer there", bad.size()));
        refine_at(bad, result, original, truth, neighbours, edges);
    }
    throw InputError({.where = "skin",
                      .found = fmt::format("folds at {} vertices at this resolution", bad.size()),
                      .needs = "a surface that keeps apart from itself",
                      .remedy = "choose a finer resolution, or repair the skin (sinew repair)"});
}

}  // namespace sinew
