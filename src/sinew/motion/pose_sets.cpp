#include "sinew/motion/pose_sets.h"

#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/known_muscles.h"
#include "sinew/motion/limb_turns.h"
#include "sinew/motion/maximal_lengths.h"
#include "sinew/motion/smoothing.h"

#include <algorithm>
#include <cmath>

// Sets of poses from which maximal lengths come [Ryu2021, sections 4.2 and 6.1]: recordings doubled
// by reflection, or what coordinates allow, and the key poses in which muscles must be at ease. A
// set tells how long a muscle must become at least; it underestimates those that bones stop first,
// which is what the relaxation is for.

namespace sinew {

namespace {

constexpr double kNoEnd = 1.0;       // rad from rest, of rotations without a range
constexpr double kLeastTurn = 1e-9;  // of a column that turns or shifts anything

bool is_free(const MusculoskeletalModel& model, std::size_t c) {
    const Coordinate& k = model.coordinates[c];
    return !k.is_locked && model.joints[at(k.joint)].parent >= 0 &&
           std::none_of(
               model.couplers.begin(), model.couplers.end(),
               [&](const CoordinateCoupler& x) { return x.dependent == static_cast<Index>(c); });
}

}  // namespace

PoseMirror::PoseMirror(const MusculoskeletalModel& model) : rest_(rest_coordinates(model)) {
    const KinematicTree tree(model);
    const ModelPlacement placed = tree.place(rest_);
    const Vec3 left = left_direction(model, find_segments(model)).value_or(Vec3::UnitX());
    std::vector<MotionColumn> columns(rest_.size());
    for (std::size_t d = 0; d < tree.dofs().size(); ++d) {
        columns[at(tree.dofs()[d].coordinate)] = placed.columns[d];
    }
    for (std::size_t c = 0; c < rest_.size(); ++c) {
        std::size_t other = c;
        for (const std::string& name : names_of_other_side(model.coordinates[c].name)) {
            if (const Index found = find_coordinate(model, name); found >= 0) {
                other = at(found);
                ++pairs_;
                break;
            }
        }
        // A mirrored turn is an axial vector: its part across the median plane stays, the rest is
        // reversed. Shifts are reversed across it.
        const auto flipped = [&](const Vec3& v) { return Vec3(v - 2.0 * v.dot(left) * left); };
        double sign = 1.0;
        if (columns[c].angular.norm() > kLeastTurn) {
            sign = -flipped(columns[c].angular).dot(columns[other].angular) < 0.0 ? -1.0 : 1.0;
        } else if (columns[c].linear.norm() > kLeastTurn) {
            sign = flipped(columns[c].linear).dot(columns[other].linear) < 0.0 ? -1.0 : 1.0;
        }
        from_.push_back(other);
        sign_.push_back(sign);
    }
    pairs_ /= 2;
}

std::vector<double> PoseMirror::mirrored(std::span<const double> q) const {
    std::vector<double> out(rest_);
    for (std::size_t c = 0; c < out.size(); ++c) {
        out[c] = rest_[c] + sign_[c] * (q[from_[c]] - rest_[from_[c]]);
    }
    return out;
}

std::vector<std::vector<double>> poses_of_motion(const MusculoskeletalModel& model,
                                                 const MotionTable& motion, int step) {
    const CoordinateMotion read = coordinate_motion(model, motion, 0.0);
    const std::size_t n = model.coordinates.size();
    std::vector<std::vector<double>> out;
    for (std::size_t t = 0; t < read.times.size(); t += static_cast<std::size_t>(step)) {
        const auto row = read.q.begin() + static_cast<std::ptrdiff_t>(t * n);
        out.emplace_back(row, row + static_cast<std::ptrdiff_t>(n));
    }
    return out;
}

std::vector<std::vector<double>> poses_within_limits(const MusculoskeletalModel& model, int count,
                                                     std::uint64_t seed) {
    const std::vector<double> rest = rest_coordinates(model);
    std::vector<std::size_t> turns;
    for (std::size_t c = 0; c < rest.size(); ++c) {
        if (model.coordinates[c].is_rotation && is_free(model, c)) {
            turns.push_back(c);
        }
    }
    std::vector<std::vector<double>> out(static_cast<std::size_t>(std::max(count, 0)), rest);
    for (std::size_t p = 0; p < out.size() && !turns.empty(); ++p) {
        Random random(Seed{seed}, p);
        const Index only =
            p % 2 == 0
                ? model.coordinates[turns[random.below(static_cast<std::uint32_t>(turns.size()))]]
                      .joint
                : -1;
        for (const std::size_t c : turns) {
            const Coordinate& k = model.coordinates[c];
            const double low = std::isfinite(k.low) ? std::max(k.low, -kPi) : k.rest - kNoEnd;
            const double high = std::isfinite(k.high) ? std::min(k.high, kPi) : k.rest + kNoEnd;
            const double value = random.uniform(low, std::max(low, high));
            out[p][c] = only < 0 || k.joint == only ? value : rest[c];
        }
    }
    return out;
}

std::vector<std::pair<std::string, std::vector<double>>> key_poses(
    const MusculoskeletalModel& model) {
    const LimbPoser poser(model);
    const auto both = [&](std::initializer_list<std::pair<LimbTurn, double>> turns) {
        std::vector<LimbAngle> angles;
        for (const BodySide side : {BodySide::Left, BodySide::Right}) {
            for (const auto& [turn, deg] : turns) {
                angles.push_back({turn, side, deg * kDegree});
            }
        }
        return poser.pose(angles);
    };
    using enum LimbTurn;
    // Without weight every joint bends a little; the angles are ours.
    return {{"standing", both({{HipFlexion, 0.0},
                               {KneeFlexion, 0.0},
                               {AnkleDorsiflexion, 0.0},
                               {ShoulderFlexion, 0.0},
                               {ElbowFlexion, 0.0}})},
            {"zero gravity", both({{HipFlexion, 50.0},
                                   {KneeFlexion, 45.0},
                                   {AnkleDorsiflexion, -20.0},
                                   {ShoulderFlexion, 35.0},
                                   {ShoulderAbduction, 25.0},
                                   {ElbowFlexion, 90.0}})},
            {"T", both({{HipFlexion, 0.0},
                        {KneeFlexion, 0.0},
                        {AnkleDorsiflexion, 0.0},
                        {ShoulderAbduction, 90.0},
                        {ElbowFlexion, 0.0}})}};
}

std::vector<RelaxedMuscle> relax_muscles(
    MusculoskeletalModel& model, std::span<const std::pair<std::string, std::vector<double>>> poses,
    const RelaxationOptions& options) {
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    std::vector<PathState> states;
    for (const auto& [name, q] : poses) {
        states.push_back(paths.evaluate(tree.place(q)));
    }
    std::vector<RelaxedMuscle> out;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        MuscleUnit& unit = model.muscles[m];
        const MuscleUnit before = unit;
        const auto pull = [&](std::size_t p) {
            return equilibrium_force(unit, states[p].length[m], 0.0).total / unit.fmax;
        };
        RelaxedMuscle done{.muscle = unit.name};
        for (std::size_t p = 0; p < poses.size(); ++p) {
            if (const double force = pull(p); force > done.force_before) {
                done.force_before = force;
                done.pose = poses[p].first;
            }
            // Gradually, as the paper has it: a stretched tendon lets go before its fibre does.
            while (pull(p) > options.force && done.factor < options.most) {
                done.factor *= 1.0 + options.step;
                unit.fibre = before.fibre * done.factor;
                unit.tendon = before.tendon * done.factor;
            }
        }
        if (done.factor > 1.0) {
            out.push_back(std::move(done));
        }
    }
    return out;
}

}  // namespace sinew
