#include "sinew/body/person_feet.h"

#include "sinew/body/foot_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace sinew {

namespace {

constexpr double kStanding = 50.0;  // per m: weight of a point that stands
constexpr double kHeelGives = 0.7;  // of that, where ball and heel cannot stand both
constexpr double kLifted = 2.0;     // per m: of a heel that a leg at its limits lifts
constexpr double kBallLeads = 0.4;  // of what the pelvis takes from a foot that stands as a whole
constexpr double kLoose = 1.0;      // of directions and rotations of a leg whose foot stands
constexpr double kFolded = 0.3;  // rad, that a leg may leave its directions so that a foot stands
constexpr double kPelvisTime = 0.1;  // s, on both sides, over which the pelvis goes along
constexpr double kSole = 1e-3;       // m, below the ground
constexpr double kOnGround = 100.0;  // per m: height of a point that would be below it
constexpr double kKeptOut = 5.0;     // per m: least weight of a point that is lifted out of it
constexpr double kMissed = 2e-3;     // m, that a standing point may be off
constexpr double kHardly = 1e-6;     // m

using Frames = std::vector<std::vector<double>>;

// Of one foot, where legs alone would have it, and what standing asks for.
struct Foot {
    std::vector<Vec3> ankle = {};
    std::vector<Vec3> ball = {};
    FootCorrection heel_shift = {};
    FootCorrection ball_shift = {};

