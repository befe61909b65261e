#include "sinew/body/pose_solver.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/linalg/dense.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kMostSteps = 12;
constexpr double kConverged = 1e-12;    // of the cost, where it is as good as 0
constexpr double kSmallStep = 1e-6;     // rad or m
constexpr double kNoGain = 1e-6;        // of the cost, that a step must win
constexpr double kFirstDamping = 1e-4;  // of the diagonal's mean

// Angles of the rotations by three axes at right angles, R(a0) R(a1) R(a2), in two ways.
std::array<Vec3, 2> angles_about(const std::array<Vec3, 3>& axes, const Mat3& R) {
    Mat3 A;
    A << axes[0], axes[1], axes[2];
    // Axes of the left hand are those of the right hand turned backwards.
    const double sense = A.determinant() < 0.0 ? -1.0 : 1.0;
    A *= sense;
    const Vec3 one = sense * xyz_from_rotation(A.transpose() * R * A);
    const double pi = kPi;
    return {one, Vec3(one[0] + pi, pi - one[1], one[2] + pi)};
}

double near_to(double angle, double last) {
    return last + std::remainder(angle - last, 2.0 * kPi);
}

// The angle in [low, high] that is nearest, over full turns.
double within(double angle, double low, double high, double last) {
    double best = std::clamp(near_to(angle, last), low, high);
    for (const int turns : {-1, 0, 1}) {
        const double other = near_to(angle, 0.0) + 2.0 * kPi * turns;
        const auto outside = [&](double a) { return std::abs(a - std::clamp(a, low, high)); };
        if (outside(other) + 1e-9 < outside(near_to(angle, last))) {
            best = std::clamp(other, low, high);
            if (outside(other) == 0.0) {
                break;
            }
        }
    }
    return best;
}

Vec3 rotation_vector(const Mat3& R) {
    const Eigen::AngleAxisd turn(R);
    return turn.angle() * turn.axis();
}

}  // namespace

PoseSolver::PoseSolver(const MusculoskeletalModel& model) : model_(model), tree_(model) {
    model_.muscles.clear();
    rest_ = tree_.place(rest_coordinates(model_));
    now_ = rest_;
    for (const Coordinate& c : model_.coordinates) {
        const bool is_free = model_.joints[at(c.joint)].parent < 0;
        const bool is_limited = !is_free && c.low <= c.high;
        low_.push_back(c.is_locked ? c.rest : is_limited ? c.low : -HUGE_VAL);
        high_.push_back(c.is_locked ? c.rest : is_limited ? c.high : HUGE_VAL);
    }
}

const ModelPlacement& PoseSolver::place(std::span<const double> q) {
    tree_.update(q, now_);
    return now_;
}

Vec3 PoseSolver::centre(Index joint) const {
    const ModelJoint& j = model_.joints[at(joint)];
    return rest_.bodies[at(j.child)] * j.child_frame.position;
}

Vec3 PoseSolver::position(const ModelPlacement& placement, const CarriedPoint& point) const {
    if (point.body < 0) {
        return point.rest;
    }
    const auto b = static_cast<std::size_t>(point.body);
    return placement.bodies[b] * (rest_.bodies[b].inverse() * point.rest);
}

Mat3 PoseSolver::rotation(const ModelPlacement& placement, Index body) const {
    const auto b = static_cast<std::size_t>(body);
    return placement.bodies[b].rotation * rest_.bodies[b].rotation.transpose();
}

