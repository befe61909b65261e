#include "sinew/geometry/rbf_warp.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/dense_cholesky.h"
#include "sinew/geometry/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace sinew {

namespace {

constexpr std::size_t kBlock = 8;      // points that are evaluated side by side
constexpr std::size_t kRbfGrain = 64;  // blocks or columns per piece of work
constexpr double kPlanar = 1e-9;       // thickness over extent below which centres are a plane
constexpr double kMaxResidual = 1e-6;  // of the box: fits that miss by more have broken down
constexpr double kNoise = 64.0 * std::numeric_limits<double>::epsilon();

using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3>;

const char* kWhere = "radial basis warp";

void require_finite(const Points& points, const char* name) {
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        if (!points.row(i).allFinite()) {
            throw InputError(
                {.where = fmt::format("{}, {} {}", kWhere, name, i),
                 .found = fmt::format("({}, {}, {})", points(i, 0), points(i, 1), points(i, 2)),
                 .needs = "finite coordinates",
                 .remedy = "remove this pair of points"});
        }
    }
}

void require_targets(const Points& source, const Points& target) {
    if (source.rows() != target.rows()) {
        throw InputError(
            {.where = kWhere,
             .found = fmt::format("{} source and {} target points", source.rows(), target.rows()),
             .needs = "one target per source point",
             .remedy = "give both lists in the same order"});
    }
    require_finite(target, "target point");
}

void require_usable(const Points& source, const RbfOptions& options) {
    if (source.rows() < 4) {
        throw InputError({.where = kWhere,
                          .found = fmt::format("{} centres", source.rows()),
                          .needs = "at least 4 that do not lie in one plane",
                          .remedy = "add points"});
    }
    if (!(options.smoothing >= 0.0) || std::isinf(options.smoothing)) {
        throw InputError({.where = fmt::format("{}, smoothing", kWhere),
                          .found = fmt::format("{}", options.smoothing),
                          .needs = "a finite number >= 0",
                          .remedy = "use 0 to reach the targets exactly"});
    }
    require_finite(source, "source point");
}

/// Names the two nearest centres; only called when the fit has failed.
[[noreturn]] void refuse_coincident(const Points& source) {
    double best = std::numeric_limits<double>::infinity();
    Eigen::Index first = 0;
    Eigen::Index second = 0;
    for (Eigen::Index i = 0; i < source.rows(); ++i) {
        for (Eigen::Index j = i + 1; j < source.rows(); ++j) {
            const double d2 = (source.row(i) - source.row(j)).squaredNorm();
            if (d2 < best) {
                best = d2;
                first = i;
                second = j;
            }
        }
    }
    throw InputError({.where = fmt::format("{}, source points {} and {}", kWhere, first, second),
                      .found = fmt::format("a distance of {} m", std::sqrt(best)),
                      .needs = "centres that are clearly apart",
                      .remedy = "merge points that coincide, or use smoothing > 0"});
}

/// Phi_ij = |c_i - c_j|^3 with `smoothing` on the diagonal.
Eigen::MatrixXd kernel_matrix(const Rows& centres, double smoothing) {
    const Eigen::Index n = centres.rows();
    Eigen::MatrixXd Phi(n, n);
    parallel_for(static_cast<std::size_t>(n), kRbfGrain, [&](std::size_t begin, std::size_t end) {
        for (auto j = static_cast<Eigen::Index>(begin); j < static_cast<Eigen::Index>(end); ++j) {
            const auto r2 = (centres.col(0).array() - centres(j, 0)).square() +
                            (centres.col(1).array() - centres(j, 1)).square() +
                            (centres.col(2).array() - centres(j, 2)).square();
            Phi.col(j).array() = r2 * r2.sqrt();
            Phi(j, j) = smoothing;
        }
    });
    return Phi;
}

/// A <- H A H for the reflection H = 1 - tau v v^T: with p = tau A v and
/// q = p - tau/2 (p.v) v this is A - v q^T - q v^T.
void reflect(Eigen::MatrixXd& A, const Eigen::VectorXd& v, double tau) {
    const auto n = static_cast<std::size_t>(A.rows());
    Eigen::VectorXd p(A.rows());
    parallel_for(n, kRbfGrain, [&](std::size_t begin, std::size_t end) {
        for (auto j = static_cast<Eigen::Index>(begin); j < static_cast<Eigen::Index>(end); ++j) {
            p[j] = tau * A.col(j).dot(v);
        }
    });
    const Eigen::VectorXd q = p - 0.5 * tau * p.dot(v) * v;
    parallel_for(n, kRbfGrain, [&](std::size_t begin, std::size_t end) {
        for (auto j = static_cast<Eigen::Index>(begin); j < static_cast<Eigen::Index>(end); ++j) {
            A.col(j) -= q[j] * v + v[j] * q;
        }
    });
}

