#include "sinew/motion/maximal_lengths.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <cmath>

// Maximal lengths of muscles from poses that must be allowed [Ryu2021, section 4.2]: a pose is
// allowed when no muscle is longer than its limit, so limits are chosen such that poses of a set
// stay allowed, or such that the range of motion of a reference is kept. The set of poses is
// sampled with a fixed seed.

namespace sinew {

namespace {

// Poses of one joint and the lengths there of the muscles that cross it.
struct JointPoses {
    std::size_t joint = 0;
    std::vector<std::vector<double>> poses = {};
    std::vector<std::size_t> muscles = {};
    std::vector<double> before = {};  ///< [pose][muscle], m
    std::vector<double> after = {};
};

std::vector<Index> free_turns(const MusculoskeletalModel& model, std::size_t joint) {
    std::vector<Index> out;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const Coordinate& k = model.coordinates[c];
        const bool follows = std::any_of(
            model.couplers.begin(), model.couplers.end(),
            [&](const CoordinateCoupler& x) { return x.dependent == static_cast<Index>(c); });
        if (at(k.joint) == joint && k.is_rotation && !k.is_locked && !follows) {
            out.push_back(static_cast<Index>(c));
        }
    }
    return out;
}

// Balls in all directions (the middle angle reaches a quarter turn), others within their ranges.
std::vector<std::vector<double>> poses_of(const MusculoskeletalModel& model,
                                          const std::vector<Index>& turns,
                                          const RangeFitOptions& options, std::size_t joint) {
    Random random(Seed{options.seed}, joint);
    const bool is_ball = turns.size() == 3;
    const int count = std::max(1, is_ball ? options.poses_per_joint : options.poses_per_joint / 3);
    const std::vector<double> rest = rest_coordinates(model);
    std::vector<std::vector<double>> out;
    for (int i = 0; i < count; ++i) {
        out.push_back(rest);
        for (std::size_t k = 0; k < turns.size(); ++k) {
            const Coordinate& c = model.coordinates[at(turns[k])];
            const double far = is_ball && k == 1 ? 0.5 * kPi : kPi;
            const double low = is_ball ? -far : std::max(c.low, c.rest - far);
            const double high = is_ball ? far : std::min(c.high, c.rest + far);
            out.back()[at(turns[k])] = random.uniform(low, std::max(low, high));
        }
    }
    return out;
}

// Muscles whose path the turns change, through coordinates that follow them too.
std::vector<std::size_t> crossing_muscles(const MusculoskeletalModel& model,
                                          const MusclePaths& paths, std::vector<Index> turns) {
    for (const CoordinateCoupler& k : model.couplers) {
        if (std::find(turns.begin(), turns.end(), k.independent) != turns.end()) {
            turns.push_back(k.dependent);
        }
    }
    std::vector<std::size_t> out;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const auto row = paths.coordinates(m);
        if (std::any_of(row.begin(), row.end(), [&](Index c) {
                return std::find(turns.begin(), turns.end(), c) != turns.end();
            })) {
            out.push_back(m);
        }
    }
    return out;
}

std::vector<double> lengths_over(const MusculoskeletalModel& model, const JointPoses& set) {
    MusculoskeletalModel few = model;
    few.muscles.clear();
    for (const std::size_t m : set.muscles) {
        few.muscles.push_back(model.muscles[m]);
    }
    const KinematicTree tree(few);
    const MusclePaths paths(few, tree);
    ModelPlacement placement = tree.place(rest_coordinates(few));
    PathState state;
    std::vector<double> out;
    for (const std::vector<double>& q : set.poses) {
        tree.update(q, placement);
        paths.evaluate(placement, state);
        out.insert(out.end(), state.length.begin(), state.length.end());
    }
    return out;
}

std::vector<JointPoses> measure_joints(const MusculoskeletalModel& reference,
                                       const MusculoskeletalModel& model,
                                       const RangeFitOptions& options) {
    const KinematicTree tree(reference);
    const MusclePaths paths(reference, tree);
    std::vector<JointPoses> out;
    for (std::size_t j = 0; j < reference.joints.size(); ++j) {
        const std::vector<Index> turns = free_turns(reference, j);
        if (turns.empty() || reference.joints[j].parent < 0) {
            continue;
        }
        JointPoses set{.joint = j, .muscles = crossing_muscles(reference, paths, turns)};
        if (!set.muscles.empty()) {
            set.poses = poses_of(reference, turns, options, j);
            out.push_back(std::move(set));
        }
    }
    parallel_for(out.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            out[k].before = lengths_over(reference, out[k]);
            out[k].after = lengths_over(model, out[k]);
        }
    });
    return out;
}

// A pose of one muscle: its length, and what it costs to allow it or not.
struct PoseCost {
    double length = 0.0;
    double if_allowed = 0.0;
    double if_not = 0.0;
};

