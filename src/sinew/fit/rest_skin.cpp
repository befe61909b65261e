#include "sinew/fit/rest_skin.h"

#include "sinew/base/parallel.h"
#include "sinew/body/rest_shape.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/intersections.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

// What linear blending leaves to be mended in a skin at rest: volume that bending made, and skin
// through skin where limbs that were apart come together. And what following coarse triangles
// leaves in a finer skin for pictures.

namespace sinew {

namespace {

constexpr int kStretchSmoothings = 10;
constexpr int kVolumeSteps = 8;
constexpr double kSameVolume = 1e-6;  // relative
constexpr double kLongest = 0.3;      // m: t beyond it would fold the skin
constexpr int kPartings = 120;        // rounds
constexpr int kSmoothingsFirst = 40;  // rounds without going inwards
constexpr double kInwards = 0.0003;   // m per round
constexpr int kMostAverages = 100;
constexpr double kMostCotangent = 10.0;
constexpr std::size_t kAveragePiece = 2048;
constexpr double kFarthestWeight = 100.0;  // of display vertices in their tetrahedra

double mean_edge(const Points& x, const Triangles& triangles) {
    double sum = 0.0;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            sum += (x.row(triangles(t, k)) - x.row(triangles(t, (k + 1) % 3))).norm();
        }
    }
    return triangles.rows() > 0 ? sum / (3.0 * static_cast<double>(triangles.rows())) : 0.0;
}

Eigen::VectorXd vertex_areas(const Points& x, const Triangles& triangles) {
    const Eigen::VectorXd areas = triangle_areas(x, triangles);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(x.rows());
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            sum[triangles(t, k)] += areas[t] / 3.0;
        }
    }
    return sum;
}

// How much longer lengths on the skin have become, less 1.
Eigen::VectorXd stretch_of(const Points& before, const Points& after, const Triangles& triangles,
                           const Lists& around) {
    const Eigen::VectorXd a = vertex_areas(before, triangles);
    const Eigen::VectorXd b = vertex_areas(after, triangles);
    Eigen::VectorXd stretch = Eigen::VectorXd::Zero(a.size());
    for (Eigen::Index v = 0; v < a.size(); ++v) {
        stretch[v] = a[v] > 0.0 ? std::sqrt(b[v] / a[v]) - 1.0 : 0.0;
    }
    for (int round = 0; round < kStretchSmoothings; ++round) {
        Eigen::VectorXd next = stretch;
        for (Eigen::Index v = 0; v < a.size(); ++v) {
            for (const Index w : around[at(v)]) {
                next[v] += stretch[w];
            }
            next[v] /= static_cast<double>(around[at(v)].size() + 1);
        }
        stretch = std::move(next);
    }
    return stretch;
}

// Corners of crossing triangles, and their neighbours after them.
std::vector<Index> crossed_and_around(const std::vector<std::pair<Index, Index>>& pairs,
                                      const Triangles& triangles, const Lists& around) {
    std::vector<Index> near;
    std::vector<char> is_near(around.size(), 0);
    const auto add = [&](Index v) {
        if (is_near[at(v)] == 0) {
            is_near[at(v)] = 1;
            near.push_back(v);
        }
    };
    for (const auto& [s, t] : pairs) {
        for (int k = 0; k < 3; ++k) {
            add(triangles(s, k));
            add(triangles(t, k));
        }
    }
    const std::size_t crossed = near.size();
    for (std::size_t i = 0; i < crossed; ++i) {
        std::for_each(around[at(near[i])].begin(), around[at(near[i])].end(), add);
    }
    return near;
}

// Weights of a vertex (a half) and its neighbours by cotangents, which reproduce linear functions
// on flat parts, however uneven the triangles are; obtuse corners count as right ones.
std::vector<std::vector<std::pair<Index, double>>> averaging_weights(const TriangleMesh& mesh) {
    std::vector<std::map<Index, double>> edge(at(mesh.points.rows()));
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Index a = mesh.triangles(t, (k + 1) % 3);
            const Index b = mesh.triangles(t, (k + 2) % 3);
            const Vec3 p = point(mesh.points, mesh.triangles(t, k));
            const Vec3 u = point(mesh.points, a) - p;
            const Vec3 v = point(mesh.points, b) - p;
            const double sine = u.cross(v).norm();
            const double cot = sine > 0.0 ? std::clamp(u.dot(v) / sine, 0.0, kMostCotangent) : 0.0;
            edge[at(a)][b] += cot;
            edge[at(b)][a] += cot;
        }
    }
    std::vector<std::vector<std::pair<Index, double>>> weights(edge.size());
    for (std::size_t v = 0; v < edge.size(); ++v) {
        double sum = 0.0;
        for (const auto& [w, weight] : edge[v]) {
            sum += weight;
        }
        if (sum > 0.0) {
            weights[v].emplace_back(static_cast<Index>(v), 0.5);
            for (const auto& [w, weight] : edge[v]) {
                weights[v].emplace_back(w, 0.5 * weight / sum);
            }
        }
    }
    return weights;
}

}  // namespace