/// Solves  [Phi P; P^T 0] [w; a] = [d; 0].
///
/// r^3 is conditionally positive definite: Phi is positive on the vectors that P^T annihilates. So
/// with P = Q [R; 0] the lower right block of Q^T Phi Q is positive definite, and a Cholesky
/// factorisation of half the cost of a general one does.
class SaddlePoint {
public:
    SaddlePoint(const Rows& centres, double smoothing)
        : Phi_(kernel_matrix(centres, smoothing)), R_(centres.rows(), 4) {
        R_ << Eigen::VectorXd::Ones(centres.rows()), centres;
        for (Eigen::Index k = 0; k < 4; ++k) {
            reflections_[static_cast<std::size_t>(k)] = reflection(R_.col(k), k);
            reflections_[static_cast<std::size_t>(k)].apply(R_);
        }
    }

    /// Smallest over largest diagonal entry of R: 0 when all centres lie in one plane.
    double thickness() const {
        const Eigen::Vector4d diagonal = R_.diagonal().cwiseAbs();
        return diagonal.minCoeff() / diagonal.maxCoeff();
    }

    /// @return false when the centres (nearly) coincide
    bool factor(const Progress& progress) {
        const Eigen::Index n = R_.rows();
        for (const Reflection& H : reflections_) {
            reflect(Phi_, H.v, H.tau);
        }
        return n == 4 || factor_dense_cholesky(Phi_.bottomRightCorner(n - 4, n - 4), progress);
    }

    /// d is n x 3; parts of it that an affine map explains up to `noise` get no weights.
    void solve(const Rows& d, double noise, Rows& w, Eigen::Matrix<double, 4, 3>& a) const {
        const Eigen::Index n = R_.rows();
        Eigen::MatrixXd y = d;
        for (const Reflection& H : reflections_) {
            H.apply(y);
        }
        Eigen::MatrixXd z = Eigen::MatrixXd::Zero(n, 3);
        const auto rest = y.bottomRows(n - 4);
        if (n > 4 && rest.cwiseAbs().maxCoeff() > noise) {
            Eigen::MatrixXd inner = rest;
            solve_dense_cholesky(Phi_.bottomRightCorner(n - 4, n - 4), inner);
            z.bottomRows(n - 4) = inner;
        }
        // R a = top of Q^T (d - Phi w); the upper right block of Q^T Phi Q is still in place.
        const auto coupling = Phi_.bottomLeftCorner(n - 4, 4);
        for (Eigen::Index c = 0; c < 3; ++c) {
            for (Eigen::Index k = 3; k >= 0; --k) {
                double right = y(k, c) - coupling.col(k).dot(z.col(c).tail(n - 4));
                for (Eigen::Index j = k + 1; j < 4; ++j) {
                    right -= R_(k, j) * a(j, c);
                }
                a(k, c) = right / R_(k, k);
            }
        }
        std::for_each(reflections_.rbegin(), reflections_.rend(),
                      [&](const Reflection& H) { H.apply(z); });
        w = z;
    }

private:
    /// H = 1 - tau v v^T.
    struct Reflection {
        Eigen::VectorXd v = {};
        double tau = 0.0;

        void apply(Eigen::MatrixXd& A) const {
            for (Eigen::Index j = 0; j < A.cols(); ++j) {
                A.col(j) -= tau * v.dot(A.col(j)) * v;
            }
        }
    };

    /// The one that leaves x[k] as the last entry of x that is not zero.
    static Reflection reflection(const Eigen::VectorXd& x, Eigen::Index k) {
        Reflection H{.v = Eigen::VectorXd::Zero(x.size())};
        const Eigen::Index below = x.size() - k - 1;
        const double length = x.tail(below + 1).norm();
        const double pivot = x[k] > 0.0 ? -length : length;
        H.v[k] = 1.0;
        if (length > 0.0) {
            H.v.tail(below) = x.tail(below) / (x[k] - pivot);
            H.tau = (pivot - x[k]) / pivot;
        }
        return H;
    }

    Eigen::MatrixXd Phi_;
    Eigen::MatrixXd R_;  // n x 4, upper triangular
    std::array<Reflection, 4> reflections_ = {};
};

}  // namespace

struct RbfSystem::Data {
    Points source;
    RbfOptions options;
    Vec3 origin = Vec3::Zero();
    double scale = 1.0;
    Rows centres;  // moved and scaled to the unit box
    std::optional<SaddlePoint> system;
};

RbfSystem::RbfSystem(const Points& source, const RbfOptions& options, const Progress& progress)
    : data_(std::make_unique<Data>()) {
    require_usable(source, options);
    Data& d = *data_;
    d.source = source;
    d.options = options;
    const Bounds box = bounds(source);
    d.origin = box.centre();
    const double extent = box.size().maxCoeff();
    d.scale = extent > 0.0 ? 1.0 / extent : 1.0;
    d.centres = d.scale * (source.rowwise() - d.origin.transpose());
    d.system.emplace(d.centres, options.smoothing);
    if (!(d.system->thickness() > kPlanar)) {
        throw InputError({.where = kWhere,
                          .found = "source points that lie in one plane, on a line or in a point",
                          .needs = "points spread in all three directions",
                          .remedy = "add a point off the plane"});
    }
    if (!d.system->factor(progress)) {
        refuse_coincident(source);
    }
}

