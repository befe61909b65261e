#include "sinew/motion/musculature_retargeting.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

// The whole of [Ryu2021]: bodies with other proportions, then points, maximal lengths, ratios of
// fibre to tendon, in the paper's order, each from what the last one left. compare_musculatures()
// measures what was kept on poses that the fit did not see, and against the naive model, whose
// muscles only moved with their bones.

namespace sinew {

namespace {

constexpr int kCompareSamples = 61;       // of curves that are compared
constexpr int kPeakSamples = 61;          // of torque curves; of two tops the same must win
constexpr double kLeastPart = 0.01;       // of the length at rest: less is no part in a motion
constexpr double kLeastOfGreatest = 0.1;  // of the muscle's greatest excursion
constexpr double kPartedCurves = 100.0;   // weight of curves where points are parted
constexpr double kLeastWorking = 0.45;    // of a fibre's optimal length at rest
constexpr double kLeastSlope = 0.02;      // of the greatest slope; flatter pieces have no direction

// Lengths of all muscles over a motion: [muscle][sample].
std::vector<std::vector<double>> curves_over(const MusclePaths& paths,
                                             const MotionPlacements& placed, std::size_t motion,
                                             std::size_t samples) {
    std::vector<std::vector<double>> out(paths.muscle_count());
    PathState state;
    for (std::size_t s = 0; s < samples; ++s) {
        paths.evaluate(placed.pose(motion, s), state);
        for (std::size_t m = 0; m < out.size(); ++m) {
            out[m].push_back(state.length[m]);
        }
    }
    return out;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<double>(a.size());
    const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double aa = 0.0;
    double bb = 0.0;
    double ab = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
        ab += (a[i] - ma) * (b[i] - mb);
    }
    return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

double disorder(const std::vector<double>& a, const std::vector<double>& b) {
    double steepest = 0.0;
    for (std::size_t i = 0; i + 1 < a.size(); ++i) {
        steepest = std::max(steepest, std::abs(a[i + 1] - a[i]));
    }
    int wrong = 0;
    for (std::size_t i = 0; i + 1 < a.size(); ++i) {
        const double rise = a[i + 1] - a[i];
        wrong += std::abs(rise) > kLeastSlope * steepest && rise * (b[i + 1] - b[i]) < 0.0 ? 1 : 0;
    }
    return static_cast<double>(wrong) / static_cast<double>(a.size() - 1);
}

double excursion(const std::vector<double>& curve) {
    const auto [low, high] = std::minmax_element(curve.begin(), curve.end());
    return *high - *low;
}

std::vector<double> longest_of(const MusculoskeletalModel& model, const StretchLimits& limits) {
    std::vector<double> out;
    for (const MuscleUnit& unit : model.muscles) {
        out.push_back(longest_length(unit, limits));
    }
    return out;
}

// Fibres and tendons of the naive model: their share of the path at rest.
void scale_with_paths(MusculoskeletalModel& model, const MusculoskeletalModel& reference) {
    const KinematicTree tree(model);
    const KinematicTree tree_before(reference);
    const PathState now = MusclePaths(model, tree).evaluate(tree.place(rest_coordinates(model)));
    const PathState before = MusclePaths(reference, tree_before)
                                 .evaluate(tree_before.place(rest_coordinates(reference)));
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        if (before.length[m] > 0.0 && now.length[m] > 0.0) {
            const double ratio = now.length[m] / before.length[m];
            model.muscles[m].fibre = ratio * reference.muscles[m].fibre;
            model.muscles[m].tendon = ratio * reference.muscles[m].tendon;
        }
    }
}

// Fibres that are shorter at rest than they work, where the reference's are not, become longer at
// the expense of the tendon, their maximal length kept:
//   k_m f + k_t t = K,  (L - t) / f >= r   <=>   f >= (K / k_t - L) / (k_m / k_t - r)
void keep_fibres_working(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                         const StretchLimits& limits) {
    const KinematicTree tree(model);
    const KinematicTree tree_before(reference);
    const PathState now = MusclePaths(model, tree).evaluate(tree.place(rest_coordinates(model)));
    const PathState before = MusclePaths(reference, tree_before)
                                 .evaluate(tree_before.place(rest_coordinates(reference)));
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        MuscleUnit& unit = model.muscles[m];
        const MuscleUnit& old = reference.muscles[m];
        if (unit.fibre <= 0.0 || old.fibre <= 0.0) {
            continue;
        }
        const double least = std::min(kLeastWorking, (before.length[m] - old.tendon) / old.fibre);
        const double longest = longest_length(unit, limits);
        const double fibre = std::min(
            (longest / limits.tendon - now.length[m]) / (limits.fibre / limits.tendon - least),
            longest / limits.fibre);
        if (least > 0.0 && fibre > unit.fibre) {
            unit.fibre = fibre;
            unit.tendon = std::max(0.0, (longest - limits.fibre * fibre) / limits.tendon);
        }
    }
}

}  // namespace

