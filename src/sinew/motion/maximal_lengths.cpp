#include "sinew/motion/maximal_lengths.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/motion/ball_frame.h"
#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

// Maximal lengths of muscles from poses that must be allowed [Ryu2021, section 4.2]: a pose is
// allowed when no muscle is longer than its limit, so limits are chosen such that poses of a set
// stay allowed, or such that the range of motion of a reference is kept. The set of poses is
// sampled with a fixed seed.

namespace sinew {

namespace {

constexpr int kHingePart = 10;      // of the poses of a ball, for one rotation
constexpr double kSlack = 1e-9;     // relative: a rounding error must not forbid a pose
constexpr int kMostThrown = 3;      // limits at a time, see try_elsewhere
constexpr double kLimitBand = 0.1;  // of a muscle's lengths: poses that tell where its limit goes

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

// The pose at rest, then balls in all swings and twists as maps have them, others in their ranges.
std::vector<std::vector<double>> poses_of(const MusculoskeletalModel& model,
                                          const std::vector<Index>& turns,
                                          const RangeFitOptions& options, std::size_t joint) {
    Random random(Seed{options.seed}, joint);
    const bool is_ball = turns.size() == 3 && BallFrame::is_ball(model, joint);
    const int part = is_ball ? 1 : turns.size() == 1 ? kHingePart : 2;
    const int count = std::max(1, options.poses_per_joint / part);
    const std::vector<double> rest = rest_coordinates(model);
    std::optional<BallFrame> ball;
    if (is_ball) {
        ball.emplace(model, joint);
    }
    std::vector<std::vector<double>> out = {rest};
    for (int i = 0; i < count; ++i) {
        std::vector<double>& q = out.emplace_back(rest);
        if (ball) {
            BallTurn turn;
            turn.swing = random.uniform(0.0, kPi);
            turn.direction = random.uniform(0.0, 2.0 * kPi);
            turn.twist = random.uniform(-kPi, kPi);
            const Vec3 angles = ball->angles(turn);
            for (std::size_t k = 0; k < 3; ++k) {
                q[at(ball->coordinates()[k])] = angles[static_cast<Eigen::Index>(k)];
            }
            continue;
        }
        for (const Index turn : turns) {
            const Coordinate& c = model.coordinates[at(turn)];
            const double low = std::max(c.low, c.rest - kPi);
            const double high = std::min(c.high, c.rest + kPi);
            q[at(turn)] = random.uniform(low, std::max(low, high));
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

// A pose of one muscle: its length, and what allowing it adds to the cost.
struct PoseCost {
    double length = 0.0;
    double allowing = 0.0;  // < 0 where it is better allowed
};

// The threshold >= least of least cost; of several, the one nearest to a guess.
double best_threshold(std::vector<PoseCost>& poses, double guess, double least) {
    std::sort(poses.begin(), poses.end(),
              [](const PoseCost& a, const PoseCost& b) { return a.length < b.length; });
    double cost = 0.0;
    double lowest = std::numeric_limits<double>::infinity();
    double best = std::max(guess, least);
    double distance = 0.0;
    // Thresholds between poses i - 1 and i all allow the first i poses.
    for (std::size_t i = 0; i <= poses.size(); ++i) {
        cost += i == 0 ? 0.0 : poses[i - 1].allowing;
        const double low = std::max(i == 0 ? 0.0 : poses[i - 1].length, least);
        const double high =
            i == poses.size() ? std::numeric_limits<double>::infinity() : poses[i].length;
        if (high <= low) {
            continue;
        }
        const double inside = std::isinf(high) ? low * (1.0 + kSlack) : 0.5 * (low + high);
        const double here = guess > low && guess < high ? guess : inside;
        const double same = 1e-12;
        if (cost < lowest - same || (cost < lowest + same && std::abs(here - guess) < distance)) {
            lowest = std::min(cost, lowest);
            best = here;
            distance = std::abs(here - guess);
        }
    }
    return best;
}

// L' = a L + b of a muscle over its poses near the limit, at L = limit: where the limit goes if
// paths only grow. A limit that no pose reaches bounds nothing and goes in proportion with the
// longest.
double affine_guess(const std::vector<double>& L, const std::vector<double>& K, double limit) {
    const double least = *std::min_element(L.begin(), L.end());
    const double most = *std::max_element(L.begin(), L.end());
    if (limit >= most) {
        return *std::max_element(K.begin(), K.end()) * limit / most;
    }
    const double band = kLimitBand * (most - least) + std::numeric_limits<double>::min();
    const auto weight = [&](double length) {
        const double t = (length - std::max(limit, least)) / band;
        return 1.0 / (1.0 + t * t);
    };
    double sum = 0.0;
    double mean_l = 0.0;
    double mean_k = 0.0;
    for (std::size_t i = 0; i < L.size(); ++i) {
        const double w = weight(L[i]);
        sum += w;
        mean_l += w / sum * (L[i] - mean_l);
        mean_k += w / sum * (K[i] - mean_k);
    }
    double ll = 0.0;
    double lk = 0.0;
    for (std::size_t i = 0; i < L.size(); ++i) {
        const double w = weight(L[i]);
        ll += w * (L[i] - mean_l) * (L[i] - mean_l);
        lk += w * (L[i] - mean_l) * (K[i] - mean_k);
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
        : sets_(sets),
          limits_(std::move(limits)),
          thresholds_(limits_.size(), 0.0),
          least_(limits_.size(), 0.0),
          guesses_(limits_.size(), 0.0),
          places_(limits_.size()) {
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            for (std::size_t k = 0; k < sets_[s].muscles.size(); ++k) {
                places_[sets_[s].muscles[k]].push_back({s, k});
            }
        }
        for (const JointPoses& set : sets_) {
            std::vector<char>& is_valid = is_valid_.emplace_back(set.poses.size(), 1);
            for_each(set, [&](std::size_t p, std::size_t k, std::size_t m) {
                if (set.before[p * set.muscles.size() + k] > limits_[m]) {
                    is_valid[p] = 0;
                }
            });
        }
    }

    // Every muscle just allows the poses that the reference allows [Ryu2021, 4.2].
    void allow_valid() {
        parallel_for(limits_.size(), 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t m = begin; m < end; ++m) {
                if (!places_[m].empty()) {
                    start(m);
                }
            }
        });
        for (const JointPoses& set : sets_) {
            std::vector<int>& beyond = beyond_.emplace_back(set.poses.size(), 0);
            for_each(set, [&](std::size_t p, std::size_t k, std::size_t m) {
                beyond[p] += set.after[p * set.muscles.size() + k] > thresholds_[m] ? 1 : 0;
            });
        }
    }

    void fit_together() {
        for (std::size_t m = 0; m < limits_.size(); ++m) {
            if (!places_[m].empty()) {
                count(m, -1);
                thresholds_[m] = fit_one(m);
                count(m, 1);
            }
        }
    }

    // What one muscle at a time cannot better, several may: some limits are thrown elsewhere, all
    // others answer, then these; what is worse in the end is taken back.
    void try_elsewhere(int trials, std::uint64_t seed, const Progress& progress) {
        std::vector<std::size_t> moved;
        for (std::size_t m = 0; m < limits_.size(); ++m) {
            if (!places_[m].empty()) {
                moved.push_back(m);
            }
        }
        Random random(Seed{seed}, limits_.size());
        double best = cost();
        for (int trial = 0; trial < trials && !moved.empty(); ++trial) {
            progress.check_cancelled();
            const std::vector<double> before = thresholds_;
            std::vector<char> is_thrown(limits_.size(), 0);
            const int count = 1 + static_cast<int>(random.uniform(0.0, kMostThrown));
            for (int i = 0; i < count; ++i) {
                const std::size_t m = moved[static_cast<std::size_t>(
                    random.uniform(0.0, static_cast<double>(moved.size())))];
                is_thrown[m] = 1;
                set_threshold(m, random_threshold(m, random));
            }
            for (const bool are_thrown : {false, true, false}) {
                for (const std::size_t m : moved) {
                    if ((is_thrown[m] != 0) == are_thrown) {
                        this->count(m, -1);
                        thresholds_[m] = fit_one(m);
                        this->count(m, 1);
                    }
                }
            }
            if (const double now = cost(); now < best - 1e-12) {
                best = now;
                continue;
            }
            for (const std::size_t m : moved) {
                set_threshold(m, before[m]);
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

    void start(std::size_t m) {
        std::vector<double> before;
        std::vector<double> after;
        for (const Place& place : places_[m]) {
            const JointPoses& set = sets_[place.set];
            for (std::size_t p = 0; p < set.poses.size(); ++p) {
                const std::size_t i = p * set.muscles.size() + place.column;
                before.push_back(set.before[i]);
                after.push_back(set.after[i]);
                if (is_valid_[place.set][p] != 0) {
                    thresholds_[m] = std::max(thresholds_[m], after.back());
                }
                // The first pose is that at rest, which relaxed muscles must allow.
                if (p == 0 && before.back() <= limits_[m]) {
                    least_[m] = std::max(least_[m], after.back() * (1.0 + kSlack));
                }
            }
        }
        guesses_[m] = affine_guess(before, after, limits_[m]);
        thresholds_[m] = std::max({thresholds_[m] * (1.0 + kSlack), least_[m], guesses_[m]});
    }

    void count(std::size_t m, int change) {
        for (const Place& place : places_[m]) {
            const JointPoses& set = sets_[place.set];
            for (std::size_t p = 0; p < set.poses.size(); ++p) {
                const double length = set.after[p * set.muscles.size() + place.column];
                beyond_[place.set][p] += length > thresholds_[m] ? change : 0;
            }
        }
    }

    void set_threshold(std::size_t m, double threshold) {
        if (threshold != thresholds_[m]) {
            count(m, -1);
            thresholds_[m] = threshold;
            count(m, 1);
        }
    }

    // A length that the muscle has in some pose, hence anything from forbidding most to nothing.
    double random_threshold(std::size_t m, Random& random) const {
        const Place place = places_[m][static_cast<std::size_t>(
            random.uniform(0.0, static_cast<double>(places_[m].size())))];
        const JointPoses& set = sets_[place.set];
        const auto p =
            static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(set.poses.size())));
        return std::max(least_[m], set.after[p * set.muscles.size() + place.column]);
    }

    // Poses on which the answer is another, every joint alike.
    double cost() const {
        double sum = 0.0;
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            const double share = 1.0 / static_cast<double>(sets_[s].poses.size());
            for (std::size_t p = 0; p < sets_[s].poses.size(); ++p) {
                sum += (is_valid_[s][p] != 0) == (beyond_[s][p] == 0) ? 0.0 : share;
            }
        }
        return sum;
    }

    // Of the poses that all others allow.
    double fit_one(std::size_t m) const {
        std::vector<PoseCost> costs;
        for (const Place& place : places_[m]) {
            const JointPoses& set = sets_[place.set];
            // Every joint counts alike, however many poses it has.
            const double share = 1.0 / static_cast<double>(set.poses.size());
            for (std::size_t p = 0; p < set.poses.size(); ++p) {
                if (beyond_[place.set][p] == 0) {
                    costs.push_back({set.after[p * set.muscles.size() + place.column],
                                     is_valid_[place.set][p] != 0 ? -share : share});
                }
            }
        }
        return best_threshold(costs, guesses_[m], least_[m]);
    }

    const std::vector<JointPoses>& sets_;
    std::vector<double> limits_;
    std::vector<double> thresholds_;
    std::vector<double> least_;    // m, of poses at rest
    std::vector<double> guesses_;  // m
    std::vector<std::vector<Place>> places_;
    std::vector<std::vector<char>> is_valid_ = {};  // by the reference, per set
    std::vector<std::vector<int>> beyond_ = {};     // muscles that forbid a pose now, per set
};

std::vector<double> longest_lengths(const MusculoskeletalModel& model,
                                    const StretchLimits& limits) {
    std::vector<double> out;
    for (const MuscleUnit& unit : model.muscles) {
        out.push_back(longest_length(unit, limits));
    }
    return out;
}

void fit_lengths(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                 const std::vector<JointPoses>& sets, const RangeFitOptions& options,
                 const Progress& progress) {
    ThresholdFit fit(sets, longest_lengths(reference, options.limits));
    fit.allow_valid();
    for (int sweep = 0; sweep < options.sweeps; ++sweep) {
        fit.fit_together();
        progress.check_cancelled();
    }
    fit.try_elsewhere(options.trials, options.seed, progress);
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        if (fit.thresholds()[m] > 0.0) {
            MuscleUnit& unit = model.muscles[m];
            unit.fibre = reference.muscles[m].fibre;
            unit.tendon = reference.muscles[m].tendon;
            set_longest_length(unit, fit.thresholds()[m], options.limits);
        }
    }
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

void fit_range_of_motion(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                         std::size_t joint,
                         const std::function<std::vector<double>(std::vector<double>)>& map,
                         const RangeFitOptions& options) {
    std::vector<JointPoses> sets = measure_joints(reference, model, options);
    std::erase_if(sets, [&](const JointPoses& set) { return set.joint != joint; });
    for (JointPoses& set : sets) {
        // Lengths of the model where it is, of the reference where the wish sends it.
        JointPoses wished{.joint = joint, .muscles = set.muscles};
        for (const std::vector<double>& q : set.poses) {
            wished.poses.push_back(map(q));
        }
        set.before = lengths_over(reference, wished);
    }
    fit_lengths(model, reference, sets, options, {});
}

void keep_range_of_motion(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                          const RangeFitOptions& options, const Progress& progress) {
    const std::vector<JointPoses> sets = measure_joints(reference, model, options);
    progress.check_cancelled();
    fit_lengths(model, reference, sets, options, progress);
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