RbfSystem::~RbfSystem() = default;
RbfSystem::RbfSystem(RbfSystem&&) noexcept = default;
RbfSystem& RbfSystem::operator=(RbfSystem&&) noexcept = default;

const Points& RbfSystem::source() const {
    return data_->source;
}

RbfWarp RbfSystem::to(const Points& target) const {
    const Data& d = *data_;
    require_targets(d.source, target);
    RbfWarp warp;
    warp.origin_ = d.origin;
    warp.scale_ = d.scale;
    warp.centres_ = d.centres;
    const Rows displacement = d.scale * (target - d.source);
    const double largest = std::max(
        {1.0, d.scale * d.source.cwiseAbs().maxCoeff(), d.scale * target.cwiseAbs().maxCoeff()});
    d.system->solve(displacement, kNoise * largest, warp.weights_, warp.affine_);

    // One step of refinement: what the first solution leaves is fitted again and added.
    const double smoothing = d.options.smoothing;
    const auto residual = [&] {
        Points moved = warp.centres_;
        Points fitted(moved.rows(), 3);
        const auto blocks = static_cast<std::size_t>(moved.rows());
        parallel_for(blocks, kRbfGrain, [&](std::size_t begin, std::size_t end) {
            warp.displace(moved.data() + 3 * begin, fitted.data() + 3 * begin, end - begin);
        });
        return (displacement - smoothing * warp.weights_ - fitted).eval();
    };
    Rows weights;
    Eigen::Matrix<double, 4, 3> affine;
    d.system->solve(residual(), kNoise * largest, weights, affine);
    warp.weights_ += weights;
    warp.affine_ += affine;
    const double left = residual().rowwise().norm().maxCoeff();
    if (!(left <= kMaxResidual * largest)) {
        refuse_coincident(d.source);
    }
    warp.largest_residual_ =
        (smoothing > 0.0 ? (smoothing * warp.weights_).rowwise().norm().maxCoeff() : left) /
        d.scale;
    return warp;
}

RbfWarp::RbfWarp(const Points& source, const Points& target, const RbfOptions& options,
                 const Progress& progress) {
    require_targets(source, target);
    *this = RbfSystem(source, options, progress).to(target);
}

void RbfWarp::displace(const double* points, double* out, std::size_t count) const {
    const Eigen::Index n = centres_.rows();
    const double* cx = centres_.col(0).data();
    const double* cy = centres_.col(1).data();
    const double* cz = centres_.col(2).data();
    const double* wx = weights_.col(0).data();
    const double* wy = weights_.col(1).data();
    const double* wz = weights_.col(2).data();
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
        // Points side by side in vector registers; each sums over the centres in their order.
        const std::size_t used = std::min(kBlock, count - begin);
        double px[kBlock], py[kBlock], pz[kBlock];
        double sx[kBlock] = {}, sy[kBlock] = {}, sz[kBlock] = {};
        for (std::size_t k = 0; k < kBlock; ++k) {
            const double* p = points + 3 * (begin + std::min(k, used - 1));
            px[k] = p[0];
            py[k] = p[1];
            pz[k] = p[2];
        }
        for (Eigen::Index j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < kBlock; ++k) {
                const double dx = px[k] - cx[j];
                const double dy = py[k] - cy[j];
                const double dz = pz[k] - cz[j];
                const double r2 = dx * dx + dy * dy + dz * dz;
                const double r3 = r2 * std::sqrt(r2);
                sx[k] += wx[j] * r3;
                sy[k] += wy[j] * r3;
                sz[k] += wz[j] * r3;
            }
        }
        for (std::size_t k = 0; k < used; ++k) {
            const Eigen::Vector4d one_p(1.0, px[k], py[k], pz[k]);
            const Vec3 u = affine_.transpose() * one_p + Vec3(sx[k], sy[k], sz[k]);
            out[3 * (begin + k)] = u.x();
            out[3 * (begin + k) + 1] = u.y();
            out[3 * (begin + k) + 2] = u.z();
        }
    }
}

Vec3 RbfWarp::at(const Vec3& p) const {
    const Vec3 inner = scale_ * (p - origin_);
    Vec3 u;
    displace(inner.data(), u.data(), 1);
    return p + u / scale_;
}

Points RbfWarp::apply(const Points& points) const {
    Points result(points.rows(), 3);
    parallel_for(static_cast<std::size_t>(points.rows()), kRbfGrain,
                 [&](std::size_t begin, std::size_t end) {
                     const auto first = static_cast<Eigen::Index>(begin);
                     const auto count = static_cast<Eigen::Index>(end - begin);
                     const Points inner =
                         scale_ * (points.middleRows(first, count).rowwise() - origin_.transpose());
                     Points u(count, 3);
                     displace(inner.data(), u.data(), end - begin);
                     result.middleRows(first, count) = points.middleRows(first, count) + u / scale_;
                 });
    return result;
}

}  // namespace sinew
