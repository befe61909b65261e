#include "sinew/geometry/tet_locator.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/box_tree.h"
#include "sinew/geometry/simplex.h"
#include "sinew/mesh/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr std::size_t kLocatorGrain = 256;
constexpr double kCrack = 1e-12;               // of the mesh's size: still inside
constexpr double kLocatorSlack = 1.0 + 1e-12;  // of the search radius, so that all ties are seen

void require_locatable(const Vec3& p) {
    if (!p.allFinite()) {
        throw InputError({.where = "point location",
                          .found = fmt::format("position ({}, {}, {})", p.x(), p.y(), p.z()),
                          .needs = "finite coordinates",
                          .remedy = "remove points that are not finite before asking"});
    }
}

template <class Locate>
std::vector<TetLocation> for_all(const Points& points, Locate&& locate) {
    std::vector<TetLocation> result(static_cast<std::size_t>(points.rows()));
    parallel_for(result.size(), kLocatorGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            result[i] = locate(point(points, static_cast<Eigen::Index>(i)));
        }
    });
    return result;
}

}  // namespace

struct TetLocator::Tree {
    Points points;
    Tets tets;
    std::vector<char> is_positive;
    BoxTree boxes;
    double crack = 0.0;  // m

    OnTet closest(const Vec3& p, std::size_t tet) const {
        const auto t = static_cast<Eigen::Index>(tet);
        return closest_on_tet(p, point(points, tets(t, 0)), point(points, tets(t, 1)),
                              point(points, tets(t, 2)), point(points, tets(t, 3)));
    }
};

TetLocator::TetLocator(const TetMesh& mesh) : TetLocator(mesh.points, mesh.tets) {}

TetLocator::TetLocator(const Points& points, const Tets& tets) : tree_(std::make_unique<Tree>()) {
    require_valid(TetMesh{.points = points, .tets = tets}, "tetrahedra");
    tree_->points = points;
    tree_->tets = tets;
    const Eigen::VectorXd volumes = tet_volumes(points, tets);
    std::vector<Bounds> boxes(static_cast<std::size_t>(tets.rows()));
    tree_->is_positive.resize(boxes.size());
    for (std::size_t t = 0; t < boxes.size(); ++t) {
        for (int k = 0; k < 4; ++k) {
            boxes[t].add(point(points, tets(static_cast<Eigen::Index>(t), k)));
        }
        tree_->is_positive[t] = volumes[static_cast<Eigen::Index>(t)] > 0.0 ? 1 : 0;
    }
    tree_->boxes = BoxTree(boxes);
    tree_->crack = kCrack * tree_->boxes.bounds().diagonal();
}

TetLocator::~TetLocator() = default;
TetLocator::TetLocator(TetLocator&&) noexcept = default;
TetLocator& TetLocator::operator=(TetLocator&&) noexcept = default;

const Points& TetLocator::points() const {
    return tree_->points;
}

const Tets& TetLocator::tets() const {
    return tree_->tets;
}

TetLocation TetLocator::search(const Vec3& p, double radius) const {
    TetLocation best;
    double best2 = radius * radius;
    tree_->boxes.near(p, radius, [&](std::size_t t) {
        const OnTet on = tree_->closest(p, t);
        // Nearer first, then positive volume, then the lower number.
        bool is_better = on.squared_distance < best2;
        if (on.squared_distance == best2) {
            const auto held = static_cast<std::size_t>(best.tet);
            is_better = best.tet < 0 || tree_->is_positive[t] > tree_->is_positive[held] ||
                        (tree_->is_positive[t] == tree_->is_positive[held] && t < held);
        }
        if (is_better) {
            best2 = on.squared_distance;
            best.tet = static_cast<Index>(t);
            best.barycentric = on.barycentric;
            radius = std::sqrt(best2) * kLocatorSlack;
        }
        return radius;
    });
    if (best.tet >= 0) {
        const double distance = std::sqrt(best2);
        best.distance = distance > tree_->crack ? distance : 0.0;
    }
    return best;
}

TetLocation TetLocator::find(const Vec3& p) const {
    require_locatable(p);
    return search(p, tree_->crack);
}

TetLocation TetLocator::nearest(const Vec3& p, double max_distance) const {
    // Most points lie inside, where a small search suffices.
    const TetLocation inside = find(p);
    return inside.tet >= 0 ? inside : search(p, max_distance);
}

std::vector<TetLocation> TetLocator::find_all(const Points& points) const {
    return for_all(points, [&](const Vec3& p) { return find(p); });
}

std::vector<TetLocation> TetLocator::nearest_all(const Points& points, double max_distance) const {
    return for_all(points, [&](const Vec3& p) { return nearest(p, max_distance); });
}

std::vector<Index> TetLocator::within(const Vec3& p, double distance) const {
    require_locatable(p);
    std::vector<Index> result;
    tree_->boxes.near(p, distance, [&](std::size_t t) {
        if (tree_->closest(p, t).squared_distance <= distance * distance) {
            result.push_back(static_cast<Index>(t));
        }
        return distance;
    });
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace sinew