// The threshold of least cost; of several, the one nearest to a guess.
double best_threshold(std::vector<PoseCost>& poses, double guess) {
    std::sort(poses.begin(), poses.end(),
              [](const PoseCost& a, const PoseCost& b) { return a.length < b.length; });
    double cost = 0.0;
    for (const PoseCost& p : poses) {
        cost += p.if_not;
    }
    // Thresholds between poses i - 1 and i all allow the first i poses.
    double least = std::numeric_limits<double>::infinity();
    double best = guess;
    double distance = 0.0;
    for (std::size_t i = 0; i <= poses.size(); ++i) {
        const double low = i == 0 ? 0.0 : poses[i - 1].length;
        const double high =
            i == poses.size() ? std::numeric_limits<double>::infinity() : poses[i].length;
        if (high > low) {
            const double inside = std::isinf(high) ? low * (1.0 + 1e-9) : 0.5 * (low + high);
            const double here = guess > low && guess < high ? guess : inside;
            const double slack = 1e-9 * (1.0 + std::abs(least));
            if (cost < least - slack ||
                (cost < least + slack && std::abs(here - guess) < distance)) {
                least = std::min(cost, least);
                best = here;
                distance = std::abs(here - guess);
            }
        }
        if (i < poses.size()) {
            cost += poses[i].if_allowed - poses[i].if_not;
        }
    }
    return best;
}

// L' = a L + b of a muscle over its poses, at L = limit: where the limit goes if paths only grow.
double affine_guess(const std::vector<double>& L, const std::vector<double>& K, double limit) {
    double mean_l = 0.0;
    double mean_k = 0.0;
    for (std::size_t i = 0; i < L.size(); ++i) {
        mean_l += L[i] / static_cast<double>(L.size());
        mean_k += K[i] / static_cast<double>(L.size());
    }
    double ll = 0.0;
    double lk = 0.0;
    for (std::size_t i = 0; i < L.size(); ++i) {
        ll += (L[i] - mean_l) * (L[i] - mean_l);
        lk += (L[i] - mean_l) * (K[i] - mean_k);
    }
    // Where the path has turned its function round, proportions are all there is.
    const double slope = ll > 0.0 ? lk / ll : 0.0;
    const double proportional = mean_k / mean_l;
    return slope > 0.0 ? mean_k + slope * (limit - mean_l) : proportional * limit;
}

// The fit of all thresholds to the poses of all joints.
class ThresholdFit {
public:
    ThresholdFit(const std::vector<JointPoses>& sets, std::vector<double> limits)
        : sets_(sets), limits_(std::move(limits)), thresholds_(limits_), places_(limits_.size()) {
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            for (std::size_t k = 0; k < sets_[s].muscles.size(); ++k) {
                places_[sets_[s].muscles[k]].push_back({s, k});
            }
        }
        for (const JointPoses& set : sets_) {
            std::vector<int>& beyond = beyond_before_.emplace_back(set.poses.size(), 0);
            for_each(set, [&](std::size_t p, std::size_t k, std::size_t m) {
                beyond[p] += set.before[p * set.muscles.size() + k] > limits_[m] ? 1 : 0;
            });
        }
    }

    void fit_alone() {
        parallel_for(limits_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t m = begin; m < end; ++m) {
                thresholds_[m] = places_[m].empty() ? 0.0 : fit_one(m, nullptr, 1.0);
            }
        });
        for (const JointPoses& set : sets_) {
            std::vector<int>& beyond = beyond_after_.emplace_back(set.poses.size(), 0);
            for_each(set, [&](std::size_t p, std::size_t k, std::size_t m) {
                beyond[p] += set.after[p * set.muscles.size() + k] > thresholds_[m] ? 1 : 0;
            });
        }
    }

    void fit_together(double own_weight) {
        for (std::size_t m = 0; m < limits_.size(); ++m) {
            if (!places_[m].empty()) {
                count(m, -1);
                thresholds_[m] = fit_one(m, &beyond_after_, own_weight);
                count(m, 1);
            }
        }
    }

    /// 0 of muscles that no joint moves.
    const std::vector<double>& thresholds() const {
        return thresholds_;
    }

