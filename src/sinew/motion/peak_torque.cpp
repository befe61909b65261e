#include "sinew/motion/peak_torque.h"

#include "sinew/base/parallel.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/known_muscles.h"
#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

// Ratios of fibre to tendon that keep the angles at which muscles pull hardest [Ryu2021, eq. 9].
// Departs: a search over one number per muscle in place of descent; distances of angles count, not
// their squares, for a curve with two equal tops may jump by a radian and hide all others.

namespace sinew {

namespace {

constexpr double kLeastLever = 1e-6;  // m
constexpr double kChangeCost = 1e-3;  // rad, of a ratio's whole change
constexpr double kLeastTendon = 0.1;  // of a tendon's own length, where fibres lengthen
constexpr double kGapWeight = 1.0;    // rad, of what the wanted angle lacks of the peak

// One muscle over one motion.
struct Pull {
    std::size_t muscle = 0;
    std::size_t motion = 0;
    std::vector<double> arm = {};  // m
    std::vector<double> length = {};
};

using TorqueCurves = std::array<std::vector<double>, 2>;  // up, down; N m

std::vector<Pull> measure_pulls(const MusculoskeletalModel& model,
                                const std::vector<JointMotion>& motions) {
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const MotionPlacements placed(model, motions);
    std::vector<std::vector<Pull>> parts(motions.size());
    parallel_for(motions.size(), 1, [&](std::size_t begin, std::size_t end) {
        std::vector<double> dense(model.coordinates.size());
        for (std::size_t j = begin; j < end; ++j) {
            std::vector<Pull> all(motions[j].is_crossed ? 0 : model.muscles.size());
            const std::size_t samples = all.empty() ? 0 : motions[j].poses.size();
            for (std::size_t s = 0; s < samples; ++s) {
                const PathState state = paths.evaluate(placed.pose(j, s));
                for (std::size_t m = 0; m < all.size(); ++m) {
                    paths.scatter(state, m, dense);
                    tree.fold_couplers(placed.pose(j, s), dense);
                    all[m].arm.push_back(-dense[at(motions[j].coordinate)]);
                    all[m].length.push_back(state.length[m]);
                }
            }
            for (std::size_t m = 0; m < all.size(); ++m) {
                if (std::any_of(all[m].arm.begin(), all[m].arm.end(),
                                [](double a) { return std::abs(a) > kLeastLever; })) {
                    all[m].muscle = m;
                    all[m].motion = j;
                    parts[j].push_back(std::move(all[m]));
                }
            }
        }
    });
    std::vector<Pull> out;
    for (std::vector<Pull>& part : parts) {
        std::move(part.begin(), part.end(), std::back_inserter(out));
    }
    return out;
}

// Torque of a unit over a pull's samples.
std::vector<double> torques_of(const Pull& pull, const MuscleUnit& unit) {
    std::vector<double> out;
    for (std::size_t s = 0; s < pull.arm.size(); ++s) {
        out.push_back(pull.arm[s] * equilibrium_force(unit, pull.length[s], 1.0).active);
    }
    return out;
}

void add_torques(TorqueCurves& curves, const std::vector<double>& torques, double sign) {
    for (std::size_t s = 0; s < torques.size(); ++s) {
        curves[0][s] += sign * std::max(0.0, torques[s]);
        curves[1][s] += sign * std::max(0.0, -torques[s]);
    }
}

std::vector<TorqueCurves> empty_curves(const std::vector<JointMotion>& motions) {
    std::vector<TorqueCurves> out;
    for (const JointMotion& motion : motions) {
        const std::vector<double> none(motion.poses.size(), 0.0);
        out.push_back({none, none});
    }
    return out;
}

struct Peak {
    double theta = 0.0;
    double torque = 0.0;
};

// The greatest sample, moved to the top of the parabola through it and its neighbours.
Peak peak_of(const std::vector<double>& curve) {
    const auto top = std::max_element(curve.begin(), curve.end());
    const auto i = static_cast<std::size_t>(top - curve.begin());
    double shift = 0.0;
    if (i > 0 && i + 1 < curve.size()) {
        const double bend = curve[i - 1] - 2.0 * curve[i] + curve[i + 1];
        shift = bend < 0.0 ? 0.5 * (curve[i - 1] - curve[i + 1]) / bend : 0.0;
    }
    return {(static_cast<double>(i) + std::clamp(shift, -0.5, 0.5)) /
                static_cast<double>(curve.size() - 1),
            *top};
}

// Between samples, linear.
double value_at(const std::vector<double>& curve, double theta) {
    const double x = theta * static_cast<double>(curve.size() - 1);
    const auto i = std::min(static_cast<std::size_t>(x), curve.size() - 2);
    const double t = x - static_cast<double>(i);
    return (1.0 - t) * curve[i] + t * curve[i + 1];
}

std::vector<TorqueCurves> torque_curves(const MusculoskeletalModel& model,
                                        const std::vector<JointMotion>& motions) {
    const std::vector<Pull> pulls = measure_pulls(model, motions);
    std::vector<std::vector<double>> torques(pulls.size());
    parallel_for(pulls.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            torques[k] = torques_of(pulls[k], model.muscles[pulls[k].muscle]);
        }
    });
    std::vector<TorqueCurves> out = empty_curves(motions);
    for (std::size_t k = 0; k < pulls.size(); ++k) {
        add_torques(out[pulls[k].motion], torques[k], 1.0);
    }
    return out;
}