    double weight(std::size_t f) const {
        return std::max(heel_shift.weight[f], ball_shift.weight[f]);
    }
    // A point that does not stand itself goes along with the one that does.
    Vec3 ankle_goal(std::size_t f) const {
        return ankle[f] + heel_shift.shift[f] + (1.0 - heel_shift.weight[f]) * ball_shift.shift[f];
    }
    Vec3 ball_goal(std::size_t f) const {
        return ball[f] + ball_shift.shift[f] + (1.0 - ball_shift.weight[f]) * heel_shift.shift[f];
    }
};
using Feet = std::array<Foot, 2>;

// Contacts are found in the recording, positions are the target's.
Feet find_feet(const Recording& recording, PersonPoser& poser, const Frames& frames) {
    Feet feet;
    const PersonPair& pair = poser.pair();
    const PersonJoints& source = pair.source();
    PoseSolver& solver = poser.solver();
    for (const std::vector<double>& q : frames) {
        const ModelPlacement& now = solver.place(q);
        for (std::size_t s = 0; s < 2; ++s) {
            feet[s].ankle.push_back(solver.position(now, poser.legs()[s].ankle));
            feet[s].ball.push_back(solver.position(now, poser.legs()[s].ball));
        }
    }
    std::array<std::array<std::vector<FootPin>, 2>, 2> pins;  // of heel and ball, per side
    const bool has_toes = source.has("toe_l") && source.has("toe_r");
    for (const bool is_ball : {false, true}) {
        std::array<std::vector<Vec3>, 2> recorded;
        for (std::size_t s = 0; s < 2; ++s) {
            const std::string part = is_ball && has_toes ? "toe" : "ankle";
            const Index joint = source.first(part + poser.legs()[s].side);
            for (std::size_t f = 0; f < frames.size(); ++f) {
                recorded[s].push_back(pair.position(f, joint));
            }
        }
        for (std::size_t s = 0; s < 2; ++s) {
            FootPaths paths{.own = recorded[s],
                            .other = recorded[1 - s],
                            .frame_time = poser.frame_time(),
                            .leg = pair.leg()};
            paths.ground = ground_under(paths, recording.rest_frame);
            const std::vector<ContactSpan> spans = find_contacts(paths, recording.rest_frame);
            const StandingLeg& leg = poser.legs()[s];
            pins[s][is_ball ? 1 : 0] = pins_of(is_ball ? feet[s].ball : feet[s].ankle, spans,
                                               (is_ball ? leg.ball : leg.ankle).rest.y());
        }
    }
    for (std::size_t s = 0; s < 2; ++s) {
        const StandingLeg& leg = poser.legs()[s];
        keep_foot_length(pins[s][0], pins[s][1], (leg.ball.rest - leg.ankle.rest).norm());
        feet[s].heel_shift = hold_at_pins(feet[s].ankle, pins[s][0], poser.frame_time());
        feet[s].ball_shift = hold_at_pins(feet[s].ball, pins[s][1], poser.frame_time());
    }
    return feet;
}

// What standing feet ask for together. Balls count more than heels, which may lift.
Vec3 common_shift(const Feet& feet, std::size_t f) {
    Vec3 sum = Vec3::Zero();
    double weights = 0.0;
    for (const Foot& foot : feet) {
        const double share =
            (1.0 - kBallLeads) * foot.heel_shift.weight[f] + kBallLeads * foot.ball_shift.weight[f];
        if (share > 0.0) {
            const Vec3 shift = (1.0 - kBallLeads) * foot.heel_shift.shift[f] +
                               kBallLeads * foot.ball_shift.shift[f];
            sum += foot.weight(f) / share * shift * foot.weight(f);
            weights += foot.weight(f);
        }
    }
    return sum / std::max(1.0, weights);
}

// The mean over some frames on both sides.
std::vector<Vec3> over_frames(const std::vector<Vec3>& values, std::ptrdiff_t window) {
    std::vector<Vec3> out;
    const auto n = static_cast<std::ptrdiff_t>(values.size());
    for (std::ptrdiff_t f = 0; f < n; ++f) {
        const auto a = values.begin() + std::max<std::ptrdiff_t>(0, f - window);
        const auto b = values.begin() + std::min(n, f + window + 1);
        out.push_back(std::accumulate(a, b, Vec3(Vec3::Zero())) / static_cast<double>(b - a));
    }
    return out;
}

// Heel and ball of a foot where they stand. Where both do and limits are in the way, the heel gives
// way by lifting, not sideways: the foot keeps its heading.
// @param gives  of the heel's weight
std::vector<PoseGoals::Position> standing_goals(const StandingLeg& leg, const Foot& foot,
                                                std::size_t f, double gives, double weight) {
    const Vec3 ankle = foot.ankle_goal(f);
    const Vec3 ball = foot.ball_goal(f);
    const double given = gives * foot.ball_shift.weight[f];
    const Vec3 side = (ball - ankle).cross(Vec3::UnitY());
    PoseGoals::Position heel{
        .point = leg.ankle, .wanted = ankle, .weight = weight * kStanding * (1.0 - given)};
    if (side.norm() > 0.0) {
        heel.axis = side.normalized();
        heel.axis_weight = weight * kStanding * given;
    }
    return {heel, {.point = leg.ball, .wanted = ball, .weight = weight * kStanding}};
}

double depth_of(PersonPoser& poser, const StandingLeg& leg, const std::vector<double>& q) {
    const ModelPlacement& now = poser.solver().place(q);
    double depth = 0.0;
    for (const CarriedPoint& sole : leg.soles) {
        depth = std::max(depth, poser.ground() - poser.solver().position(now, sole).y());
    }
    return depth;
}

// Points of soles that are below the ground should be on it; a height alone is asked for.
bool add_sunk_soles(PersonPoser& poser, const std::vector<double>& q, PoseGoals& goals) {
    const ModelPlacement& now = poser.solver().place(q);
    bool is_new = false;
    for (const StandingLeg& leg : poser.legs()) {
        for (const CarriedPoint& sole : leg.soles) {
            Vec3 p = poser.solver().position(now, sole);
            if (p.y() < poser.ground() - kSole) {
                p.y() = poser.ground();
                goals.positions.push_back({.point = sole,
                                           .wanted = p,
                                           .weight = 0.0,
                                           .axis = Vec3::UnitY(),
                                           .axis_weight = kOnGround});
                is_new = true;
            }
        }
    }
    return is_new;
}

// Where the pelvis goes further so that legs keep their directions while feet stand: both are
// sought together, frame by frame, and what the pelvis does then comes and goes smoothly.
std::vector<Vec3> pelvis_shifts(PersonPoser& poser, const Frames& frames, const Feet& feet,
                                const std::vector<Vec3>& before, const std::vector<bool>& is_asked,
                                double time) {
    std::vector<Vec3> wanted(frames.size(), Vec3::Zero());
    for (std::size_t f = 0; f < frames.size(); ++f) {
        PoseGoals goals;
        for (std::size_t s = 0; is_asked[f] && s < 2; ++s) {
            if (feet[s].weight(f) > 0.0) {
                const std::vector<PoseGoals::Position> standing =
                    standing_goals(poser.legs()[s], feet[s], f, kHeelGives, feet[s].weight(f));
                goals.positions.insert(goals.positions.end(), standing.begin(), standing.end());
            }
        }
        if (!goals.positions.empty()) {
            std::vector<double> q = frames[f];
            if (before[f].isZero()) {
                poser.shift_pelvis(f, common_shift(feet, f), q);
            }
            poser.pose_pelvis_and_legs(f, goals, false, q);
            if (add_sunk_soles(poser, q, goals)) {
                poser.pose_pelvis_and_legs(f, goals, false, q);
            }
            wanted[f] = poser.pelvis_shift(f, q) - before[f];
        }
    }
    return over_frames(wanted, static_cast<std::ptrdiff_t>(std::round(time / poser.frame_time())));
}

// How far standing points are from where they should be, at most.
double largest_miss(PersonPoser& poser, const Feet& feet, std::size_t f,
                    const std::vector<double>& q) {
    const ModelPlacement& now = poser.solver().place(q);
    double miss = 0.0;
    for (std::size_t s = 0; s < 2; ++s) {
        const StandingLeg& leg = poser.legs()[s];
        const Foot& foot = feet[s];
        if (foot.heel_shift.weight[f] == 1.0 && foot.ball_shift.weight[f] == 0.0) {
            miss = std::max(miss,
                            (poser.solver().position(now, leg.ankle) - foot.ankle_goal(f)).norm());
        }
        if (foot.ball_shift.weight[f] == 1.0) {
            miss =
                std::max(miss, (poser.solver().position(now, leg.ball) - foot.ball_goal(f)).norm());
        }
    }
    for (const StandingLeg& leg : poser.legs()) {
        miss = std::max(miss, depth_of(poser, leg, q));
    }
    return miss;
}

// The largest distance of a bone's direction from what it should be, rad or so.
double farthest_direction(PersonPoser& poser, const PoseGoals& goals,
                          const std::vector<double>& q) {
    const ModelPlacement& now = poser.solver().place(q);
    double farthest = 0.0;
    for (const PoseGoals::Direction& goal : goals.directions) {
        const Vec3 d =
            poser.solver().position(now, goal.to) - poser.solver().position(now, goal.from);
        farthest = std::max(farthest, (d.normalized() - goal.wanted).norm());
    }
    return farthest;
}

// One leg in one frame: its foot where it stands, and not below the ground.
void stand(PersonPoser& poser, std::size_t f, const StandingLeg& leg, const Foot& foot,
           const Vec3& shift, std::vector<double>& q) {
    PoseGoals goals =
        poser.limb_goals(f, {"hip" + leg.side, "knee" + leg.side, "ankle" + leg.side});
    for (PoseGoals::Direction& goal : goals.directions) {
        goal.weight *= kLoose;
    }
    for (PoseGoals::Rotation& goal : goals.rotations) {
        goal.weight *= kLoose;
    }
    goals.positions = standing_goals(leg, foot, f, kHeelGives, 1.0);
    for (PoseGoals::Position& goal : goals.positions) {
        goal.wanted += (1.0 - foot.weight(f)) * shift;  // a foot in the air goes with the pelvis
    }
    const Vec3 now = poser.solver().position(poser.solver().place(q), leg.ankle);
    const bool is_there =
        (goals.positions[0].wanted - now).norm() < kHardly && foot.weight(f) == 0.0;
    if (!is_there) {
        const std::vector<double> start = q;
        poser.solver().solve(leg.free, goals, q);
        // Where limits do not let the whole foot stand, its heel lifts rather than the leg folds.
        if (farthest_direction(poser, goals, q) >
            farthest_direction(poser, goals, start) + kFolded) {
            goals.positions[0].axis_weight += goals.positions[0].weight - kLifted;
            goals.positions[0].weight = kLifted;
            for (PoseGoals::Direction& goal : goals.directions) {
                goal.weight = 1.0;
            }
            q = start;
            poser.solver().solve(leg.free, goals, q);
        }
    }
    for (int tries = 0; tries < 3; ++tries) {
        const double depth = depth_of(poser, leg, q);
        if (depth < kSole) {
            return;
        }
        for (PoseGoals::Position& goal : goals.positions) {
            goal.wanted.y() += depth;
            goal.weight = std::max(goal.weight, kKeptOut);
        }
        poser.solver().solve(leg.free, goals, q);
    }
}

}  // namespace

