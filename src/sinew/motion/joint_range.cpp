#include "sinew/motion/joint_range.h"

#include "sinew/base/error.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The test of poses that samplers and learners call millions of times. In the joint's own frame,
// with its centre as origin, everything before it stands still and everything beyond turns by R:
// point k of a path is c_k + R d_k (blended points have both parts, [Ryu2021, eq. 2]), a piece
// (c_1 - c_0) + R (d_1 - d_0). Muscles that bound most poses are asked first.

namespace sinew {

namespace {

constexpr double kSamePart = 1e-12;  // m

[[noreturn]] void refuse_joint(const ModelJoint& joint, std::string found) {
    throw InputError({.where = fmt::format("joint '{}'", joint.name),
                      .found = std::move(found),
                      .needs = "a joint that only turns, crossed by muscles of fixed points",
                      .remedy = "ask RangeOfMotion, which takes all of them"});
}

Mat3 turn_about(const Vec3& k, double angle) {
    // Rodrigues' formula; k is a unit vector.
    const double s = std::sin(angle);
    const double c = 1.0 - std::cos(angle);
    Mat3 R;
    R << 1.0 - c * (k.y() * k.y() + k.z() * k.z()), c * k.x() * k.y() - s * k.z(),
        c * k.x() * k.z() + s * k.y(), c * k.x() * k.y() + s * k.z(),
        1.0 - c * (k.x() * k.x() + k.z() * k.z()), c * k.y() * k.z() - s * k.x(),
        c * k.x() * k.z() - s * k.y(), c * k.y() * k.z() + s * k.x(),
        1.0 - c * (k.x() * k.x() + k.y() * k.y());
    return R;
}

}  // namespace

JointRange::JointRange(const MusculoskeletalModel& model, std::size_t joint,
                       std::vector<double> held, const StretchLimits& limits) {
    const ModelJoint& own = model.joints[joint];
    Vec3 shift = Vec3::Zero();
    for (std::size_t a = 0; a < 6; ++a) {
        const JointAxis& axis = own.axes[a];
        const ScalarFunction& f = axis.function;
        if (axis.coordinate < 0) {
            const double value = f.coefficients[0] * f.scale;
            if (a < 3 && value != 0.0) {
                refuse_joint(own, "a constant turn");
            }
            shift += a < 3 ? Vec3(Vec3::Zero()) : Vec3(value * axis.axis);
            continue;
        }
        if (a >= 3 || f.kind != ScalarFunction::Kind::Linear || f.coefficients[1] != 0.0) {
            refuse_joint(own, "shifts, or turns that are no multiples of a coordinate");
        }
        coordinates_.push_back(axis.coordinate);
        axes_.push_back(axis.axis);
        rates_.push_back(f.coefficients[0] * f.scale);
    }
    if (own.radii.norm() > 0.0) {
        refuse_joint(own, "an ellipsoid that it slides on");
    }
    if (coordinates_.empty()) {
        refuse_joint(own, "no free rotation");
    }
    std::vector<double> q = held.empty() ? rest_coordinates(model) : std::move(held);
    for (const Index c : coordinates_) {
        q[at(c)] = 0.0;
    }
    const KinematicTree tree(model);
    const ModelPlacement placed = tree.place(q);
    const MusclePaths paths(model, tree);
    // Bodies beyond the joint.
    std::vector<char> is_beyond(model.bodies.size(), 0);
    for (const Index b : tree.order()) {
        const Index parent = tree.parent(b);
        is_beyond[at(b)] = b == own.child || (parent >= 0 && is_beyond[at(parent)] != 0) ? 1 : 0;
    }
    Placement frame = own.parent_frame * Placement{Mat3::Identity(), shift};
    if (own.parent >= 0) {
        frame = placed.bodies[at(own.parent)] * frame;
    }
    const Placement to_frame = frame.inverse();
    const PathState lengths = paths.evaluate(placed);
    std::vector<std::pair<double, Muscle>> found;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const MuscleUnit& unit = model.muscles[m];
        const double longest = longest_length(unit, limits);
        const auto row = paths.coordinates(m);
        const bool crosses = std::any_of(row.begin(), row.end(), [&](Index c) {
            return std::find(coordinates_.begin(), coordinates_.end(), c) != coordinates_.end();
        });
        if (!crosses) {
            is_always_invalid_ = is_always_invalid_ || lengths.length[m] > longest;
            continue;
        }
        Muscle muscle{.begin = pieces_.size()};
        double fixed = 0.0;
        Vec3 c_before = Vec3::Zero();
        Vec3 d_before = Vec3::Zero();
        for (std::size_t k = 0; k < unit.points.size(); ++k) {
            const PathPoint& p = unit.points[k];
            if (!unit.wraps.empty() || p.condition >= 0 || p.is_moving() || p.divisor > 0.0) {
                refuse_joint(own, fmt::format("'{}', which runs over a surface or has points that "
                                              "move",
                                              unit.name));
            }
            Vec3 c = Vec3::Zero();
            Vec3 d = Vec3::Zero();
            for (const PathPoint::Anchor& anchor : p.anchors) {
                const Vec3 world = anchor.body < 0
                                       ? anchor.position
                                       : placed.bodies[at(anchor.body)] * anchor.position;
                (anchor.body >= 0 && is_beyond[at(anchor.body)] != 0 ? d : c) +=
                    anchor.weight * (to_frame * world);
            }
            const Vec3 u = c - c_before;
            const Vec3 v = d - d_before;
            if (k > 0 && u.norm() > kSamePart && v.norm() > kSamePart) {
                pieces_.push_back({{u.x(), u.y(), u.z()}, {v.x(), v.y(), v.z()}});
            } else if (k > 0) {
                fixed += u.norm() + v.norm();
            }
            c_before = c;
            d_before = d;
        }
        muscle.end = pieces_.size();
        muscle.least = longest - fixed;
        found.emplace_back(lengths.length[m] / longest, muscle);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [stretch, muscle] : found) {
        muscles_.push_back(muscle);
    }
}

bool JointRange::is_valid(std::span<const double> values) const {
    if (is_always_invalid_) {
        return false;
    }
    Mat3 R = turn_about(axes_[0], rates_[0] * values[0]);
    for (std::size_t k = 1; k < axes_.size(); ++k) {
        R *= turn_about(axes_[k], rates_[k] * values[k]);
    }
    for (const Muscle& muscle : muscles_) {
        double sum = 0.0;
        for (std::size_t p = muscle.begin; p < muscle.end; ++p) {
            const auto& [u, v] = pieces_[p];
            const double x = u[0] + R(0, 0) * v[0] + R(0, 1) * v[1] + R(0, 2) * v[2];
            const double y = u[1] + R(1, 0) * v[0] + R(1, 1) * v[1] + R(1, 2) * v[2];
            const double z = u[2] + R(2, 0) * v[0] + R(2, 1) * v[1] + R(2, 2) * v[2];
            sum += std::sqrt(x * x + y * y + z * z);
        }
        if (sum > muscle.least) {
            return false;
        }
    }
    return true;
}

}  // namespace sinew