Points with_volume_kept(const Points& before, const Points& after, const Triangles& triangles) {
    const double wanted = enclosed_volume(before, triangles);
    if (std::abs(enclosed_volume(after, triangles) - wanted) <= kSameVolume * std::abs(wanted)) {
        return after;
    }
    const Lists around = neighbours_of_vertices(triangles, after.rows());
    const Eigen::VectorXd stretch = stretch_of(before, after, triangles, around);
    const Points direction = stretch.asDiagonal() * vertex_normals(after, triangles);
    const auto volume_at = [&](double t) {
        return enclosed_volume(after - t * direction, triangles) - wanted;
    };
    // Secant: the volume is nearly linear in t.
    double t0 = 0.0, f0 = volume_at(t0);
    double t1 = 0.02, f1 = volume_at(t1);
    for (int step = 0; step < kVolumeSteps && std::abs(f1) > kSameVolume * std::abs(wanted);
         ++step) {
        const double t = f1 != f0 ? t1 - f1 * (t1 - t0) / (f1 - f0) : t1;
        t0 = t1;
        f0 = f1;
        t1 = std::clamp(t, -kLongest, kLongest);
        f1 = volume_at(t1);
    }
    // Where stretch does not explain the volume it is left alone.
    return std::abs(t1) < kLongest ? Points(after - t1 * direction) : after;
}

UncrossedSkin uncrossed_skin(const Points& x, const Triangles& triangles) {
    UncrossedSkin result{.x = x};
    TriangleMesh skin{.points = x, .triangles = triangles};
    auto pairs = find_self_intersections(skin).pairs;
    result.crossing_before = result.crossing_after = static_cast<long>(pairs.size());
    if (pairs.empty()) {
        return result;
    }
    const Lists around = neighbours_of_vertices(triangles, x.rows());
    for (int round = 0; round < kPartings && !pairs.empty(); ++round) {
        const std::vector<Index> near = crossed_and_around(pairs, triangles, around);
        const double inwards = round < kSmoothingsFirst ? 0.0 : kInwards;
        const Points normals = vertex_normals(skin.points, triangles);
        Points next(static_cast<Eigen::Index>(near.size()), 3);
        for (std::size_t i = 0; i < near.size(); ++i) {
            const auto& neighbours = around[at(near[i])];
            Vec3 mean = Vec3::Zero();
            for (const Index w : neighbours) {
                mean += point(skin.points, w) / static_cast<double>(neighbours.size());
            }
            const Vec3 p = 0.5 * (point(skin.points, near[i]) + mean);
            next.row(static_cast<Eigen::Index>(i)) =
                (p - inwards * point(normals, near[i])).transpose();
        }
        for (std::size_t i = 0; i < near.size(); ++i) {
            skin.points.row(near[i]) = next.row(static_cast<Eigen::Index>(i));
        }
        pairs = find_self_intersections(skin).pairs;
    }
    result.crossing_after = static_cast<long>(pairs.size());
    result.x = std::move(skin.points);
    return result;
}

Points without_kinks(const TriangleMesh& fine, const Points& displacement, double coarse_edge) {
    const double ratio = coarse_edge / mean_edge(fine.points, fine.triangles);
    const int rounds =
        std::clamp(static_cast<int>(std::lround(2.0 * ratio * ratio)), 0, kMostAverages);
    const std::vector<std::vector<std::pair<Index, double>>> around = averaging_weights(fine);
    Points u = displacement;
    Points next = u;
    for (int round = 0; round < rounds; ++round) {
        parallel_for(around.size(), kAveragePiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end; ++v) {
                const auto row = static_cast<Eigen::Index>(v);
                Vec3 mean = Vec3::Zero();
                for (const auto& [w, weight] : around[v]) {
                    mean += weight * point(u, w);
                }
                next.row(row) = (around[v].empty() ? point(u, row) : mean).transpose();
            }
        });
        std::swap(u, next);
    }
    return u;
}

void smooth_display_skin(const Body& before, Body& body) {
    if (body.display_skin_embedding.size() == 0) {
        return;
    }
    TriangleMesh& fine = body.display_skin;
    const Points& old = before.display_skin.points;
    fine.points =
        old + without_kinks(before.display_skin, fine.points - old,
                            mean_edge(before.skin.mesh.points, before.skin.mesh.triangles));
    body.display_skin_embedding = embedded_again(body.display_skin_embedding, fine.points,
                                                 body.tets.points, body.tets.tets, kFarthestWeight);
}

}  // namespace sinew