// Another part of the fibre in the same maximal length k_m f + k_t t; a tendon stays a tendon.
MuscleUnit with_ratio(MuscleUnit unit, double factor, const StretchLimits& limits) {
    if (unit.tendon > 0.0) {
        const double longest = longest_length(unit, limits);
        const double most = (longest - limits.tendon * kLeastTendon * unit.tendon) / limits.fibre;
        unit.fibre = std::min(factor * unit.fibre, most);
        unit.tendon = (longest - limits.fibre * unit.fibre) / limits.tendon;
    }
    return unit;
}

// A muscle and that of the other side, which keep one ratio, with their pulls by motion.
struct MusclePair {
    std::vector<std::size_t> muscles = {};
    std::map<std::size_t, std::vector<std::size_t>> pulls = {};
};

std::vector<MusclePair> muscle_pairs(const MusculoskeletalModel& model,
                                     const std::vector<Pull>& pulls) {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        numbers[model.muscles[m].name] = m;
    }
    std::vector<std::size_t> pair_of(model.muscles.size(), model.muscles.size());
    std::vector<MusclePair> out;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        if (pair_of[m] < model.muscles.size()) {
            continue;
        }
        pair_of[m] = out.size();
        out.push_back({.muscles = {m}});
        for (const std::string& other : names_of_other_side(model.muscles[m].name)) {
            const auto it = numbers.find(other);
            if (it != numbers.end() && pair_of[it->second] == model.muscles.size()) {
                pair_of[it->second] = out.size() - 1;
                out.back().muscles.push_back(it->second);
                break;
            }
        }
    }
    for (std::size_t k = 0; k < pulls.size(); ++k) {
        out[pair_of[pulls[k].muscle]].pulls[pulls[k].motion].push_back(k);
    }
    return out;
}

}  // namespace

std::vector<PeakTorque> peak_torques(const MusculoskeletalModel& model,
                                     const std::vector<JointMotion>& motions, double least) {
    const std::vector<TorqueCurves> curves = torque_curves(model, motions);
    std::vector<PeakTorque> out;
    for (std::size_t j = 0; j < motions.size(); ++j) {
        const auto c = at(motions[j].coordinate);
        const double low = motions[j].poses.front()[c];
        const double high = motions[j].poses.back()[c];
        for (std::size_t d = 0; d < 2 && !motions[j].is_crossed; ++d) {
            const Peak peak = peak_of(curves[j][d]);
            if (peak.torque >= least) {
                out.push_back({.coordinate = motions[j].coordinate,
                               .direction = d == 0 ? 1 : -1,
                               .theta = peak.theta,
                               .angle = low + peak.theta * (high - low),
                               .torque = peak.torque});
            }
        }
    }
    return out;
}

