#include "sinew/motion/range_editing.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/motion/ball_frame.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

// Editing of ranges of motion [Ryu2021, section 4.3]: the wished isValid is that of the reference
// after a map of poses, V'(q) = V(T(q)), which acts inversely: a cone that is to be narrower has
// its poses spread before they are asked about. Muscles then get lengths that say the same.

namespace sinew {

namespace {

constexpr int kEditTrials = 200;  // of limits elsewhere: a wish has no old limits to start from

using PoseMap = std::function<std::vector<double>(std::vector<double>)>;

// Mean direction of the shaft over the cells that are allowed, each by its part of the sphere.
Vec3 centre_of(const BallFrame& ball, const BallRangeMap& map) {
    Vec3 sum = Vec3::Zero();
    std::size_t cell = 0;
    for (int s = 0; s < BallRangeMap::kSwings; ++s) {
        const double swing = (s + 0.5) * kPi / BallRangeMap::kSwings;
        for (int d = 0; d < BallRangeMap::kDirections; ++d) {
            const double direction = (d + 0.5) * 2.0 * kPi / BallRangeMap::kDirections;
            const Vec3 shaft = ball.rotation(BallTurn{swing, direction, 0.0}) * ball.shaft();
            for (int t = 0; t < BallRangeMap::kTwists; ++t, ++cell) {
                sum += map.valid[cell] * std::sin(swing) * shaft;
            }
        }
    }
    return sum.norm() > 1e-9 ? Vec3(sum.normalized()) : ball.shaft();
}

PoseMap ball_map(const BallFrame& ball, const RangeEdit& edit, const Vec3& centre) {
    const double direction = kDegree * edit.direction;
    const Vec3 axis = std::cos(direction) * ball.first() + std::sin(direction) * ball.second();
    const Mat3 back = Eigen::AngleAxisd(-kDegree * edit.tilt, axis).toRotationMatrix();
    return [ball, edit, centre, back](std::vector<double> q) {
        Vec3 angles;
        for (std::size_t k = 0; k < 3; ++k) {
            angles[static_cast<Eigen::Index>(k)] = q[at(ball.coordinates()[k])];
        }
        const BallTurn turn = ball.turn(angles);
        // Where the shaft points, before the tilt, and as far from the centre as it was.
        const Vec3 v = back * (ball.rotation(angles) * ball.shaft());
        const double angle = std::atan2(centre.cross(v).norm(), centre.dot(v));
        const Vec3 about = centre.cross(v);
        const double wider = std::min(angle / edit.width, kPi);
        const Vec3 to =
            about.norm() > 1e-12 ? Vec3(Eigen::AngleAxisd(wider, about.normalized()) * centre) : v;
        // The swing that takes the shaft there, with the twist of the wish undone.
        const Mat3 swing = Eigen::Quaterniond::FromTwoVectors(ball.shaft(), to).toRotationMatrix();
        const double twist =
            std::clamp((turn.twist - kDegree * edit.twist_shift) / edit.twist_width, -kPi, kPi);
        const Vec3 mapped =
            ball.angles(Mat3(swing * Eigen::AngleAxisd(twist, ball.shaft()).toRotationMatrix()));
        for (std::size_t k = 0; k < 3; ++k) {
            q[at(ball.coordinates()[k])] = mapped[static_cast<Eigen::Index>(k)];
        }
        return q;
    };
}

// T(x) about the middle of what is allowed now, for each rotation of the joint.
PoseMap interval_map(const MusculoskeletalModel& model, std::size_t joint, const RangeEdit& edit,
                     const StretchLimits& limits) {
    std::vector<std::pair<std::size_t, double>> middles;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        if (at(model.coordinates[c].joint) == joint && model.coordinates[c].is_rotation) {
            const CoordinateRange now = coordinate_range(model, static_cast<Index>(c), limits);
            middles.emplace_back(c, 0.5 * (now.low + now.high));
        }
    }
    return [middles, edit](std::vector<double> q) {
        for (const auto& [c, middle] : middles) {
            q[c] = middle + (q[c] - middle - kDegree * edit.shift) / edit.scale;
        }
        return q;
    };
}

// The poses that decide about the result: a map's cells, or steps through each rotation.
std::vector<std::vector<double>> asked_poses(const MusculoskeletalModel& model, std::size_t joint) {
    constexpr int kSteps = 361;
    const std::vector<double> rest = rest_coordinates(model);
    std::vector<std::vector<double>> out;
    if (BallFrame::is_ball(model, joint)) {
        const BallFrame ball(model, joint);
        for (const BallTurn& turn : map_cells()) {
            out.push_back(rest);
            const Vec3 angles = ball.angles(turn);
            for (std::size_t k = 0; k < 3; ++k) {
                out.back()[at(ball.coordinates()[k])] = angles[static_cast<Eigen::Index>(k)];
            }
        }
        return out;
    }
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const Coordinate& k = model.coordinates[c];
        if (at(k.joint) != joint || !k.is_rotation || k.is_locked) {
            continue;
        }
        const double low = std::max(k.low, k.rest - kPi);
        const double high = std::min(k.high, k.rest + kPi);
        for (int i = 0; i < kSteps; ++i) {
            out.push_back(rest);
            out.back()[c] = low + (high - low) * i / (kSteps - 1);
        }
    }
    return out;
}

}  // namespace

EditedRange edit_range(const MusculoskeletalModel& reference, std::size_t joint,
                       const RangeEdit& edit, const RangeFitOptions& options) {
    const ModelJoint& edited = reference.joints[joint];
    PoseMap map;
    if (BallFrame::is_ball(reference, joint)) {
        const BallFrame ball(reference, joint);
        map = ball_map(ball, edit,
                       centre_of(ball, map_ball_range(reference, edited.name, options.limits)));
    } else {
        map = interval_map(reference, joint, edit, options.limits);
    }
    EditedRange out{.model = reference};
    RangeFitOptions fit = options;
    fit.trials = std::max(fit.trials, kEditTrials);
    fit_range_of_motion(out.model, reference, joint, map, fit);
    RangeOfMotion before(reference, options.limits);
    RangeOfMotion after(out.model, options.limits);
    const std::vector<std::vector<double>> poses = asked_poses(reference, joint);
    if (poses.empty()) {
        throw InputError({.where = fmt::format("joint '{}'", edited.name),
                          .found = "no free rotation",
                          .needs = "a joint whose range can change",
                          .remedy = "choose another joint"});
    }
    const double share = 1.0 / static_cast<double>(poses.size());
    for (const std::vector<double>& q : poses) {
        const bool is_wished = before.is_valid(map(q));
        const bool is_valid = after.is_valid(q);
        out.valid_before += before.is_valid(q) ? share : 0.0;
        out.valid_wished += is_wished ? share : 0.0;
        out.valid += is_valid ? share : 0.0;
        out.error += is_wished != is_valid ? share : 0.0;
    }
    if (out.valid_before > 1.0 - 0.5 * share) {
        throw InputError({.where = fmt::format("joint '{}'", edited.name),
                          .found = "muscles that bound none of its poses",
                          .needs = "maximal lengths that bound the joint",
                          .remedy = "lower --fibre-stretch, or shorten fibres and tendons"});
    }
    return out;
}

}  // namespace sinew
