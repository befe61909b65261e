#include "sinew/motion/range_of_motion.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

// Which poses the muscles allow [Ryu2021, eqs. 3-5]: a pose is valid while no muscle is longer than
// its maximal length. For a ball joint the set is sampled over swing and twist, weighted by the
// volume of rotations that a cell stands for; for one coordinate it is walked outward from rest.
// The muscle that forbids a pose is counted, so that a user sees whom to blame.

namespace sinew {

namespace {

constexpr int kMostTurnSteps = 8;
constexpr double kSameTurn = 1e-9;         // rad
constexpr double kLeastVolume = 0.5;       // of the body that a ball's axes span; 1 at right angles
constexpr double kLeastAcrossShaft = 0.1;  // of a ball's first axis across the shaft

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

struct BallAxes {
    std::array<Index, 3> coordinates = {};
    std::array<Vec3, 3> axes = {};
};

BallAxes ball_axes(const MusculoskeletalModel& model, const ModelJoint& joint) {
    BallAxes out;
    for (std::size_t i = 0; i < 3; ++i) {
        out.coordinates[i] = joint.axes[i].coordinate;
        out.axes[i] = joint.axes[i].axis;
        const ScalarFunction& f = joint.axes[i].function;
        if (joint.axes[i].coordinate < 0 || f.kind != ScalarFunction::Kind::Linear ||
            f.coefficients[1] != 0.0 || std::abs(f.coefficients[0] * f.scale) != 1.0) {
            throw InputError({.where = fmt::format("joint '{}' of '{}'", joint.name, model.name),
                              .found = "a joint without three free turns",
                              .needs = "a ball joint",
                              .remedy = "choose a hip or a shoulder"});
        }
        out.axes[i] *= f.coefficients[0] * f.scale;
    }
    const double volume = out.axes[0].cross(out.axes[1]).dot(out.axes[2]);
    if (std::abs(volume) < kLeastVolume) {
        throw InputError({.where = fmt::format("joint '{}' of '{}'", joint.name, model.name),
                          .found = "axes that lie almost in a plane",
                          .needs = "a ball joint with three axes about at right angles",
                          .remedy = "choose another joint"});
    }
    return out;
}

// The model with those muscles only that decide: whose length changes with the coordinates, or that
// are too long at rest already.
MusculoskeletalModel with_deciding_muscles(const MusculoskeletalModel& model,
                                           std::vector<Index> moved, const StretchLimits& limits) {
    for (const CoordinateCoupler& coupler : model.couplers) {
        if (std::find(moved.begin(), moved.end(), coupler.independent) != moved.end()) {
            moved.push_back(coupler.dependent);
        }
    }
    const auto is_moved = [&](Index c) {
        return std::find(moved.begin(), moved.end(), c) != moved.end();
    };
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const PathState rest = paths.evaluate(tree.place(rest_coordinates(model)));
    MusculoskeletalModel out = model;
    out.muscles.clear();
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const MuscleUnit& unit = model.muscles[m];
        const auto row = paths.coordinates(m);
        if (std::any_of(row.begin(), row.end(), is_moved) ||
            std::any_of(unit.points.begin(), unit.points.end(),
                        [&](const PathPoint& p) { return is_moved(p.condition); }) ||
            rest.length[m] > longest_length(unit, limits)) {
            out.muscles.push_back(unit);
        }
    }
    return out;
}

}  // namespace

double longest_length(const MuscleUnit& unit, const StretchLimits& limits) {
    return limits.fibre * unit.fibre + limits.tendon * unit.tendon;
}

RangeOfMotion::RangeOfMotion(const MusculoskeletalModel& model, const StretchLimits& limits)
    : tree_(model), paths_(model, tree_) {
    for (const MuscleUnit& unit : model.muscles) {
        longest_.push_back(longest_length(unit, limits));
    }
}

Index RangeOfMotion::limiting_muscle(std::span<const double> q) {
    tree_.place(q, placement_);
    paths_.evaluate(placement_, state_);
    Index worst = -1;
    double excess = 1.0;
    for (std::size_t m = 0; m < longest_.size(); ++m) {
        if (state_.length[m] > excess * longest_[m]) {
            excess = state_.length[m] / longest_[m];
            worst = static_cast<Index>(m);
        }
    }
    return worst;
}

bool RangeOfMotion::is_valid(std::span<const double> q) {
    return limiting_muscle(q) < 0;
}