// Angles of a joint's axes whose rotation is X, or comes near it within their limits.
void PoseSolver::set_angles(const ModelJoint& j, const Mat3& X, std::vector<double>& q) const {
    std::vector<std::size_t> moving;
    bool is_simple = true;
    for (std::size_t k = 0; k < 3; ++k) {
        const JointAxis& axis = j.axes[k];
        if (axis.coordinate >= 0) {
            moving.push_back(k);
            is_simple = is_simple && axis.function.kind == ScalarFunction::Kind::Linear &&
                        axis.function.coefficients[0] * axis.function.scale != 0.0;
        }
    }
    if (!is_simple || moving.empty()) {
        return;
    }
    std::array<Vec3, 3> axes = {};
    for (std::size_t k = 0; k < moving.size(); ++k) {
        axes[k] = j.axes[moving[k]].axis.normalized();
    }
    std::array<Vec3, 2> ways = {};
    if (moving.size() == 1) {
        const Eigen::Quaterniond turn(X);
        ways[0].setConstant(2.0 * std::atan2(turn.vec().dot(axes[0]), turn.w()));
        ways[1] = ways[0];
    } else {
        axes[2] = moving.size() == 2 ? Vec3(axes[0].cross(axes[1]).normalized()) : axes[2];
        ways = angles_about(axes, X);
    }
    // Of the two ways, the one that the limits cut less, else the nearer one.
    std::array<std::vector<double>, 2> values = {};
    std::array<double, 2> loss = {0.0, 0.0};
    for (std::size_t w = 0; w < 2; ++w) {
        for (std::size_t k = 0; k < moving.size(); ++k) {
            const JointAxis& axis = j.axes[moving[k]];
            const auto c = static_cast<std::size_t>(axis.coordinate);
            const double slope = axis.function.coefficients[0] * axis.function.scale;
            const double angle = (ways[w][static_cast<Eigen::Index>(k)] -
                                  axis.function.coefficients[1] * axis.function.scale) /
                                 slope;
            const double value = within(angle, low_[c], high_[c], q[c]);
            loss[w] +=
                1e3 * std::abs(std::remainder(value - angle, 2.0 * kPi)) + std::abs(value - q[c]);
            values[w].push_back(value);
        }
    }
    const std::size_t best = loss[1] < loss[0] ? 1 : 0;
    for (std::size_t k = 0; k < moving.size(); ++k) {
        q[at(j.axes[moving[k]].coordinate)] = values[best][k];
    }
}

Mat3 PoseSolver::turn_joint(Index joint, const Mat3& parent, const Mat3& wanted,
                            std::vector<double>& q) {
    const ModelJoint& j = model_.joints[at(joint)];
    const auto rest_of = [&](Index body) {
        return body < 0 ? Mat3(Mat3::Identity()) : rest_.bodies[at(body)].rotation;
    };
    // R_child = G_parent R_rest_parent P X C^-1, so X = (G_parent R_rest_parent P)^-1 R_child C.
    const Mat3 before = parent * rest_of(j.parent) * j.parent_frame.rotation;
    const Mat3 X = before.transpose() * wanted * rest_of(j.child) * j.child_frame.rotation;
    set_angles(j, X, q);
    Mat3 R = before;
    for (const JointAxis& axis : std::span(j.axes).first(3)) {
        const double x = axis.coordinate < 0 ? 0.0 : q[at(axis.coordinate)];
        R = R * Eigen::AngleAxisd(FunctionEvaluator(axis.function)(x).value, axis.axis.normalized())
                    .toRotationMatrix();
    }
    return R * j.child_frame.rotation.transpose() * rest_of(j.child).transpose();
}

double PoseSolver::residuals(const PoseGoals& goals, const ModelPlacement& placement,
                             Eigen::VectorXd& r) const {
    r.resize(static_cast<Eigen::Index>(
        3 * (goals.directions.size() + goals.rotations.size() + goals.positions.size())));
    Eigen::Index row = 0;
    for (const PoseGoals::Direction& goal : goals.directions) {
        const double length = (goal.to.rest - goal.from.rest).norm();
        const Vec3 d = position(placement, goal.to) - position(placement, goal.from);
        r.segment<3>(row) = goal.weight * (d / length - goal.wanted);
        row += 3;
    }
    for (const PoseGoals::Rotation& goal : goals.rotations) {
        r.segment<3>(row) =
            goal.weight * rotation_vector(rotation(placement, goal.body) * goal.wanted.transpose());
        row += 3;
    }
    for (const PoseGoals::Position& goal : goals.positions) {
        r.segment<3>(row) = goal.weighted(position(placement, goal.point) - goal.wanted);
        row += 3;
    }
    return r.squaredNorm();
}

// Adds how a point of a body, or its rotation, goes with the free coordinates.
void PoseSolver::add_columns(const ModelPlacement& placement, Index body, const Vec3& p,
                             double weight, bool is_rotation, std::span<const Index> column,
                             Eigen::Index row, Eigen::MatrixXd& J) const {
    for (const Index dof : tree_.chain(body)) {
        const Index c = column[at(tree_.dofs()[at(dof)].coordinate)];
        if (c < 0) {
            continue;
        }
        const MotionColumn& m = placement.columns[at(dof)];
        const Vec3 rate = is_rotation ? m.angular : Vec3(m.linear + m.angular.cross(p));
        J.block<3, 1>(row, c) += weight * rate;
    }
}

