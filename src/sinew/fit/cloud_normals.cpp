#include "sinew/fit/cloud_normals.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/box_tree.h"
#include "sinew/linalg/dense.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <vector>

// Normals of a cloud [Hoppe1992]: the plane through the twelve nearest points, then one sign for
// all by walking the tree of neighbours whose planes are most alike, so that signs are passed on
// where they are surest. Each connected part looks outward at its farthest point.

namespace sinew {
namespace {

constexpr std::size_t kNear = 12;  // points that make a plane

// The nearest others of every point, by distance, then number.
std::vector<std::vector<Index>> nearest_points(const Points& points) {
    std::vector<Bounds> boxes(at(points.rows()));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        boxes[i].add(point(points, static_cast<Eigen::Index>(i)));
    }
    const BoxTree tree(boxes);
    const double start =
        2.0 * tree.bounds().diagonal() / std::sqrt(static_cast<double>(boxes.size()));
    std::vector<std::vector<Index>> near(boxes.size());
    parallel_for(boxes.size(), 256, [&](std::size_t begin, std::size_t end) {
        std::vector<std::pair<double, Index>> found;
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 p = point(points, static_cast<Eigen::Index>(i));
            for (double radius = start;; radius *= 2.0) {
                found.clear();
                tree.near(p, radius, [&](std::size_t j) {
                    const double d2 =
                        (point(points, static_cast<Eigen::Index>(j)) - p).squaredNorm();
                    if (j != i && d2 <= radius * radius) {
                        found.emplace_back(d2, static_cast<Index>(j));
                    }
                    return radius;
                });
                if (found.size() >= kNear || radius > tree.bounds().diagonal()) {
                    break;
                }
            }
            std::sort(found.begin(), found.end());
            for (std::size_t k = 0; k < std::min(found.size(), kNear); ++k) {
                near[i].push_back(found[k].second);
            }
        }
    });
    return near;
}

// Prim's tree on 1 - |n_i . n_j|, part by part.
void agree(const Points& points, const std::vector<std::vector<Index>>& near, Points& normals) {
    std::vector<std::vector<Index>> both(near.size());
    for (std::size_t i = 0; i < near.size(); ++i) {
        for (const Index j : near[i]) {
            both[i].push_back(j);
            both[at(j)].push_back(static_cast<Index>(i));
        }
    }
    const Vec3 middle = points.colwise().mean().transpose();
    std::vector<Index> by_distance(near.size());
    for (std::size_t i = 0; i < near.size(); ++i) {
        by_distance[i] = static_cast<Index>(i);
    }
    const auto distance = [&](Index i) { return (point(points, i) - middle).squaredNorm(); };
    std::sort(by_distance.begin(), by_distance.end(), [&](Index a, Index b) {
        return std::make_pair(-distance(a), a) < std::make_pair(-distance(b), b);
    });
    using Entry = std::tuple<double, Index, Index>;  // cost, point, from
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::vector<char> done(near.size(), 0);
    for (const Index seed : by_distance) {
        if (done[at(seed)] != 0) {
            continue;
        }
        if (point(normals, seed).dot(point(points, seed) - middle) < 0.0) {
            normals.row(seed) *= -1.0;
        }
        queue.emplace(0.0, seed, seed);
        while (!queue.empty()) {
            const auto [cost, i, from] = queue.top();
            queue.pop();
            if (done[at(i)] != 0) {
                continue;
            }
            done[at(i)] = 1;
            if (normals.row(i).dot(normals.row(from)) < 0.0) {
                normals.row(i) *= -1.0;
            }
            for (const Index j : both[at(i)]) {
                if (done[at(j)] == 0) {
                    queue.emplace(1.0 - std::abs(normals.row(i).dot(normals.row(j))), j, i);
                }
            }
        }
    }
}

}  // namespace

Points cloud_normals(const Points& points) {
    const std::vector<std::vector<Index>> near = nearest_points(points);
    Points normals(points.rows(), 3);
    parallel_for(near.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            Vec3 mean = point(points, row);
            for (const Index j : near[i]) {
                mean += point(points, j);
            }
            mean /= static_cast<double>(near[i].size() + 1);
            Mat3 C = (point(points, row) - mean) * (point(points, row) - mean).transpose();
            for (const Index j : near[i]) {
                C += (point(points, j) - mean) * (point(points, j) - mean).transpose();
            }
            normals.row(row) = symmetric_eigen(C).vectors.col(0).transpose();
        }
    });
    agree(points, near, normals);
    return normals;
}

}  // namespace sinew