void keep_peak_torques(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                       const std::vector<JointMotion>& motions, const PeakFitOptions& options) {
    // Wanted angles, per motion and direction.
    const std::vector<TorqueCurves> wanted = torque_curves(reference, motions);
    std::vector<double> reach;
    for (const JointMotion& motion : motions) {
        const auto c = at(motion.coordinate);
        reach.push_back(motion.poses.back()[c] - motion.poses.front()[c]);
    }
    const auto error_of = [&](std::size_t j, const TorqueCurves& curves) {
        double sum = 0.0;
        for (std::size_t d = 0; d < 2; ++d) {
            const Peak peak = peak_of(wanted[j][d]);
            if (peak.torque >= options.least_torque) {
                const Peak found = peak_of(curves[d]);
                sum += reach[j] * std::abs(found.theta - peak.theta);
                if (found.torque > 0.0) {
                    sum += kGapWeight * (1.0 - value_at(curves[d], peak.theta) / found.torque);
                }
            }
        }
        return sum;
    };
    const std::vector<Pull> pulls = measure_pulls(model, motions);
    const std::vector<MusclePair> pairs = muscle_pairs(model, pulls);
    // Torques of every pull for every ratio of the ladder; the middle one is no change.
    const int rungs = 2 * options.steps + 1;
    const auto factor = [&](int r) {
        return 1.0 + options.most_change * (r - options.steps) / options.steps;
    };
    std::vector<std::vector<std::vector<double>>> ladder(pulls.size());
    parallel_for(pulls.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            for (int r = 0; r < rungs; ++r) {
                ladder[k].push_back(torques_of(pulls[k], with_ratio(model.muscles[pulls[k].muscle],
                                                                    factor(r), options.limits)));
            }
        }
    });
    std::vector<TorqueCurves> now = empty_curves(motions);
    std::vector<int> chosen(pairs.size(), options.steps);
    for (std::size_t k = 0; k < pulls.size(); ++k) {
        add_torques(now[pulls[k].motion], ladder[k][at(options.steps)], 1.0);
    }
    // Curves of a motion with another ratio of a pair's muscles.
    const auto changed = [&](std::size_t motion, const std::vector<std::size_t>& moved, int from,
                             int to) {
        TorqueCurves curves = now[motion];
        for (const std::size_t k : moved) {
            add_torques(curves, ladder[k][at(from)], -1.0);
            add_torques(curves, ladder[k][at(to)], 1.0);
        }
        return curves;
    };
    for (int sweep = 0; sweep < options.sweeps; ++sweep) {
        for (std::size_t g = 0; g < pairs.size(); ++g) {
            double least = std::numeric_limits<double>::infinity();
            int best = chosen[g];
            for (int r = 0; r < rungs; ++r) {
                double error = kChangeCost * std::pow(factor(r) - 1.0, 2);
                for (const auto& [motion, moved] : pairs[g].pulls) {
                    error += error_of(motion, changed(motion, moved, chosen[g], r));
                }
                if (error < least) {
                    least = error;
                    best = r;
                }
            }
            for (const auto& [motion, moved] : pairs[g].pulls) {
                now[motion] = changed(motion, moved, chosen[g], best);
            }
            chosen[g] = best;
        }
    }
    for (std::size_t g = 0; g < pairs.size(); ++g) {
        for (const std::size_t m : pairs[g].muscles) {
            model.muscles[m] = with_ratio(model.muscles[m], factor(chosen[g]), options.limits);
        }
    }
}

std::optional<double> peak_distance(std::span<const PeakTorque> reference,
                                    std::span<const PeakTorque> other) {
    std::map<std::pair<Index, int>, double> found;
    for (const PeakTorque& peak : other) {
        found[{peak.coordinate, peak.direction}] = peak.angle;
    }
    double sum = 0.0;
    int count = 0;
    for (const PeakTorque& peak : reference) {
        const auto it = found.find({peak.coordinate, peak.direction});
        if (it != found.end()) {
            sum += std::abs(it->second - peak.angle);
            ++count;
        }
    }
    return count > 0 ? std::optional<double>(sum / count) : std::nullopt;
}

}  // namespace sinew