void PoseSolver::jacobian(const PoseGoals& goals, const ModelPlacement& placement,
                          std::span<const Index> column, Eigen::MatrixXd& J) const {
    J.setZero();
    Eigen::Index row = 0;
    for (const PoseGoals::Direction& goal : goals.directions) {
        const double w = goal.weight / (goal.to.rest - goal.from.rest).norm();
        add_columns(placement, goal.to.body, position(placement, goal.to), w, false, column, row,
                    J);
        add_columns(placement, goal.from.body, position(placement, goal.from), -w, false, column,
                    row, J);
        row += 3;
    }
    // The derivative of the rotation vector is taken as the angular velocity, which it is at 0.
    for (const PoseGoals::Rotation& goal : goals.rotations) {
        add_columns(placement, goal.body, Vec3::Zero(), goal.weight, true, column, row, J);
        row += 3;
    }
    for (const PoseGoals::Position& goal : goals.positions) {
        add_columns(placement, goal.point.body, position(placement, goal.point), 1.0, false, column,
                    row, J);
        for (Eigen::Index c = 0; c < J.cols(); ++c) {
            J.block<3, 1>(row, c) = goal.weighted(J.block<3, 1>(row, c));
        }
        row += 3;
    }
}

double PoseSolver::cost(const PoseGoals& goals, std::span<const double> q) {
    Eigen::VectorXd r;
    return residuals(goals, place(q), r);
}

// While a pose is sought only bodies that goals ask for are placed.
void PoseSolver::want_bodies_of(const PoseGoals& goals) {
    wanted_.assign(tree_.body_count(), 0);
    const auto want = [&](Index body) {
        for (; body >= 0 && wanted_[at(body)] == 0; body = tree_.parent(body)) {
            wanted_[at(body)] = 1;
        }
    };
    for (const PoseGoals::Direction& goal : goals.directions) {
        want(goal.from.body);
        want(goal.to.body);
    }
    for (const PoseGoals::Rotation& goal : goals.rotations) {
        want(goal.body);
    }
    for (const PoseGoals::Position& goal : goals.positions) {
        want(goal.point.body);
    }
}

double PoseSolver::solve(std::span<const Index> free, const PoseGoals& goals,
                         std::vector<double>& q) {
    std::vector<Index> column(q.size(), -1);
    for (std::size_t k = 0; k < free.size(); ++k) {
        column[at(free[k])] = static_cast<Index>(k);
    }
    const auto n = static_cast<Eigen::Index>(free.size());
    want_bodies_of(goals);
    double cost = residuals(goals, place(q), residual_);
    double damping = kFirstDamping;
    for (int step = 0; step < kMostSteps && cost > kConverged; ++step) {
        jacobian_.resize(residual_.size(), n);
        jacobian(goals, now_, column, jacobian_);
        Eigen::MatrixXd H = jacobian_.transpose() * jacobian_;
        Eigen::VectorXd g = jacobian_.transpose() * residual_;
        const double mean = std::max(H.trace() / static_cast<double>(n), 1e-12);
        for (Eigen::Index k = 0; k < n; ++k) {
            const auto c = static_cast<std::size_t>(free[at(k)]);
            if ((q[c] <= low_[c] && g[k] > 0.0) || (q[c] >= high_[c] && g[k] < 0.0)) {
                H.row(k).setZero();
                H.col(k).setZero();
                g[k] = 0.0;
            }
        }
        bool is_better = false;
        double longest = 0.0;
        const double before = cost;
        for (int tries = 0; tries < 4 && !is_better; ++tries) {
            Eigen::MatrixXd damped = H;
            damped.diagonal().array() += damping * mean;
            const Eigen::VectorXd d = solve_symmetric(damped, -g);
            std::vector<double> next = q;
            longest = 0.0;
            for (Eigen::Index k = 0; k < n; ++k) {
                const auto c = static_cast<std::size_t>(free[at(k)]);
                next[c] = std::clamp(q[c] + d[k], low_[c], high_[c]);
                longest = std::max(longest, std::abs(next[c] - q[c]));
            }
            tree_.update(next, now_, wanted_);
            const double now = residuals(goals, now_, residual_);
            is_better = now < cost;
            if (is_better) {
                q = std::move(next);
                cost = now;
            }
            damping = is_better ? std::max(1e-8, 0.2 * damping) : 10.0 * damping;
        }
        if (!is_better || longest < kSmallStep || before - cost < kNoGain * before) {
            break;
        }
    }
    tree_.place(q, now_);
    return cost;
}

}  // namespace sinew