private:
    struct Place {
        std::size_t set = 0;
        std::size_t column = 0;
    };

    template <class Visit>
    static void for_each(const JointPoses& set, Visit&& visit) {
        for (std::size_t p = 0; p < set.poses.size(); ++p) {
            for (std::size_t k = 0; k < set.muscles.size(); ++k) {
                visit(p, k, set.muscles[k]);
            }
        }
    }

    void count(std::size_t m, int change) {
        for (const Place& place : places_[m]) {
            const JointPoses& set = sets_[place.set];
            for (std::size_t p = 0; p < set.poses.size(); ++p) {
                const double length = set.after[p * set.muscles.size() + place.column];
                beyond_after_[place.set][p] += length > thresholds_[m] ? change : 0;
            }
        }
    }

    // @param others  how many other muscles forbid each pose; null: it is alone
    double fit_one(std::size_t m, const std::vector<std::vector<int>>* others, double own) const {
        std::vector<PoseCost> costs;
        std::vector<double> before;
        std::vector<double> after;
        for (const Place& place : places_[m]) {
            const JointPoses& set = sets_[place.set];
            for (std::size_t p = 0; p < set.poses.size(); ++p) {
                const std::size_t i = p * set.muscles.size() + place.column;
                before.push_back(set.before[i]);
                after.push_back(set.after[i]);
                const bool is_allowed = set.before[i] <= limits_[m];
                // Every joint counts alike, however many poses it has.
                const double share = 1.0 / static_cast<double>(set.poses.size());
                PoseCost cost{set.after[i], is_allowed ? 0.0 : own * share,
                              is_allowed ? own * share : 0.0};
                if (others != nullptr && (*others)[place.set][p] == 0) {
                    const bool is_valid = beyond_before_[place.set][p] == 0;
                    (is_valid ? cost.if_not : cost.if_allowed) += share;
                }
                costs.push_back(cost);
            }
        }
        return best_threshold(costs, affine_guess(before, after, limits_[m]));
    }

    const std::vector<JointPoses>& sets_;
    std::vector<double> limits_;
    std::vector<double> thresholds_;
    std::vector<std::vector<Place>> places_;
    std::vector<std::vector<int>> beyond_before_ = {};
    std::vector<std::vector<int>> beyond_after_ = {};
};

std::vector<double> longest_lengths(const MusculoskeletalModel& model,
                                    const StretchLimits& limits) {
    std::vector<double> out;
    for (const MuscleUnit& unit : model.muscles) {
        out.push_back(longest_length(unit, limits));
    }
    return out;
}

}  // namespace

void set_longest_length(MuscleUnit& unit, double longest, const StretchLimits& limits) {
    const double ratio = longest / longest_length(unit, limits);
    unit.fibre *= ratio;
    unit.tendon *= ratio;
}

void allow_poses(MusculoskeletalModel& model, std::span<const std::vector<double>> poses,
                 const StretchLimits& limits) {
    SINEW_ASSERT(!poses.empty(), "{} poses", poses.size());
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    std::vector<double> longest(model.muscles.size(), 0.0);
    for (const std::vector<double>& q : poses) {
        const PathState state = paths.evaluate(tree.place(q));
        for (std::size_t m = 0; m < longest.size(); ++m) {
            longest[m] = std::max(longest[m], state.length[m]);
        }
    }
    for (std::size_t m = 0; m < longest.size(); ++m) {
        // A rounding error must not forbid the pose that gave the length.
        set_longest_length(model.muscles[m], longest[m] * (1.0 + 1e-12), limits);
    }
}

void keep_range_of_motion(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                          const RangeFitOptions& options, const Progress& progress) {
    const std::vector<JointPoses> sets = measure_joints(reference, model, options);
    progress.check_cancelled();
    ThresholdFit fit(sets, longest_lengths(reference, options.limits));
    fit.fit_alone();
    for (int sweep = 0; sweep < options.sweeps; ++sweep) {
        fit.fit_together(options.own_weight);
        progress.check_cancelled();
    }
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        if (fit.thresholds()[m] > 0.0) {
            MuscleUnit& unit = model.muscles[m];
            unit.fibre = reference.muscles[m].fibre;
            unit.tendon = reference.muscles[m].tendon;
            set_longest_length(unit, fit.thresholds()[m], options.limits);
        }
    }
}

std::vector<RangeDifference> range_differences(const MusculoskeletalModel& reference,
                                               const MusculoskeletalModel& model,
                                               const RangeFitOptions& options) {
    const std::vector<double> before = longest_lengths(reference, options.limits);
    const std::vector<double> after = longest_lengths(model, options.limits);
    std::vector<RangeDifference> out;
    for (const JointPoses& set : measure_joints(reference, model, options)) {
        std::size_t valid = 0;
        std::size_t wrong = 0;
        const std::size_t n = set.muscles.size();
        for (std::size_t p = 0; p < set.poses.size(); ++p) {
            bool is_valid = true;
            bool is_valid_now = true;
            for (std::size_t k = 0; k < n; ++k) {
                is_valid = is_valid && set.before[p * n + k] <= before[set.muscles[k]];
                is_valid_now = is_valid_now && set.after[p * n + k] <= after[set.muscles[k]];
            }
            valid += is_valid ? 1 : 0;
            wrong += is_valid != is_valid_now ? 1 : 0;
        }
        const auto count = static_cast<double>(set.poses.size());
        out.push_back({.joint = reference.joints[set.joint].name,
                       .valid_before = static_cast<double>(valid) / count,
                       .error = static_cast<double>(wrong) / count});
    }
    return out;
}

}  // namespace sinew
