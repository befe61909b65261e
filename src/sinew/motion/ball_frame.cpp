#include "sinew/motion/ball_frame.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Ball joints are described by what a clinician sees: where the shaft of the bone points, and how
// far the bone is twisted about it [Ryu2021, section 4.3]. Models store three angles about axes of
// their own, so both directions go through the rotation matrix.

namespace sinew {

namespace {

constexpr int kMostTurnSteps = 8;
constexpr double kSameTurn = 1e-9;         // rad
constexpr double kLeastVolume = 0.5;       // of the body that the axes span; 1 at right angles
constexpr double kLeastAcrossShaft = 0.1;  // of the first axis across the shaft

// The shaft of a body: from its joint to the next joint beyond it, or to its centre of mass.
Vec3 shaft_of(const MusculoskeletalModel& model, const ModelJoint& joint,
              const ModelPlacement& rest) {
    const Placement& body = rest.bodies[at(joint.child)];
    const Vec3 from = body * joint.child_frame.position;
    Vec3 to = body * model.bodies[at(joint.child)].com;
    for (const ModelJoint& next : model.joints) {
        if (next.parent == joint.child) {
            to = body * next.parent_frame.position;
            break;
        }
    }
    const Vec3 shaft = to - from;
    return shaft.norm() > 1e-9 ? Vec3(shaft.normalized()) : Vec3(-Vec3::UnitY());
}

// Angles with R = R(a, x) R(b, y) R(c, z). For axes at right angles these are, in their own frame,
// turns about x, y and z, the last reversed where the axes are left-handed. Axes that stand a
// little askew begin from there and follow the rest of the way by Newton's method.
Vec3 ball_angles_of(const std::array<Vec3, 3>& axes, const Mat3& R) {
    const double hand = axes[0].cross(axes[1]).dot(axes[2]) > 0.0 ? 1.0 : -1.0;
    Mat3 A;
    A.col(0) = axes[0];
    A.col(1) = (axes[1] - axes[1].dot(axes[0]) * axes[0]).normalized();
    A.col(2) = Vec3(A.col(0)).cross(Vec3(A.col(1)));
    Vec3 angles = xyz_from_rotation(A.transpose() * R * A);
    angles[2] *= hand;
    for (int step = 0; step < kMostTurnSteps; ++step) {
        const Mat3 first = Eigen::AngleAxisd(angles[0], axes[0]).toRotationMatrix();
        const Mat3 second = first * Eigen::AngleAxisd(angles[1], axes[1]).toRotationMatrix();
        const Eigen::AngleAxisd missing(Mat3(
            R * (second * Eigen::AngleAxisd(angles[2], axes[2]).toRotationMatrix()).transpose()));
        if (std::abs(missing.angle()) < kSameTurn) {
            break;
        }
        Mat3 W;  // how the angles turn the child
        W.col(0) = axes[0];
        W.col(1) = first * axes[1];
        W.col(2) = second * axes[2];
        const Mat3 M = W.transpose() * W + kSameTurn * Mat3::Identity();
        angles += M.inverse() * (W.transpose() * (missing.angle() * missing.axis()));
    }
    return angles;
}

bool has_three_turns(const ModelJoint& joint) {
    return std::all_of(joint.axes.begin(), joint.axes.begin() + 3, [](const JointAxis& axis) {
        const ScalarFunction& f = axis.function;
        return axis.coordinate >= 0 && f.kind == ScalarFunction::Kind::Linear &&
               f.coefficients[1] == 0.0 && std::abs(f.coefficients[0] * f.scale) == 1.0;
    });
}

// Axes of the three turns, each in the sense in which its coordinate grows.
std::array<Vec3, 3> axes_of(const ModelJoint& joint) {
    std::array<Vec3, 3> out;
    for (std::size_t i = 0; i < 3; ++i) {
        const ScalarFunction& f = joint.axes[i].function;
        out[i] = f.coefficients[0] * f.scale * joint.axes[i].axis;
    }
    return out;
}

bool is_spatial(const std::array<Vec3, 3>& axes) {
    return std::abs(axes[0].cross(axes[1]).dot(axes[2])) >= kLeastVolume;
}

}  // namespace

bool BallFrame::is_ball(const MusculoskeletalModel& model, std::size_t joint) {
    return has_three_turns(model.joints[joint]) && is_spatial(axes_of(model.joints[joint]));
}

BallFrame::BallFrame(const MusculoskeletalModel& model, std::size_t joint) {
    const ModelJoint& ball = model.joints[joint];
    if (!has_three_turns(ball)) {
        throw InputError({.where = fmt::format("joint '{}' of '{}'", ball.name, model.name),
                          .found = "a joint without three free turns",
                          .needs = "a ball joint",
                          .remedy = "choose a hip or a shoulder"});
    }
    axes_ = axes_of(ball);
    if (!is_spatial(axes_)) {
        throw InputError({.where = fmt::format("joint '{}' of '{}'", ball.name, model.name),
                          .found = "axes that lie almost in a plane",
                          .needs = "a ball joint with three axes about at right angles",
                          .remedy = "choose another joint"});
    }
    for (std::size_t i = 0; i < 3; ++i) {
        coordinates_[i] = ball.axes[i].coordinate;
    }
    // The shaft in the joint's own frame, where the axes are given.
    const ModelPlacement rest = KinematicTree(model).place(rest_coordinates(model));
    Mat3 R_frame = ball.parent_frame.rotation;
    if (ball.parent >= 0) {
        R_frame = rest.bodies[at(ball.parent)].rotation * R_frame;
    }
    shaft_ = R_frame.transpose() * shaft_of(model, ball, rest);
    const Vec3 across = axes_[0] - axes_[0].dot(shaft_) * shaft_;
    first_ =
        across.norm() > kLeastAcrossShaft ? Vec3(across.normalized()) : shaft_.unitOrthogonal();
    second_ = shaft_.cross(first_);
}

Mat3 BallFrame::rotation(const BallTurn& turn) const {
    const Vec3 axis = std::cos(turn.direction) * first_ + std::sin(turn.direction) * second_;
    return (Eigen::AngleAxisd(turn.swing, axis) * Eigen::AngleAxisd(turn.twist, shaft_))
        .toRotationMatrix();
}

Mat3 BallFrame::rotation(const Vec3& angles) const {
    return (Eigen::AngleAxisd(angles[0], axes_[0]) * Eigen::AngleAxisd(angles[1], axes_[1]) *
            Eigen::AngleAxisd(angles[2], axes_[2]))
        .toRotationMatrix();
}

Vec3 BallFrame::angles(const Mat3& R) const {
    return ball_angles_of(axes_, R);
}

Vec3 BallFrame::angles(const BallTurn& turn) const {
    return angles(rotation(turn));
}

BallTurn BallFrame::turn(const Mat3& R) const {
    const Vec3 to = R * shaft_;
    const Vec3 axis = shaft_.cross(to);
    BallTurn out;
    out.swing = std::atan2(axis.norm(), shaft_.dot(to));
    if (axis.norm() > kSameTurn) {
        out.direction = std::atan2(axis.dot(second_), axis.dot(first_));
    }
    // What is left after the swing is undone turns about the shaft.
    const Mat3 left = rotation(BallTurn{out.swing, out.direction, 0.0}).transpose() * R;
    const Vec3 first = left * first_;
    out.twist = std::atan2(first.dot(second_), first.dot(first_));
    return out;
}

BallTurn BallFrame::turn(const Vec3& angles) const {
    return turn(rotation(angles));
}

}  // namespace sinew
