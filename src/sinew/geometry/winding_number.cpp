#include "sinew/geometry/winding_number.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/simplex.h"
#include "sinew/mesh/validity.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace sinew {

namespace {

constexpr std::size_t kWindingGrain = 256;
constexpr Index kLeafSize = 8;           // triangles that are summed exactly
constexpr double kTooNearToCall = 0.02;  // fast values this close to 0.5 are checked exactly
constexpr double kFourPi = 4.0 * kPi;

using Corners = std::array<Vec3, 3>;

/// DipoleMoments of the oriented area about `centre`, symmetrised: the kernel they meet is
/// symmetric.
struct DipoleMoments {
    Vec3 centre = Vec3::Zero();
    double radius2 = 0.0;           // no point of the cluster is further from the centre, squared
    Vec3 zeroth = Vec3::Zero();     // int n dA
    std::array<double, 6> first{};  // int n_i y_j:  xx yy zz xy xz yz (off-diagonals: both orders)
    std::array<double, 10> second{};  // int n_i y_j y_k: xxx yyy zzz xxy xxz xyy yyz xzz yzz xyz
};

struct Node {
    DipoleMoments moments;
    Index begin = 0;  // triangles order[begin .. end)
    Index end = 0;
    Index right = -1;  // second child; the first follows its parent. -1: a leaf
};

/// Adds one triangle with corners c (relative to the centre).
///   int y dA = A s/3,   int y y^T dA = A/12 (s s^T + sum_k c_k c_k^T),   s = c_0 + c_1 + c_2
void add_triangle(const Corners& c, DipoleMoments& m) {
    const Vec3 n = 0.5 * (c[1] - c[0]).cross(c[2] - c[0]);
    const Vec3 s = c[0] + c[1] + c[2];
    const Vec3 y = s / 3.0;
    const Mat3 Y = (s * s.transpose() + c[0] * c[0].transpose() + c[1] * c[1].transpose() +
                    c[2] * c[2].transpose()) /
                   12.0;
    m.zeroth += n;
    m.first[0] += n.x() * y.x();
    m.first[1] += n.y() * y.y();
    m.first[2] += n.z() * y.z();
    m.first[3] += n.x() * y.y() + n.y() * y.x();
    m.first[4] += n.x() * y.z() + n.z() * y.x();
    m.first[5] += n.y() * y.z() + n.z() * y.y();
    // Entry ijk gathers every order of its indices, as the contraction r_i r_j r_k needs them.
    m.second[0] += n.x() * Y(0, 0);
    m.second[1] += n.y() * Y(1, 1);
    m.second[2] += n.z() * Y(2, 2);
    m.second[3] += 2.0 * n.x() * Y(0, 1) + n.y() * Y(0, 0);
    m.second[4] += 2.0 * n.x() * Y(0, 2) + n.z() * Y(0, 0);
    m.second[5] += 2.0 * n.y() * Y(0, 1) + n.x() * Y(1, 1);
    m.second[6] += 2.0 * n.y() * Y(1, 2) + n.z() * Y(1, 1);
    m.second[7] += 2.0 * n.z() * Y(0, 2) + n.x() * Y(2, 2);
    m.second[8] += 2.0 * n.z() * Y(1, 2) + n.y() * Y(2, 2);
    m.second[9] += 2.0 * (n.x() * Y(1, 2) + n.y() * Y(0, 2) + n.z() * Y(0, 1));
}

/// Taylor expansion of int n . g(r + y) dA with g(r) = r/|r|^3 and r from the query to the centre:
///   g_i = r_i/r^3,   d_j g_i = delta_ij/r^3 - 3 r_i r_j/r^5,
///   d_j d_k g_i = -3 (delta_ij r_k + delta_ik r_j + delta_jk r_i)/r^5 + 15 r_i r_j r_k/r^7
double expansion(const DipoleMoments& m, const Vec3& r, double r2) {
    const double inverse2 = 1.0 / r2;
    const double inverse3 = inverse2 * std::sqrt(inverse2);
    const double inverse5 = inverse3 * inverse2;
    const double x = r.x(), y = r.y(), z = r.z();
    const auto& f = m.first;
    const auto& s = m.second;
    const double quadratic =
        x * x * f[0] + y * y * f[1] + z * z * f[2] + x * y * f[3] + x * z * f[4] + y * z * f[5];
    const double cubic = x * x * x * s[0] + y * y * y * s[1] + z * z * z * s[2] + x * x * y * s[3] +
                         x * x * z * s[4] + x * y * y * s[5] + y * y * z * s[6] + x * z * z * s[7] +
                         y * z * z * s[8] + x * y * z * s[9];
    // (delta_ij r_k + delta_ik r_j + delta_jk r_i) S_ijk, with S as gathered above.
    const double trace = x * (3.0 * s[0] + s[5] + s[7]) + y * (3.0 * s[1] + s[3] + s[8]) +
                         z * (3.0 * s[2] + s[4] + s[6]);
    return m.zeroth.dot(r) * inverse3 + (f[0] + f[1] + f[2]) * inverse3 -
           3.0 * quadratic * inverse5 +
           0.5 * (15.0 * cubic * inverse5 * inverse2 - 3.0 * trace * inverse5);
}

}  // namespace