BallRangeMap map_ball_range(const MusculoskeletalModel& whole, const std::string& joint,
                            const StretchLimits& limits, const Progress& progress) {
    const auto found = std::find_if(whole.joints.begin(), whole.joints.end(),
                                    [&](const ModelJoint& j) { return j.name == joint; });
    if (found == whole.joints.end()) {
        std::vector<std::string> names;
        for (const ModelJoint& j : whole.joints) {
            names.push_back(j.name);
        }
        throw InputError({.where = fmt::format("joint '{}'", joint),
                          .found = fmt::format("no such joint{}", did_you_mean(joint, names)),
                          .needs = fmt::format("one of {}", join(names, ", ")),
                          .remedy = "name a joint of the model"});
    }
    const BallAxes ball = ball_axes(whole, *found);
    const MusculoskeletalModel model =
        with_deciding_muscles(whole, {ball.coordinates.begin(), ball.coordinates.end()}, limits);
    RangeOfMotion range(model, limits);
    const std::vector<double> rest = rest_coordinates(model);
    const ModelPlacement placement = range.tree().place(rest);
    // The shaft in the joint's own frame, where the axes are given.
    Mat3 R_frame = found->parent_frame.rotation;
    if (found->parent >= 0) {
        R_frame = placement.bodies[at(found->parent)].rotation * R_frame;
    }
    const Vec3 shaft = R_frame.transpose() * shaft_of(model, *found, placement);
    const Vec3 across = ball.axes[0] - ball.axes[0].dot(shaft) * shaft;
    const Vec3 e1 =
        across.norm() > kLeastAcrossShaft ? Vec3(across.normalized()) : shaft.unitOrthogonal();
    const Vec3 e2 = shaft.cross(e1);

    BallRangeMap map;
    map.joint = joint;
    std::map<Index, int> blame;
    std::vector<double> q = rest;
    double inside = 0.0;
    double all = 0.0;
    Progress::Stage stage = progress.stage("range of motion", BallRangeMap::kSwings);
    for (int s = 0; s < BallRangeMap::kSwings; ++s) {
        const double swing = (s + 0.5) * kPi / BallRangeMap::kSwings;
        // Volume in SO(3) of swing and twist: 1 - cos(swing) between a cell's edges.
        const double weight = std::cos(swing - 0.5 * kPi / BallRangeMap::kSwings) -
                              std::cos(swing + 0.5 * kPi / BallRangeMap::kSwings);
        for (int d = 0; d < BallRangeMap::kDirections; ++d) {
            const double direction = (d + 0.5) * 2.0 * kPi / BallRangeMap::kDirections;
            const Vec3 axis = std::cos(direction) * e1 + std::sin(direction) * e2;
            for (int t = 0; t < BallRangeMap::kTwists; ++t) {
                const double twist = -kPi + (t + 0.5) * 2.0 * kPi / BallRangeMap::kTwists;
                const Mat3 R = (Eigen::AngleAxisd(swing, axis) * Eigen::AngleAxisd(twist, shaft))
                                   .toRotationMatrix();
                const Vec3 angles = ball_angles_of(ball.axes, R);
                for (std::size_t k = 0; k < 3; ++k) {
                    q[at(ball.coordinates[k])] = angles[static_cast<Eigen::Index>(k)];
                }
                const Index limiting = range.limiting_muscle(q);
                const bool is_valid = limiting < 0;
                if (limiting >= 0) {
                    ++blame[limiting];
                }
                map.valid.push_back(is_valid ? 1 : 0);
                inside += is_valid ? weight : 0.0;
                all += weight;
            }
        }
        stage.advance();
    }
    map.valid_fraction = inside / all;
    for (const auto& [muscle, count] : blame) {
        map.limiting.emplace_back(model.muscles[at(muscle)].name, count);
    }
    std::stable_sort(map.limiting.begin(), map.limiting.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return map;
}

CoordinateRange coordinate_range(const MusculoskeletalModel& whole, Index coordinate,
                                 const StretchLimits& limits) {
    const MusculoskeletalModel model = with_deciding_muscles(whole, {coordinate}, limits);
    RangeOfMotion range(model, limits);
    const Coordinate& c = model.coordinates[at(coordinate)];
    std::vector<double> q = rest_coordinates(model);
    CoordinateRange out{.coordinate = c.name, .low = c.rest, .high = c.rest};
    out.rest_is_valid = range.is_valid(q);
    const double far = c.is_rotation ? kPi : 1.0;
    // Walked rather than bisected: the set of allowed values around rest is wanted, and a muscle
    // may allow a value again beyond.
    const double step = c.is_rotation ? kPi / 360.0 : 1e-3;
    for (const int side : {-1, 1}) {
        const double limit =
            side < 0 ? std::max(c.low, c.rest - far) : std::min(c.high, c.rest + far);
        double& reached = side < 0 ? out.low : out.high;
        for (int i = 1;; ++i) {
            const double x = c.rest + side * step * i;
            if (side * (x - limit) > 1e-12) {
                reached = limit;
                break;
            }
            q[at(coordinate)] = x;
            const Index muscle = range.limiting_muscle(q);
            if (muscle >= 0) {
                (side < 0 ? out.low_muscle : out.high_muscle) = model.muscles[at(muscle)].name;
                break;
            }
            reached = x;
        }
    }
    return out;
}

}  // namespace sinew
