#include "sinew/growth/grow.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/growth/gravity_preview.h"
#include "sinew/growth/growth_stages.h"
#include "sinew/growth/person_stage.h"
#include "sinew/meshing/intersections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The whole of growth, as a table of contents: bones and stature, muscles, fat, then a preview
// under gravity and the measures of what came out. Each step takes a rest body and returns another;
// steps meet in nothing else. The order is that of Saito's paper and it matters: muscles grow on
// the bones that they will have, fat on the muscles that it will cover.
//
// Steps live in growth_stages so that a session of sliders (growth_session.h) can keep what the
// last plan left and repeat only what changed. Whatever a step could not do becomes a warning with
// numbers, and the caller decides.

namespace sinew {

namespace growth_stages {

std::vector<double> map_named(const Body& body, const GrowthPlan& plan, const std::string& name) {
    for (const auto& [known, map] : plan.fat_maps) {
        if (known == name) {
            return map;
        }
    }
    return fat_map(body, name);
}

// A little less than half of what is gained comes everywhere, the rest by the pattern of the sex:
// authored.
std::vector<double> spread_of(const Body& body, const GrowthPlan& plan) {
    if (!plan.fat_distribution.empty()) {
        return map_named(body, plan, plan.fat_distribution);
    }
    std::vector<double> map = fat_map(body, "uniform");
    const std::vector<double> more = fat_map(body, body.sex == Sex::Female ? "gynoid" : "android");
    for (std::size_t i = 0; i < map.size(); ++i) {
        map[i] = 0.45 * map[i] + 0.55 * more[i];
    }
    return map;
}

void note_bones(const BoneEditReport& report, GrowthResult& result) {
    result.bone_report = report;
    if (report.inverted_tets > 0) {
        result.warnings.push_back(
            fmt::format("bone editing left {} tetrahedra inside out: scale the bones less",
                        report.inverted_tets));
    }
    if (!report.bars.empty()) {
        result.warnings.push_back(
            fmt::format("{} of the limbs' bones ({}) bend as straight bars: their surfaces do not "
                        "reach the heads or have no area",
                        report.bars.size(), join(report.bars, ", ")));
    }
    if (!report.is_converged && report.iterations > 0) {
        result.warnings.push_back(
            fmt::format("flesh did not settle around the new bones in {} iterations; it is up to "
                        "{:.1f} mm from them",
                        report.iterations, 1e3 * report.largest_gap));
    }
}

Body with_stature(Body body, const GrowthPlan& plan) {
    return plan.stature && !makes_person(body, plan)
               ? scaled_body(body, *plan.stature / summarise(body).stature)
               : std::move(body);
}

namespace {

constexpr double kVolumeTolerance = 0.02;  // of the whole, beyond which it is a warning
constexpr double kMuscleTolerance = 0.05;  // of one muscle's belly
constexpr double kLeastMuscle = 2e-6;      // m^3: smaller ones are below the tetrahedra's size
constexpr std::size_t kMostNamed = 5;

// What the muscles of the new body have, against what was asked for.
// Bellies below 2 ml are smaller than the tetrahedra that they lie in; their volumes are sampled
// too coarsely to be judged one by one. They count in the sum.
void measure_muscles(GrowthResult& result) {
    measure_after(result.body, result.muscles);
    double asked_for = 0.0;
    double present = 0.0;
    std::vector<const MuscleMeasure*> missed;
    for (const MuscleMeasure& m : result.muscles) {
        asked_for += m.alpha * m.alpha * m.belly_before;
        present += m.belly_after;
        if (m.belly_before <= kLeastMuscle) {
            continue;
        }
        if (std::abs(m.error()) > std::abs(result.worst_muscle_error)) {
            result.worst_muscle_error = m.error();
        }
        if (std::abs(m.error()) > kMuscleTolerance) {
            missed.push_back(&m);
        }
    }
    result.muscle_error = asked_for > 0.0 ? present / asked_for - 1.0 : 0.0;
    result.is_reached = std::abs(result.muscle_error) <= kMuscleLimit &&
                        std::abs(result.worst_muscle_error) <= kWorstMuscleLimit;
    if (!result.is_reached) {
        result.warnings.push_back(fmt::format(
            "muscles did not become what was asked for: bellies have {:.2f} l instead of {:.2f} "
            "({:+.1f} %, the limit is {:.0f}), the furthest is {:+.0f} % off (limit {:.0f}); use "
            "smaller factors, more iterations or a finer body",
            1e3 * present, 1e3 * asked_for, 100.0 * result.muscle_error, 100.0 * kMuscleLimit,
            100.0 * result.worst_muscle_error, 100.0 * kWorstMuscleLimit));
    }
    if (missed.empty()) {
        return;
    }
    std::stable_sort(missed.begin(), missed.end(), [](const auto* a, const auto* b) {
        return std::abs(a->error()) > std::abs(b->error());
    });
    std::string names;
    for (std::size_t i = 0; i < std::min(kMostNamed, missed.size()); ++i) {
        names += fmt::format("{}{} {:+.0f} %", i > 0 ? ", " : "", missed[i]->name,
                             100.0 * missed[i]->error());
    }
    result.warnings.push_back(fmt::format(
        "{} of {} muscles miss the volume asked for by more than {:.0f} %, most: {}; bones "
        "and other muscles around hold them",
        missed.size(), result.muscles.size(), 100.0 * kMuscleTolerance, names));
}

}  // namespace

void note_muscles(const MuscleGrowth& growth, const MuscleGrowthReport& report, Eigen::Index tets,
                  GrowthResult& result) {
    result.muscle_report = report;
    result.handover = growth.handover_changes();
    for (MuscleMeasure& measure : growth.measures()) {
        if (measure.alpha != 1.0) {
            result.muscles.push_back(std::move(measure));
        }
    }
    if (!report.is_converged) {
        result.warnings.push_back(fmt::format(
            "muscle growth did not settle in {} iterations: the last one moved the skin by {:.3f} "
            "mm "
            "on average and {:.2f} mm at most (settled: 0.01 and 0.1 mm), volume error {:.1f} %; "
            "use smaller factors or more iterations",
            report.iterations, 1e3 * report.skin_motion, 1e3 * report.largest_skin_motion,
            100.0 * report.volume_error.total));
    } else if (report.volume_error.total > kVolumeTolerance) {
        result.warnings.push_back(fmt::format(
            "muscle growth settled {:.1f} % off the volume asked for: use smaller factors",
            100.0 * report.volume_error.total));
    }
    if (report.inverted_tets > 0) {
        result.warnings.push_back(fmt::format(
            "muscle growth turned {} of {} tetrahedra inside out, which were mended: the factors "
            "are at their limit",
            report.inverted_tets, tets));
    }
}

namespace {

constexpr double kStatureTolerance = 1e-4;  // m
constexpr int kMostStatureRounds = 5;
// Forces that may be left, against those at the start: less cannot be seen in fat and sagging
// flesh.
constexpr double kSmallResidual = 0.01;

// A target that is missed is an error.
void require_total(const Body& body, const GrowthPlan& plan) {
    const BodySummary now = summarise(body);
    if (plan.weight && std::abs(now.mass - *plan.weight) > 0.01 * *plan.weight) {
        refuse_target(fmt::format("a weight of {:.1f} kg", *plan.weight),
                      fmt::format("{:.1f} kg", now.mass));
    }
    if (plan.body_fat && std::abs(now.body_fat - *plan.body_fat) > 0.01) {
        refuse_target(fmt::format("a body fat of {:.1f} %", 100.0 * *plan.body_fat),
                      fmt::format("{:.1f} %", 100.0 * now.body_fat));
    }
}

Body with_grown_fat(const Body& body, const GrowthPlan& plan, GrowthResult& result,
                    const Progress& progress) {
    FatPlan fat;
    fat.model = plan.fat_model;
    fat.transfer = plan.fat_transfer;
    for (const auto& [name, factor] : plan.fat) {
        fat.regions.push_back({.name = name, .map = map_named(body, plan, name), .factor = factor});
    }
    if (plan.weight || plan.body_fat) {
        fat.total = plan.weight ? fat_volume_for_mass(body, *plan.weight)
                                : fat_volume_for_share(body, *plan.body_fat);
        fat.spread = spread_of(body, plan);
    }
    if (fat.regions.empty() && !fat.total && fat.transfer.empty()) {
        return body;
    }
    FattenedBody grown = grow_fat(body, fat, {}, progress);
    result.fat_report = grown.report;
    for (const FatReport::Region& region : grown.report.regions) {
        if (std::abs(region.reached / region.wanted - 1.0) > 0.02) {
            result.warnings.push_back(
                fmt::format("fat of '{}' reached {:.2f} times its volume instead of {:.2f}",
                            region.name, region.reached, region.wanted));
        }
    }
    if (grown.report.residual > kSmallResidual) {
        result.warnings.push_back(
            fmt::format("fat did not converge: {:.1f} % of the forces are left in the last solve",
                        100.0 * grown.report.residual));
    }
    if (grown.report.is_at_floor) {
        require_total(grown.body, plan);
        result.warnings.emplace_back("fat was lost down to its floor, and no further");
    }
    return std::move(grown.body);
}

}  // namespace

Body with_fat_regions(const Body& body, GrowthPlan plan, GrowthResult& result,
                      const Progress& progress) {
    plan.weight.reset();
    plan.body_fat.reset();
    return with_grown_fat(body, plan, result, progress);
}

// Scaling to a stature changes the volume of fat and its weight, and fat on soles and crown the
// stature: the two are repeated until both fit. Each round starts from the same muscles, scaled, so
// errors do not add up.
Body with_fat_and_stature(Body body, const GrowthPlan& plan, GrowthResult& result,
                          const Progress& progress) {
    if (makes_person(body, plan)) {
        return with_person(body, plan, result, progress);
    }
    const std::size_t warnings = result.warnings.size();
    for (int round = 1;; ++round) {
        Body grown = with_grown_fat(body, plan, result, progress);
        const double missing = plan.stature ? *plan.stature - summarise(grown).stature : 0.0;
        if (std::abs(missing) <= kStatureTolerance) {
            return grown;
        }
        if (round == kMostStatureRounds) {
            result.warnings.push_back(fmt::format(
                "stature is {:.4f} m instead of {:.4f}: fat on crown and soles kept changing it",
                *plan.stature - missing, *plan.stature));
            return grown;
        }
        result.warnings.resize(warnings);
        const double ratio = *plan.stature / (*plan.stature - missing);
        body = scaled_body(body, ratio);
        // What was asked of a muscle is relative to its volume before; a body that is scaled as a
        // whole asks for the same ratio of a larger one.
        for (MuscleMeasure& m : result.muscles) {
            for (double* volume : {&m.before, &m.belly_before}) {
                *volume *= ratio * ratio * ratio;
            }
        }
    }
}

void sag(GrowthResult& result, const Progress& progress) {
    SaggedFlesh sagged = sagged_flesh(result.body, Vec3(0.0, -kGravity, 0.0), progress);
    if (sagged.report.last_residual() > kSmallResidual) {
        result.warnings.push_back(fmt::format(
            "flesh under gravity did not converge: {:.1f} % of the forces are left after {} steps",
            100.0 * sagged.report.last_residual(), sagged.report.iterations));
    }
    result.sagged = std::move(sagged.points);
}

// Measured on the body that is handed over, never on what a solver says.
void measure(const Body& body, GrowthResult& result) {
    fit_muscle_meshes(body, result.body);
    result.inverted_tets = (tet_volumes(result.body.tets).array() <= 0.0).count();
    if (result.inverted_tets > 0) {
        result.warnings.push_back(
            fmt::format("{} tetrahedra are inside out: use smaller factors", result.inverted_tets));
    }
    measure_muscles(result);
    const BodySummary summary = summarise(result.body);
    result.mass = summary.mass;
    result.body_fat = summary.body_fat;
    result.stature = summary.stature;
    const bool grew = result.muscle_report.iterations > 0;
    result.is_converged = !grew || result.muscle_report.is_converged;
}

}  // namespace growth_stages

namespace {

using namespace growth_stages;

Body with_edited_bones(const Body& body, const GrowthPlan& plan, GrowthResult& result,
                       const Progress& progress) {
    if (plan.bones.empty()) {
        return with_stature(body, plan);
    }
    const std::vector<BodyPart> parts = body_parts(body);
    EditedBody changed = edit_bones(body, parts, bone_scales(body, parts, plan.bones), progress);
    note_bones(changed.report, result);
    return with_stature(std::move(changed.body), plan);
}

Body with_grown_muscles(const Body& body, const GrowthPlan& plan, GrowthResult& result,
                        const Progress& progress, const IterationCallback& callback) {
    const std::vector<double> alpha = muscle_alphas(body, plan.muscles);
    if (std::all_of(alpha.begin(), alpha.end(), [](double a) { return a == 1.0; })) {
        return body;
    }
    MuscleGrowthOptions options;
    options.solver.max_iterations = plan.iterations;
    MuscleGrowth growth(body, options);
    growth.set_growth(alpha);
    note_muscles(growth, growth.settle(progress, callback), body.tets.tets.rows(), result);
    return growth.body();
}

}  // namespace

GrowthResult grow(const Body& body, const GrowthPlan& asked, const Progress& progress,
                  const IterationCallback& callback) {
    const Timer timer;
    check_plan(asked);
    const GrowthPlan plan = ordered_plan(asked, body);
    check_person(body, plan);
    GrowthResult result;
    result.body = with_edited_bones(body, plan, result, progress);
    result.body = with_grown_muscles(result.body, plan, result, progress, callback);
    result.body = with_fat_and_stature(std::move(result.body), plan, result, progress);
    if (plan.shows_gravity) {
        sag(result, progress);
    }
    measure(body, result);
    const std::size_t crossing = find_self_intersections(result.body.skin.mesh).pairs.size();
    if (crossing > 0) {
        result.warnings.push_back(
            fmt::format("{} pairs of skin triangles cross ({} before): use smaller factors",
                        crossing, find_self_intersections(body.skin.mesh).pairs.size()));
    }
    result.seconds = timer.seconds();
    return result;
}

}  // namespace sinew
