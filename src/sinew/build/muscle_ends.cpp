#include "sinew/build/muscle_ends.h"

#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

namespace sinew {

namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();

/// Lengths of the shortest ways along edges, infinite on other pieces.
std::vector<double> distances_from(Index start, const Points& points, const Lists& neighbours) {
    std::vector<double> distance(neighbours.size(), kUnreached);
    using Entry = std::pair<double, Index>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    distance[at(start)] = 0.0;
    queue.push({0.0, start});
    while (!queue.empty()) {
        const auto [d, v] = queue.top();
        queue.pop();
        if (d > distance[at(v)]) {
            continue;
        }
        for (const Index w : neighbours[at(v)]) {
            const double through = d + (points.row(v) - points.row(w)).norm();
            if (through < distance[at(w)]) {
                distance[at(w)] = through;
                queue.push({through, w});
            }
        }
    }
    return distance;
}

Index furthest(const std::vector<double>& distance) {
    Index best = 0;
    double largest = -1.0;
    for (std::size_t i = 0; i < distance.size(); ++i) {
        if (std::isfinite(distance[i]) && distance[i] > largest) {
            largest = distance[i];
            best = static_cast<Index>(i);
        }
    }
    return best;
}

double distance_to(const Bone& bone, const Vec3& x) {
    return bone.mesh.points.rows() == 0
               ? kUnreached
               : (bone.mesh.points.rowwise() - x.transpose()).rowwise().norm().minCoeff();
}

/// Whether the muscle runs from b to a rather than from a to b.
bool is_backward(const Muscle& muscle, const std::vector<Bone>& bones, const Vec3& a,
                 const Vec3& b) {
    double forward = 0.0;
    if (muscle.origin >= 0) {
        const Bone& bone = bones[at(muscle.origin)];
        forward += distance_to(bone, b) - distance_to(bone, a);
    }
    if (muscle.insertion >= 0) {
        const Bone& bone = bones[at(muscle.insertion)];
        forward += distance_to(bone, a) - distance_to(bone, b);
    }
    // Without bones from above to below, as most muscles of trunk and limbs.
    return forward == 0.0 ? a.y() < b.y() : forward < 0.0;
}

}  // namespace

std::vector<double> muscle_shares(const Muscle& muscle, const std::vector<Bone>& bones) {
    const TriangleMesh& mesh = muscle.mesh;
    if (const Attribute* share = find_attribute(mesh.point_data, "share");
        share != nullptr && share->components == 1) {
        return share->values;
    }
    const Lists neighbours = neighbours_of_vertices(mesh.triangles, mesh.points.rows());
    std::vector<double> shares(neighbours.size(), 0.5);
    std::vector<bool> is_done(neighbours.size(), false);
    for (std::size_t v = 0; v < shares.size(); ++v) {
        if (is_done[v]) {
            continue;
        }
        // Two sweeps from anywhere end at the two that lie furthest apart, or nearly so.
        const auto start = static_cast<Index>(v);
        Index a = furthest(distances_from(start, mesh.points, neighbours));
        std::vector<double> from_a = distances_from(a, mesh.points, neighbours);
        Index b = furthest(from_a);
        std::vector<double> from_b = distances_from(b, mesh.points, neighbours);
        if (is_backward(muscle, bones, point(mesh.points, a), point(mesh.points, b))) {
            std::swap(a, b);
            std::swap(from_a, from_b);
        }
        for (std::size_t w = 0; w < shares.size(); ++w) {
            if (std::isfinite(from_a[w])) {
                is_done[w] = true;
                const double sum = from_a[w] + from_b[w];
                shares[w] = sum > 0.0 ? from_a[w] / sum : 0.5;
            }
        }
    }
    return shares;
}

std::vector<double> muscle_tendon(const Muscle& muscle, const std::vector<double>& shares) {
    if (muscle.is_passive) {
        return std::vector<double>(shares.size(), 1.0);
    }
    if (const Attribute* tendon = find_attribute(muscle.mesh.point_data, "tendon");
        tendon != nullptr && tendon->components == 1) {
        return tendon->values;
    }
    std::vector<double> tendon(shares.size(), 0.0);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        tendon[i] = shares[i] < muscle.belly_begin || shares[i] > muscle.belly_end ? 1.0 : 0.0;
    }
    return tendon;
}

std::vector<MuscleEnd> find_muscle_ends(const TriangleMesh& mesh, const std::vector<double>& shares,
                                        const MuscleEndOptions& options) {
    const auto count = static_cast<std::size_t>(mesh.triangles.rows());
    const Eigen::VectorXd area = triangle_areas(mesh);
    const Components pieces = connected_components(mesh.triangles, mesh.points.rows());
    std::vector<double> way(count, 0.0);
    std::vector<double> piece_area(static_cast<std::size_t>(pieces.count), 0.0);
    for (std::size_t t = 0; t < count; ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        for (Eigen::Index k = 0; k < 3; ++k) {
            way[t] += shares[at(mesh.triangles(row, k))] / 3.0;
        }
        piece_area[at(pieces.of_triangle[t])] += area[row];
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return way[a] < way[b]; });
    std::vector<MuscleEnd> ends(count, MuscleEnd::None);
    for (const MuscleEnd end : {MuscleEnd::Origin, MuscleEnd::Insertion}) {
        std::vector<double> taken(piece_area.size(), 0.0);
        for (const std::size_t t : order) {
            const auto piece = static_cast<std::size_t>(pieces.of_triangle[t]);
            const double from_end = end == MuscleEnd::Origin ? way[t] : 1.0 - way[t];
            if (ends[t] == MuscleEnd::None &&
                (from_end <= options.reach || taken[piece] < options.area * piece_area[piece])) {
                ends[t] = end;
                taken[piece] += area[static_cast<Eigen::Index>(t)];
            }
        }
        std::reverse(order.begin(), order.end());
    }
    return ends;
}

}  // namespace sinew
