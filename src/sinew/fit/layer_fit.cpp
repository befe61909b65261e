#include "sinew/fit/layer_fit.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/body/summary.h"
#include "sinew/fit/layer_order.h"
#include "sinew/geometry/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Layers of a person from the skin alone [Komaritzan, section 4.2.4, eqs. 4.7-4.14]: the template
// is scaled to the person, the skeleton surface is fitted (eqs. 4.7-4.9), then the muscle surface
// between skeleton and skin, whose one free number is found by bisection so that fat or muscle has
// its mass (eqs. 4.10-4.14). The order is from the inside outwards.

namespace sinew {

namespace {

constexpr double kCrossing = 0.001;      // m, beyond which layers cross
constexpr double kUnder = 1e-4;          // m, of a vertex that was put back inside
constexpr double kLeastStrength = -1.0;  // of MuscleRange
constexpr double kMostStrength = 2.0;
constexpr int kBisections = 40;
constexpr double kSameMass = 1e-3;  // kg, at which bisection ends
constexpr double kReached = 0.05;   // kg off which a mass counts as reached

double density_of(const Body& body, Tissue tissue, double otherwise) {
    for (const TissueMaterial& material : body.materials) {
        if (material.tissue == tissue) {
            return material.density;
        }
    }
    return otherwise;
}

void require_target(const std::optional<double>& value, const char* name, double most) {
    if (value && !(*value > 0.0 && *value < most)) {
        throw InputError({.where = fmt::format("target of the fit, {}", name),
                          .found = fmt::format("{}", *value),
                          .needs = fmt::format("a number above 0 and below {}", most),
                          .remedy = "leave it out where it is not known"});
    }
}

void require_usable(const Body& body, const LayeredTemplate& layers, const Points& skin,
                    const CompositionTargets& targets) {
    if (skin.rows() != layers.skin.rows() || !skin.allFinite() ||
        layers.skin.rows() != body.skin.mesh.points.rows()) {
        throw InputError({.where = "skin to be fitted",
                          .found = fmt::format("{} vertices", skin.rows()),
                          .needs = fmt::format("{} finite ones, those of '{}'",
                                               body.skin.mesh.points.rows(), body.name),
                          .remedy = "register the scan to this template"});
    }
    const double volume = enclosed_volume(skin, layers.triangles);
    if (!(volume > 0.0)) {
        throw InputError({.where = "skin to be fitted",
                          .found = fmt::format("a volume of {} m^3", volume),
                          .needs = "a closed skin that looks outward",
                          .remedy = "check the order of its vertices"});
    }
    require_target(targets.fat_kg, "fat_kg", 500.0);
    require_target(targets.muscle_kg, "muscle_kg", 200.0);
    require_target(targets.weight_kg, "weight_kg", 700.0);
    require_target(targets.body_fat, "body_fat", 1.0);
}

// Volumes of the template that the masses of a person are told by.
struct TemplateVolumes {
    double fat_density = 0.0;
    double muscle_density = 0.0;
    double fat_share = 1.0;     // of the layer between S and M
    double other = 0.0;         // between M and B, neither muscle nor tendon, m^3
    double mass_of_rest = 0.0;  // kg, of all that is not fat
    double rest_volume = 0.0;   // m^3
};

TemplateVolumes volumes_of(const Body& body, const LayeredTemplate& layers) {
    const BodySummary summary = summarise(body);
    const auto tissue = [&](Tissue t) { return summary.tissue_volume[at(t)]; };
    TemplateVolumes v;
    v.fat_density = density_of(body, Tissue::Fat, 920.0);
    v.muscle_density = density_of(body, Tissue::Muscle, 1060.0);
    const double layer = volume_between(layers.skin, layers.muscle, layers.triangles);
    v.fat_share = layer > 0.0 ? tissue(Tissue::Fat) / layer : 1.0;
    v.other = volume_between(layers.muscle, layers.bone, layers.triangles) -
              tissue(Tissue::Muscle) - tissue(Tissue::Tendon);
    v.rest_volume = summary.volume - tissue(Tissue::Fat);
    v.mass_of_rest = summary.mass - v.fat_density * tissue(Tissue::Fat);
    return v;
}

// Fat that was asked for, by mass or by share of the weight; nothing where neither was.
std::optional<double> asked_fat(const CompositionTargets& targets, const TemplateVolumes& v,
                                double volume) {
    if (targets.fat_kg) {
        return targets.fat_kg;
    }
    if (!targets.body_fat) {
        return {};
    }
    if (targets.weight_kg) {
        return *targets.body_fat * *targets.weight_kg;
    }
    // f = m_f / (m_f + rho_r (V - m_f / rho_f)), with the template's density of all but fat.
    const double rest_density = v.mass_of_rest / v.rest_volume;
    const double f = *targets.body_fat;
    return f * rest_density * volume / (1.0 - f + f * rest_density / v.fat_density);
}

// Finds `visceral` and the mass of the fat layer that is wanted [Komaritzan, eq. 4.14].
// Departs: where fat and muscle are asked for and the skin holds not just both, eq. 4.14 shares the
// error between them. Here fat is met, for muscle that the layers do not give is exchanged for
// loose tissue afterwards (anatomy_transfer.h).
double wanted_fat(const CompositionTargets& targets, std::optional<double> fat,
                  const TemplateVolumes& v, const FittedLayers& fitted, const Triangles& triangles,
                  const MuscleRange& range, double average_fat, double& visceral) {
    if (!fat && !targets.muscle_kg) {
        return average_fat;
    }
    const double soft = volume_between(fitted.layers.skin, fitted.layers.bone, triangles);
    const double scale = fitted.report.stature_ratio;
    const double other = v.other * scale * scale * scale;
    if (fat && targets.muscle_kg) {
        const double left = soft - *fat / v.fat_density / v.fat_share -
                            *targets.muscle_kg / v.muscle_density - other;
        const double most = range.visceral_volume(1.0);
        visceral = most > 0.0 ? std::clamp(left / most, 0.0, 1.0) : 0.0;
    }
    if (fat) {
        return *fat;
    }
    // What is left of muscle that goes with no fat at all, beside organs and what is under the
    // belly's muscles.
    const double all_muscle = v.muscle_density * (soft - other - range.visceral_volume(visceral));
    return (all_muscle - *targets.muscle_kg) * v.fat_density / v.muscle_density;
}

// Fat falls as muscles grow: bisection.
void find_strength(const CompositionTargets& targets, std::optional<double> asked,
                   const TemplateVolumes& v, const MuscleRange& range, const Triangles& triangles,
                   const LayerFitOptions& options, FittedLayers& fitted) {
    LayerFitReport& report = fitted.report;
    const double whole = enclosed_volume(fitted.layers.skin, triangles);
    report.visceral = options.visceral;
    const auto fat_at = [&](double strength) {
        const Points M = range.surface(strength, report.visceral);
        return v.fat_density * v.fat_share * (whole - enclosed_volume(M, triangles));
    };
    const double fat =
        wanted_fat(targets, asked, v, fitted, triangles, range, fat_at(0.0), report.visceral);
    report.least_fat_kg = fat_at(kMostStrength);
    report.most_fat_kg = fat_at(kLeastStrength);
    double low = kLeastStrength;
    double high = kMostStrength;
    double now = fat_at(report.strength);
    for (int step = 0; step < kBisections && std::abs(now - fat) > kSameMass; ++step) {
        (now > fat ? low : high) = report.strength;
        report.strength = 0.5 * (low + high);
        now = fat_at(report.strength);
    }
    report.fat_kg = now;
    report.is_fat_reached = std::abs(now - fat) < kReached;
    report.visceral_kg = v.fat_density * range.visceral_volume(report.visceral);
}

}  // namespace

FittedLayers fit_layers(const Body& body, const LayeredTemplate& layers, const Points& skin,
                        const CompositionTargets& targets, const LayerFitOptions& options,
                        const Progress& progress) {
    check_ranges(options, "options of the layers' fit");
    require_usable(body, layers, skin, targets);
    FittedLayers fitted;
    LayerFitReport& report = fitted.report;
    Timer timer;
    const auto lap = [&](const char* name) {
        report.seconds.emplace_back(name, timer.seconds());
        timer = Timer();
    };
    const TemplateVolumes v = volumes_of(body, layers);
    const double whole = enclosed_volume(skin, layers.triangles);
    const std::optional<double> asked = asked_fat(targets, v, whole);
    std::optional<double> fat_volume;
    if (asked) {
        fat_volume = *asked / v.fat_density / v.fat_share;
    }
    const ScaledLayers scaled = scale_layers(body, layers, skin, fat_volume, options);
    report.stature_ratio = scaled.stature_ratio;
    report.bone_thickness = scaled.thickness;
    lap("scaling");
    fitted.layers.skin = skin;
    fitted.layers.bone =
        fit_skeleton_surface(layers, scaled, skin, options, report.bones, progress);
    lap("skeleton");
    const MuscleRange range(layers, scaled, skin, fitted.layers.bone, options, progress);
    lap("muscle range");

    find_strength(targets, asked, v, range, layers.triangles, options, fitted);
    fitted.layers.muscle = range.surface(report.strength, report.visceral);
    put_inside(skin, layers.triangles, kUnder, {}, fitted.layers.muscle);
    put_inside(fitted.layers.muscle, layers.triangles, kUnder, layers.is_kept, fitted.layers.bone);
    lap("masses");
    for (Eigen::Index i = 0; i < skin.rows(); ++i) {
        if (layers.is_kept[at(i)] != 0) {
            fitted.layers.bone.row(i) = fitted.layers.muscle.row(i);
        }
    }
    report.crossings =
        count_crossings(skin, fitted.layers.muscle, layers.triangles, kCrossing) +
        count_crossings(fitted.layers.muscle, fitted.layers.bone, layers.triangles, kCrossing);
    lap("crossings");
    return fitted;
}

}  // namespace sinew
