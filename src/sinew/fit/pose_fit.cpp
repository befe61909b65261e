#include "sinew/fit/pose_fit.h"

#include "sinew/base/parallel.h"
#include "sinew/linalg/dense.h"

#include <cmath>

// One step of fitting a rig to pulls: half the weighted squares of pulls (point to plane or point
// to point) and of a Gaussian prior on angles, shape and scale. Gauss and Newton's method, damped
// by halving until the cost falls; angles at a limit that the gradient presses on are left out of
// the step.

namespace sinew {
namespace {

constexpr std::size_t kPullPiece = 256;
constexpr int kMaxHalvings = 6;

Vec3 pulled_point(const PoseRig::Placement& p, const RigPull& pull) {
    Vec3 x = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
        if (pull.barycentric[k] != 0.0) {
            x += pull.barycentric[k] * point(p.world, pull.vertex[at(k)]);
        }
    }
    return x;
}

// Calls f(n, r) for every residual r = n . (x - target) of a pull.
template <class F>
void each_residual(const PoseRig::Placement& p, const RigPull& pull, F&& f) {
    const Vec3 r = pulled_point(p, pull) - pull.target;
    if (!pull.normal.isZero()) {
        f(pull.normal, pull.normal.dot(r));
        return;
    }
    for (int k = 0; k < 3; ++k) {
        f(Vec3(Vec3::Unit(k)), r[k]);
    }
}

void add_prior(const PoseRig& rig, const RigState& state, const RigPrior& prior, PullSystem& s) {
    const double scale = 1.0 / (prior.scale_sigma * prior.scale_sigma);
    s.g[6] += scale * std::log(state.scale / prior.scale);
    s.H(6, 6) += scale;
    const auto A = static_cast<Eigen::Index>(rig.angles().size());
    for (Eigen::Index a = 0; a < A; ++a) {
        const double sigma = rig.angles()[at(a)].sigma;
        const double w = prior.angle_weight / (sigma * sigma);
        s.g[7 + a] += w * (state.angles[a] - prior.angles[a]);
        s.H(7 + a, 7 + a) += w;
    }
    for (std::size_t k = 0; k < rig.modes().size(); ++k) {
        const double sigma = rig.modes()[k].sigma;
        const auto i = 7 + A + static_cast<Eigen::Index>(k);
        const double w = prior.shape_weight / (sigma * sigma);
        s.g[i] += w * state.shape[static_cast<Eigen::Index>(k)];
        s.H(i, i) += w;
    }
}

}  // namespace

double pull_cost(const PoseRig& rig, const PoseRig::Placement& placement,
                 const std::vector<RigPull>& pulls, const RigPrior& prior) {
    double sum = 0.0;
    for (const RigPull& pull : pulls) {
        each_residual(placement, pull, [&](const Vec3&, double r) { sum += pull.weight * r * r; });
    }
    const RigState& state = placement.state;
    const double scale = std::log(state.scale / prior.scale) / prior.scale_sigma;
    sum += scale * scale;
    for (std::size_t a = 0; a < rig.angles().size(); ++a) {
        const auto i = static_cast<Eigen::Index>(a);
        const double r = (state.angles[i] - prior.angles[i]) / rig.angles()[a].sigma;
        sum += prior.angle_weight * r * r;
    }
    for (std::size_t k = 0; k < rig.modes().size(); ++k) {
        const double r = state.shape[static_cast<Eigen::Index>(k)] / rig.modes()[k].sigma;
        sum += prior.shape_weight * r * r;
    }
    return 0.5 * sum;
}

PullSystem pull_system(const PoseRig& rig, const PoseRig::Placement& placement,
                       const std::vector<RigPull>& pulls, const RigPrior& prior) {
    const Eigen::Index P = rig.unknowns();
    PullSystem zero{.H = Eigen::MatrixXd::Zero(P, P), .g = Eigen::VectorXd::Zero(P)};
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    PullSystem s = parallel_reduce(
        pulls.size(), kPullPiece, zero,
        [&](std::size_t begin, std::size_t end) {
            Rows J = Rows::Zero(static_cast<Eigen::Index>(3 * (end - begin)), P);
            Eigen::VectorXd r = Eigen::VectorXd::Zero(J.rows());
            Eigen::Index row = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const RigPull& pull = pulls[i];
                const double root = std::sqrt(pull.weight);
                each_residual(placement, pull, [&](const Vec3& n, double residual) {
                    for (int k = 0; k < 3; ++k) {
                        if (pull.barycentric[k] != 0.0) {
                            rig.add_row(placement, pull.vertex[at(k)], n,
                                        root * pull.barycentric[k], J.row(row).data());
                        }
                    }
                    r[row++] = root * residual;
                });
            }
            PullSystem part{.H = Eigen::MatrixXd::Zero(P, P), .g = Eigen::VectorXd::Zero(P)};
            part.H.selfadjointView<Eigen::Lower>().rankUpdate(J.topRows(row).transpose());
            part.g = J.topRows(row).transpose() * r.head(row);
            return part;
        },
        [](PullSystem a, const PullSystem& b) {
            a.H += b.H;
            a.g += b.g;
            return a;
        });
    s.H.triangularView<Eigen::StrictlyUpper>() = s.H.transpose();
    add_prior(rig, placement.state, prior, s);
    return s;
}

RigState improved(const PoseRig& rig, const RigState& state, const std::vector<RigPull>& pulls,
                  const RigPrior& prior) {
    const PoseRig::Placement now = rig.placed(state);
    PullSystem s = pull_system(rig, now, pulls, prior);
    const auto A = static_cast<Eigen::Index>(rig.angles().size());
    const auto hold = [&](Eigen::Index i) {
        s.H.row(i).setZero();
        s.H.col(i).setZero();
        s.H(i, i) = 1.0;
        s.g[i] = 0.0;
    };
    for (Eigen::Index i = 7; i < s.g.size(); ++i) {
        if (i < 7 + A ? !prior.moves_angles : !prior.moves_shape) {
            hold(i);
        }
    }
    for (Eigen::Index a = 0; a < A; ++a) {
        const RigAngle& angle = rig.angles()[at(a)];
        const bool is_held = (state.angles[a] >= angle.high - 1e-9 && s.g[7 + a] < 0.0) ||
                             (state.angles[a] <= angle.low + 1e-9 && s.g[7 + a] > 0.0);
        if (is_held) {
            hold(7 + a);
        }
    }
    s.H.diagonal() *= 1.0 + 1e-6;
    s.H.diagonal().array() += 1e-9;
    Eigen::VectorXd step = solve_symmetric(s.H, -s.g);
    // No joint turns by more than half a radian at once: beyond that the linear model is wrong.
    const double largest =
        std::max(step.segment(7, A).cwiseAbs().maxCoeff(), step.head<3>().cwiseAbs().maxCoeff());
    step *= std::min(1.0, 0.5 / std::max(largest, 1e-12));
    const double before = pull_cost(rig, now, pulls, prior);
    for (int halving = 0; halving < kMaxHalvings; ++halving, step *= 0.5) {
        RigState next = rig.moved(state, step, now.centre);
        if (pull_cost(rig, rig.placed(next), pulls, prior) < before) {
            return next;
        }
    }
    return state;
}

}  // namespace sinew
