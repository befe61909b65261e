#include "sinew/skinning/skin_upsampling.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/linalg/dense.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/validity.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

// A fine skin from a coarse one by moving least squares [Komaritzan, section 3.2.4, eqs. 3.2-3.9].
// Shape functions N_i of the nearest coarse vertices along edges reproduce quadratic functions at
// rest,
//
//   N_i(p) = w_i psi_i^T (sum_j w_j psi_j psi_j^T)^-1 psi(p),
//
// and are kept: a frame is one sparse product. Distances are along edges, not through the air, or
// the lips would share weights. Normals have weights of their own, in the space of normals.
//
// Departs: K is inverted with a cut on its eigenvalues that rises until weights are moderate, then
// with fewer monomials, since vertices on a flat patch leave it singular. What the weights miss at
// rest is kept as an offset in the frame of the nearest triangle, so the rest shape is exact.
// Weights are 16-bit numbers in blocks (blocked_sums.h): upsampling is bound by memory.

namespace sinew {
namespace {

constexpr std::size_t kUpsamplingPiece = 256;
constexpr double kLargestSum = 8.0;    // of |N_ij| over i: more would amplify noise
constexpr double kFlatNormals = 1e-3;  // normals that differ by less are one
constexpr double kNothingLeft = 1e-5;  // m; smaller remainders are not kept

constexpr int kTerms = 10;
using Monomials = Eigen::Matrix<double, kTerms, 1>;
Monomials psi(const Vec3& p) {
    Monomials m;
    m << 1, p.x(), p.y(), p.z(), p.x() * p.x(), p.y() * p.y(), p.z() * p.z(), p.x() * p.y(),
        p.x() * p.z(), p.y() * p.z();
    return m;
}

struct Near {
    Index vertex;
    double distance;
};

// The nearest vertices along edges, from a start at the corners of a triangle. Memory is kept
// between calls.
// Dijkstra's method, ended after the nearest few; only what it touched is reset.
class EdgeWalk {
public:
    EdgeWalk(const Points& points, const Lists& neighbours)
        : points_(points),
          neighbours_(neighbours),
          distance_(at(points.rows()), -1.0),
          is_done_(at(points.rows()), 0) {}

    void find(const Vec3& p, const Eigen::Matrix<Index, 1, 3>& corners, std::size_t count,
              std::vector<Near>& found) {
        found.clear();
        heap_.clear();
        for (int k = 0; k < 3; ++k) {
            offer(corners[k], (p - point(points_, corners[k])).norm());
        }
        while (!heap_.empty() && found.size() < count) {
            std::pop_heap(heap_.begin(), heap_.end(), is_later);
            const Near next = heap_.back();
            heap_.pop_back();
            if (is_done_[at(next.vertex)] != 0) {
                continue;
            }
            is_done_[at(next.vertex)] = 1;
            found.push_back(next);
            for (const Index n : neighbours_[at(next.vertex)]) {
                offer(n, next.distance + (points_.row(n) - points_.row(next.vertex)).norm());
            }
        }
        for (const Index v : touched_) {
            distance_[at(v)] = -1.0;
            is_done_[at(v)] = 0;
        }
        touched_.clear();
    }

private:
    static bool is_later(const Near& a, const Near& b) {
        return a.distance != b.distance ? a.distance > b.distance : a.vertex > b.vertex;
    }
    void offer(Index v, double distance) {
        double& known = distance_[at(v)];
        if (known >= 0.0 && known <= distance) {
            return;
        }
        if (known < 0.0) {
            touched_.push_back(v);
        }
        known = distance;
        heap_.push_back({v, distance});
        std::push_heap(heap_.begin(), heap_.end(), is_later);
    }

    const Points& points_;
    const Lists& neighbours_;
    std::vector<double> distance_;
    std::vector<char> is_done_;
    std::vector<Index> touched_ = {};
    std::vector<Near> heap_ = {};
};

// N_i = w_i psi_i^T K^+ psi for the first monomials, with the largest precision whose weights stay
// moderate: eigenvalues that are too small count as zero (the pseudo-inverse), and where that is
// not enough quadratic terms are left out, then linear ones.
class ShapeFunctions {
public:
    ShapeFunctions(std::span<const Vec3> points, std::span<const double> weights)
        : weights_(weights) {
        for (const Vec3& p : points) {
            psi_.push_back(psi(p));
        }
    }

    Eigen::VectorXd at(const Vec3& p, int terms) const {
        Eigen::VectorXd N(static_cast<Eigen::Index>(psi_.size()));
        const Monomials here = psi(p);
        for (int n = terms; n > 1; n = n == 10 ? 4 : 1) {
            if (try_terms(here, n, N)) {
                return N;
            }
        }
        const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
        for (std::size_t i = 0; i < psi_.size(); ++i) {
            N[static_cast<Eigen::Index>(i)] = weights_[i] / sum;
        }
        return N;
    }

private:
    // At most ten terms: no memory from the heap.
    using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kTerms, 1>;

