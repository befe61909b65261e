#include "sinew/motion/range_of_motion.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/motion/ball_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

// Which poses the muscles allow [Ryu2021, eqs. 3-5]: a pose is valid while no muscle is longer than
// its maximal length. For a ball joint the set is sampled over swing and twist, weighted by the
// volume of rotations that a cell stands for; for one coordinate it is walked outward from rest.
// The muscle that forbids a pose is counted, so that a user sees whom to blame.

namespace sinew {

namespace {

constexpr double kRangeSlack = 1e-9;  // rad or m, of the ends of coordinates

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
    for (const Coordinate& c : model.coordinates) {
        if (limits.has_coordinates) {
            const double any = std::numeric_limits<double>::infinity();
            ranges_.emplace_back(c.is_clamped ? c.low : -any, c.is_clamped ? c.high : any);
        }
    }
}

bool RangeOfMotion::is_within(std::span<const double> q) const {
    for (std::size_t c = 0; c < ranges_.size(); ++c) {
        if (q[c] < ranges_[c].first - kRangeSlack || q[c] > ranges_[c].second + kRangeSlack) {
            return false;
        }
    }
    return true;
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
    return is_within(q) && limiting_muscle(q) < 0;
}

std::vector<BallTurn> map_cells() {
    std::vector<BallTurn> out;
    for (int s = 0; s < BallRangeMap::kSwings; ++s) {
        for (int d = 0; d < BallRangeMap::kDirections; ++d) {
            for (int t = 0; t < BallRangeMap::kTwists; ++t) {
                out.push_back({(s + 0.5) * kPi / BallRangeMap::kSwings,
                               (d + 0.5) * 2.0 * kPi / BallRangeMap::kDirections,
                               -kPi + (t + 0.5) * 2.0 * kPi / BallRangeMap::kTwists});
            }
        }
    }
    return out;
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
    const BallFrame ball(whole, static_cast<std::size_t>(found - whole.joints.begin()));
    const auto& turns = ball.coordinates();
    const MusculoskeletalModel model =
        with_deciding_muscles(whole, {turns.begin(), turns.end()}, limits);
    RangeOfMotion range(model, limits);

    BallRangeMap map;
    map.joint = joint;
    std::map<Index, int> blame;
    std::vector<double> q = rest_coordinates(model);
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
            for (int t = 0; t < BallRangeMap::kTwists; ++t) {
                const double twist = -kPi + (t + 0.5) * 2.0 * kPi / BallRangeMap::kTwists;
                const Vec3 angles = ball.angles(BallTurn{swing, direction, twist});
                for (std::size_t k = 0; k < 3; ++k) {
                    q[at(turns[k])] = angles[static_cast<Eigen::Index>(k)];
                }
                const Index limiting = range.limiting_muscle(q);
                const bool is_within = range.is_within(q);
                const bool is_valid = limiting < 0 && is_within;
                map.beyond_coordinates += is_within ? 0 : 1;
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