void keep_contacts(const Recording& recording, PersonPoser& poser, Frames& frames) {
    if (poser.legs().size() != 2) {
        return;
    }
    const Feet feet = find_feet(recording, poser, frames);
    std::vector<Vec3> shifts(frames.size(), Vec3::Zero());
    std::vector<bool> is_missed(frames.size(), true);
    // What the pelvis does comes and goes smoothly; where feet still miss, it follows them more
    // closely, and at last at once. [LeeShin1999]: each level adds what the one before left over.
    for (const double time : {kPelvisTime, 0.5 * kPelvisTime, 0.0}) {
        const std::vector<Vec3> more = pelvis_shifts(poser, frames, feet, shifts, is_missed, time);
        for (std::size_t f = 0; f < frames.size(); ++f) {
            const bool is_first = time == kPelvisTime;
            if (!is_first && more[f].norm() < kHardly) {
                continue;
            }
            shifts[f] += more[f];
            if (shifts[f].norm() > kHardly) {
                poser.shift_pelvis(f, shifts[f], frames[f]);
            }
            for (std::size_t s = 0; s < 2; ++s) {
                stand(poser, f, poser.legs()[s], feet[s], shifts[f], frames[f]);
            }
            is_missed[f] = largest_miss(poser, feet, f, frames[f]) > kMissed;
        }
    }
    for (std::size_t f = 0; f < frames.size(); ++f) {
        poser.pose_toes(f, frames[f]);
    }
}

}  // namespace sinew