    bool try_terms(const Monomials& here, int n, Eigen::VectorXd& N) const {
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
        for (std::size_t i = 0; i < psi_.size(); ++i) {
            K += weights_[i] * psi_[i].head(n) * psi_[i].head(n).transpose();
        }
        const SymmetricEigen eigen = symmetric_eigen(K);
        const Vector in_eigen = eigen.vectors.transpose() * here.head(n);
        const double largest = eigen.values[n - 1];
        for (double cut = 1e-12; cut < 1e-3; cut *= 10.0) {
            Vector scaled = in_eigen;
            for (int k = 0; k < n; ++k) {
                scaled[k] = eigen.values[k] > cut * largest ? scaled[k] / eigen.values[k] : 0.0;
            }
            const Vector c = eigen.vectors * scaled;
            for (std::size_t i = 0; i < psi_.size(); ++i) {
                N[static_cast<Eigen::Index>(i)] = weights_[i] * psi_[i].head(n).dot(c);
            }
            const double sum = N.sum();
            if (N.allFinite() && N.cwiseAbs().sum() < kLargestSum && std::abs(sum - 1.0) < 0.01) {
                N /= sum;
                return true;
            }
        }
        return false;
    }

    std::span<const double> weights_;
    std::vector<Monomials> psi_ = {};
};

// Rows of remainders are rotated with the nearest triangle, never stretched: details keep their
// size.
Mat3 frame_of(const Points& x, const Triangles& triangles, Index t) {
    const Vec3 a = point(x, triangles(t, 0));
    const Vec3 u = (point(x, triangles(t, 1)) - a).normalized();
    const Vec3 n = u.cross(point(x, triangles(t, 2)) - a).normalized();
    Mat3 frame;
    frame << u, n.cross(u), n;
    return frame;
}

}  // namespace

SkinUpsampling::SkinUpsampling(const TriangleMesh& coarse, const TriangleMesh& fine,
                               const UpsamplingOptions& options, const Progress& progress)
    : triangles_(coarse.triangles), weights_{.neighbours = options.neighbours} {
    require_valid(coarse, "coarse skin");
    require_valid(fine, "fine skin");
    SINEW_ASSERT(weights_.neighbours >= 4, "{} neighbours", weights_.neighbours);
    if (coarse.triangles.rows() == 0) {
        throw InputError({.where = "coarse skin",
                          .found = "no triangles",
                          .needs = "a surface",
                          .remedy = "simulate more vertices"});
    }
    const std::size_t count = at(fine.points.rows());
    const std::size_t k = at(weights_.neighbours);
    const SurfaceTree tree(coarse);
    const std::vector<ClosestPoint> near = tree.closest_points(fine.points);
    const Lists ring = neighbours_of_vertices(coarse.triangles, coarse.points.rows());
    weights_.nearest_triangle.resize(count);
    weights_.index.assign(k * count, 0);
    weights_.weight.assign(k * count, 0.0f);
    weights_.normal_weight.assign(k * count, 0.0f);
    const Points coarse_normals = vertex_normals(coarse);
    const Points fine_normals = vertex_normals(fine);
    auto stage = progress.stage("upsampling weights", count);
    parallel_for(count, kUpsamplingPiece, [&](std::size_t begin, std::size_t end) {
        EdgeWalk walk(coarse.points, ring);
        std::vector<Near> found;
        std::vector<Vec3> points;
        std::vector<double> weights;
        Eigen::VectorXd N;
        for (std::size_t j = begin; j < end; ++j) {
            const Vec3 p = point(fine.points, static_cast<Eigen::Index>(j));
            weights_.nearest_triangle[j] = near[j].triangle;
            walk.find(p, triangles_.row(near[j].triangle), k + 1, found);
            // The support ends at the (k + 1)-st; all points in its unit sphere about their mean.
            const double rho =
                std::max(1.0001 * found.back().distance, std::numeric_limits<double>::min());
            if (found.size() > k) {
                found.pop_back();
            }
            Vec3 mean = Vec3::Zero();
            for (const Near& n : found) {
                mean += point(coarse.points, n.vertex) / static_cast<double>(found.size());
            }
            points.clear();
            weights.clear();
            for (const Near& n : found) {
                points.emplace_back((point(coarse.points, n.vertex) - mean) / rho);
                const double s = n.distance / rho;
                // w(d) = (1 - d / rho)^3 [Komaritzan, eq. 3.3]
                weights.push_back(std::max(std::pow(1.0 - s, 3), 1e-9));
            }
            const Vec3 centred = (p - mean) / rho;
            N = ShapeFunctions(points, weights).at(centred, kTerms);
            for (std::size_t i = 0; i < found.size(); ++i) {
                weights_.index[k * j + i] = found[i].vertex;
                weights_.weight[k * j + i] = static_cast<float>(N[static_cast<Eigen::Index>(i)]);
            }
            // The same with normals in place of points [Komaritzan, section 3.2.4], about their
            // mean as well.
            points.clear();
            Vec3 mean_normal = Vec3::Zero();
            for (const Near& n : found) {
                points.emplace_back(point(coarse_normals, n.vertex));
                mean_normal += points.back() / static_cast<double>(found.size());
            }
            double spread = kFlatNormals;
            for (Vec3& n : points) {
                n -= mean_normal;
                spread = std::max(spread, n.norm());
            }
            for (Vec3& n : points) {
                n /= spread;
            }
            const Vec3 normal = point(fine_normals, static_cast<Eigen::Index>(j));
            N = ShapeFunctions(points, weights).at((normal - mean_normal) / spread, 4);
            for (std::size_t i = 0; i < found.size(); ++i) {
                weights_.normal_weight[k * j + i] =
                    static_cast<float>(N[static_cast<Eigen::Index>(i)]);
            }
        }
        stage.advance(end - begin);
    });
    pack_weights(coarse.points);
    Points reached(fine.points.rows(), 3);
    positions_.apply(coarse.points, reached);
    for (Index j = 0; j < static_cast<Index>(count); ++j) {
        const Vec3 remainder = point(fine.points, j) - point(reached, j);
        if (remainder.norm() > kNothingLeft) {
            const Mat3 frame =
                frame_of(coarse.points, triangles_, weights_.nearest_triangle[at(j)]);
            weights_.left.push_back({j, frame.transpose() * remainder});
        }
    }
}

SkinUpsampling::SkinUpsampling(const TriangleMesh& coarse, UpsamplingWeights weights)
    : triangles_(coarse.triangles), weights_(std::move(weights)) {
    const std::size_t entries = weights_.nearest_triangle.size() * at(weights_.neighbours);
    const auto all_below = [](const std::vector<Index>& numbers, Eigen::Index end) {
        return std::all_of(numbers.begin(), numbers.end(),
                           [end](Index i) { return i >= 0 && i < end; });
    };
    const auto all_finite = [](const std::vector<float>& numbers) {
        return std::all_of(numbers.begin(), numbers.end(),
                           [](float w) { return std::isfinite(w); });
    };
    if (weights_.neighbours < 4 || weights_.index.size() != entries ||
        weights_.weight.size() != entries || weights_.normal_weight.size() != entries ||
        !all_finite(weights_.weight) || !all_finite(weights_.normal_weight) ||
        !all_below(weights_.index, coarse.points.rows()) ||
        !all_below(weights_.nearest_triangle, triangles_.rows()) ||
        std::any_of(weights_.left.begin(), weights_.left.end(),
                    [&](const UpsamplingWeights::Left& left) {
                        return left.vertex < 0 || left.vertex >= fine_vertices();
                    })) {
        throw InputError({.where = "upsampling weights",
                          .found = "numbers beyond the meshes",
                          .needs = "weights of these two meshes",
                          .remedy = "compute them again"});
    }
    pack_weights(coarse.points);
}

// In the order of where the weights take the vertices at rest.
void SkinUpsampling::pack_weights(const Points& coarse) {
    const std::size_t k = at(weights_.neighbours);
    Points places(fine_vertices(), 3);
    for (std::size_t j = 0; j < weights_.nearest_triangle.size(); ++j) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = k * j; i < k * (j + 1); ++i) {
            sum += static_cast<double>(weights_.weight[i]) * point(coarse, weights_.index[i]);
        }
        places.row(static_cast<Eigen::Index>(j)) = sum.transpose();
    }
    const std::vector<Index> order = ordered_in_blocks(places);
    positions_ = BlockedSums(weights_.index, weights_.weight, k, order);
    normals_ = BlockedSums(weights_.index, weights_.normal_weight, k, order);
}

void SkinUpsampling::apply(const Points& coarse, Points& fine) const {
    fine.resize(fine_vertices(), 3);
    positions_.apply(coarse, fine);
    parallel_for(weights_.left.size(), kUpsamplingPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const UpsamplingWeights::Left& left = weights_.left[i];
            const Mat3 frame =
                frame_of(coarse, triangles_, weights_.nearest_triangle[at(left.vertex)]);
            if (frame.allFinite()) {
                fine.row(left.vertex) += (frame * left.offset).transpose();
            }
        }
    });
}

void SkinUpsampling::apply_normals(const Points& coarse_normals, Points& fine_normals) const {
    fine_normals.resize(fine_vertices(), 3);
    normals_.apply(coarse_normals, fine_normals);
    parallel_for(at(fine_normals.rows()), kUpsamplingPiece,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t j = begin; j < end; ++j) {
                         auto row = fine_normals.row(static_cast<Eigen::Index>(j));
                         const double length = row.norm();
                         row = length > 0.0 ? Eigen::RowVector3d(row / length)
                                            : Eigen::RowVector3d(Vec3::UnitY().transpose());
                     }
                 });
}

}  // namespace sinew