struct WindingNumber::Tree {
    std::vector<Corners> corners;  // in the order of the leaves
    std::vector<Node> nodes;       // depth first
    double accuracy2 = 9.0;

    void build(const Points& points, const Triangles& triangles);
    void split(std::vector<Index>& order, const std::vector<Vec3>& centroids, Index begin,
               Index end);
    void compute_moments(Node& node) const;
};

void WindingNumber::Tree::build(const Points& points, const Triangles& triangles) {
    const auto n = static_cast<std::size_t>(triangles.rows());
    std::vector<Corners> all(n);
    std::vector<Vec3> centroids(n);
    for (std::size_t t = 0; t < n; ++t) {
        for (std::size_t k = 0; k < 3; ++k) {
            all[t][k] = point(
                points, triangles(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(k)));
        }
        centroids[t] = (all[t][0] + all[t][1] + all[t][2]) / 3.0;
    }
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    if (n > 0) {
        nodes.reserve(n);
        split(order, centroids, 0, static_cast<Index>(n));
    }
    corners.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        corners[i] = all[static_cast<std::size_t>(order[i])];
    }
    parallel_for(nodes.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            compute_moments(nodes[i]);
        }
    });
}

/// Halves the triangles at the median along the longest axis; depth is log2(n).
void WindingNumber::Tree::split(std::vector<Index>& order, const std::vector<Vec3>& centroids,
                                Index begin, Index end) {
    const std::size_t self = nodes.size();
    nodes.emplace_back();
    nodes[self].begin = begin;
    nodes[self].end = end;
    if (end - begin <= kLeafSize) {
        return;
    }
    Bounds box;
    for (Index i = begin; i < end; ++i) {
        box.add(centroids[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
    }
    int axis = 0;
    box.size().maxCoeff(&axis);
    const Index middle = begin + (end - begin) / 2;
    std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                     [&](Index a, Index b) {
                         const double x = centroids[static_cast<std::size_t>(a)][axis];
                         const double y = centroids[static_cast<std::size_t>(b)][axis];
                         return x < y || (x == y && a < b);
                     });
    split(order, centroids, begin, middle);
    nodes[self].right = static_cast<Index>(nodes.size());
    split(order, centroids, middle, end);
}

void WindingNumber::Tree::compute_moments(Node& node) const {
    DipoleMoments& m = node.moments;
    const auto begin = static_cast<std::size_t>(node.begin);
    const auto end = static_cast<std::size_t>(node.end);
    double total = 0.0;
    Vec3 weighted = Vec3::Zero();
    Vec3 plain = Vec3::Zero();
    for (std::size_t i = begin; i < end; ++i) {
        const Corners& c = corners[i];
        const Vec3 centroid = (c[0] + c[1] + c[2]) / 3.0;
        const double area = 0.5 * (c[1] - c[0]).cross(c[2] - c[0]).norm();
        weighted += area * centroid;
        plain += centroid;
        total += area;
    }
    m.centre =
        total > 0.0 ? (weighted / total).eval() : (plain / static_cast<double>(end - begin)).eval();
    for (std::size_t i = begin; i < end; ++i) {
        const Corners c = {corners[i][0] - m.centre, corners[i][1] - m.centre,
                           corners[i][2] - m.centre};
        m.radius2 =
            std::max({m.radius2, c[0].squaredNorm(), c[1].squaredNorm(), c[2].squaredNorm()});
        add_triangle(c, m);
    }
}

WindingNumber::WindingNumber(const TriangleMesh& mesh, const WindingOptions& options)
    : WindingNumber(mesh.points, mesh.triangles, options) {}

WindingNumber::WindingNumber(const Points& points, const Triangles& triangles,
                             const WindingOptions& options)
    : tree_(std::make_unique<Tree>()) {
    require_valid(TriangleMesh{.points = points, .triangles = triangles}, "surface");
    if (!(options.accuracy >= 1.0)) {
        throw InputError({.where = "winding number, accuracy",
                          .found = fmt::format("{}", options.accuracy),
                          .needs = "a number >= 1",
                          .remedy = "use the default of 3, or 8 for more digits"});
    }
    tree_->accuracy2 = options.accuracy * options.accuracy;
    tree_->build(points, triangles);
}

WindingNumber::~WindingNumber() = default;
WindingNumber::WindingNumber(WindingNumber&&) noexcept = default;
WindingNumber& WindingNumber::operator=(WindingNumber&&) noexcept = default;

double WindingNumber::at(const Vec3& p) const {
    const Tree& tree = *tree_;
    if (tree.nodes.empty()) {
        return 0.0;
    }
    // Depth is at most 32: every level halves the number of triangles.
    std::array<Index, 64> stack;
    std::size_t size = 0;
    stack[size++] = 0;
    double sum = 0.0;
    while (size > 0) {
        const Index index = stack[--size];
        const Node& node = tree.nodes[static_cast<std::size_t>(index)];
        const Vec3 r = node.moments.centre - p;
        const double r2 = r.squaredNorm();
        if (r2 > tree.accuracy2 * node.moments.radius2) {
            sum += expansion(node.moments, r, r2);
        } else if (node.right < 0) {
            for (Index i = node.begin; i < node.end; ++i) {
                const Corners& c = tree.corners[static_cast<std::size_t>(i)];
                sum += solid_angle(p, c[0], c[1], c[2]);
            }
        } else {
            stack[size++] = node.right;
            stack[size++] = index + 1;
        }
    }
    return sum / kFourPi;
}

Eigen::VectorXd WindingNumber::at_all(const Points& points) const {
    Eigen::VectorXd result(points.rows());
    parallel_for(static_cast<std::size_t>(points.rows()), kWindingGrain,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) {
                         const auto row = static_cast<Eigen::Index>(i);
                         result[row] = at(point(points, row));
                     }
                 });
    return result;
}

double WindingNumber::exact_at(const Vec3& p) const {
    double sum = 0.0;
    for (const Corners& c : tree_->corners) {
        sum += solid_angle(p, c[0], c[1], c[2]);
    }
    return sum / kFourPi;
}

bool WindingNumber::is_inside(const Vec3& p) const {
    const double fast = at(p);
    if (std::abs(fast - 0.5) > kTooNearToCall) {
        return fast > 0.5;
    }
    return exact_at(p) > 0.5;
}

}  // namespace sinew