std::vector<CurveMatch> match_curves(const MusculoskeletalModel& reference,
                                     const MusculoskeletalModel& other,
                                     const std::vector<JointMotion>& motions) {
    const KinematicTree tree_before(reference);
    const KinematicTree tree(other);
    const MusclePaths paths_before(reference, tree_before);
    const MusclePaths paths(other, tree);
    const MotionPlacements before(reference, motions);
    const MotionPlacements after(other, motions);
    const PathState rest = paths_before.evaluate(tree_before.place(rest_coordinates(reference)));
    // All curves, [motion][muscle]; then those that the muscle takes part in.
    using Curves = std::vector<std::vector<double>>;
    std::vector<Curves> first(motions.size());
    std::vector<Curves> second(motions.size());
    parallel_for(motions.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            const std::size_t samples = motions[j].poses.size();
            first[j] = curves_over(paths_before, before, j, samples);
            second[j] = curves_over(paths, after, j, samples);
        }
    });
    std::vector<CurveMatch> out;
    for (std::size_t m = 0; m < reference.muscles.size(); ++m) {
        double greatest = 0.0;
        for (const Curves& curves : first) {
            greatest = std::max(greatest, excursion(curves[m]));
        }
        for (std::size_t j = 0; j < motions.size(); ++j) {
            const double change = excursion(first[j][m]);
            if (change >= kLeastPart * rest.length[m] && change >= kLeastOfGreatest * greatest) {
                out.push_back({.muscle = m,
                               .coordinate = motions[j].coordinate,
                               .correlation = correlation(first[j][m], second[j][m]),
                               .disorder = disorder(first[j][m], second[j][m])});
            }
        }
    }
    return out;
}

double MusculatureComparison::correlation_at(double quantile) const {
    std::vector<double> sorted;
    for (const CurveMatch& curve : curves) {
        sorted.push_back(curve.correlation);
    }
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 1.0
                          : sorted[static_cast<std::size_t>(
                                std::floor(quantile * static_cast<double>(sorted.size() - 1)))];
}

double MusculatureComparison::disorder_of(std::size_t muscle) const {
    double worst = 0.0;
    for (const CurveMatch& curve : curves) {
        worst = curve.muscle == muscle ? std::max(worst, curve.disorder) : worst;
    }
    return worst;
}

double MusculatureComparison::worst_range_error() const {
    double worst = 0.0;
    for (const RangeDifference& difference : range) {
        worst = std::max(worst, difference.error);
    }
    return worst;
}

MusculatureComparison compare_musculatures(const MusculoskeletalModel& reference,
                                           const MusculoskeletalModel& model,
                                           const MusculatureOptions& options) {
    JointMotionOptions plain = options.motions;
    plain.samples = kCompareSamples;
    plain.is_crossed = false;
    const std::vector<JointMotion> motions = joint_motions(reference, plain);
    RangeFitOptions range = options.range;
    range.seed += 1;  // other poses than the fit saw
    const std::vector<PeakTorque> peaks =
        peak_torques(reference, motions, options.peaks.least_torque);
    return {.curves = match_curves(reference, model, motions),
            .range = range_differences(reference, model, range),
            .peak = peak_distance(peaks, peak_torques(model, motions, 0.0))};
}

bool has_blended_points(const MusculoskeletalModel& model) {
    return std::any_of(model.muscles.begin(), model.muscles.end(), [](const MuscleUnit& unit) {
        return std::any_of(unit.points.begin(), unit.points.end(),
                           [](const PathPoint& p) { return p.anchors.size() > 1; });
    });
}

MusculoskeletalModel with_single_bone_points(const MusculoskeletalModel& model,
                                             const MusculatureOptions& options,
                                             const Progress& progress) {
    if (!has_blended_points(model)) {
        return model;
    }
    MusculoskeletalModel out = model;
    anchor_waypoints(out, false);
    // Lengths are what two points can keep of one that follows two bones.
    RoutingOptions routing = options.routing;
    routing.curve_weight = kPartedCurves;
    const std::vector<BodyWarp> same(model.bodies.size());
    route_muscles(out, model, same, joint_motions(model, options.motions), routing, progress);
    keep_range_of_motion(out, model, options.range, progress);
    return out;
}

RetargetedMusculature retarget_musculature(const MusculoskeletalModel& reference,
                                           const BodyProportions& proportions,
                                           const MusculatureOptions& options,
                                           const Progress& progress) {
    Progress::Stage stage = progress.stage("retargeting", 5);
    Timer timer;
    RetargetedMusculature out;
    // The body, with every waypoint on its nearest bone.
    const ProportionedBodies bodies = proportioned_bodies(reference, proportions);
    out.naive = proportioned_model(reference, proportions);
    anchor_waypoints(out.naive);
    scale_with_paths(out.naive, reference);
    stage.advance();
    // Points [Ryu2021, 5.1], maximal lengths [4.2], ratios [5.2].
    out.model = out.naive;
    const std::vector<JointMotion> motions = joint_motions(reference, options.motions);
    out.routes =
        route_muscles(out.model, reference, bodies.warps, motions, options.routing, progress);
    stage.advance();
    keep_range_of_motion(out.model, reference, options.range, progress);
    stage.advance();
    const std::vector<double> before = longest_of(reference, options.range.limits);
    for (MusculoskeletalModel* model : {&out.naive, &out.model}) {
        scale_strength(*model, bodies, proportions.strength, before,
                       longest_of(*model, options.range.limits));
        for (std::size_t m = 0; m < options.forces.size(); ++m) {
            model->muscles[m].fmax = options.forces[m];
        }
    }
    stage.advance();
    // Peaks lie between samples, so there are more of them; crossed motions have no peak to keep.
    // Forces come first: they decide whose peak is the joint's.
    JointMotionOptions fine = options.motions;
    fine.samples = kPeakSamples;
    fine.is_crossed = false;
    keep_peak_torques(out.model, reference, joint_motions(reference, fine), options.peaks);
    keep_fibres_working(out.model, reference, options.range.limits);
    stage.advance();
    out.seconds = timer.seconds();
    return out;
}

}  // namespace sinew
