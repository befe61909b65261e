#include "sinew/fit/person_fit.h"

#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/body/body_parts.h"
#include "sinew/body/summary.h"
#include "sinew/fit/layer_order.h"
#include "sinew/geometry/signed_distance.h"

#include <fmt/format.h>

// Skin to whole body: layers (layer_fit.h), anatomy (anatomy_transfer.h), then what a caller must
// know: masses, crossings of layers, bones outside, bone lengths, times. What depends on the
// template alone is made once for all people.

namespace sinew {

namespace {

constexpr double kSeenCrossing = 0.001;  // m
constexpr double kUnderMuscle = 1e-4;    // m, of the skeleton surface
constexpr double kSkinMoved = 0.0005;    // m, beyond which it is a warning

void measure_person(const Body& body, PersonFitReport& report) {
    const BodySummary summary = summarise(body);
    const auto mass = [&](Tissue tissue) {
        double density = 0.0;
        for (const TissueMaterial& material : body.materials) {
            density = material.tissue == tissue ? material.density : density;
        }
        return density * summary.tissue_volume[at(tissue)];
    };
    report.stature_m = summary.stature;
    report.mass_kg = summary.mass;
    report.fat_kg = mass(Tissue::Fat);
    report.muscle_kg = mass(Tissue::Muscle) + mass(Tissue::Tendon);
    report.bone_kg = mass(Tissue::Bone);
    report.body_fat = summary.body_fat;
    report.bone_lengths_m = bone_lengths(body);
    const SignedDistance skin(body.skin.mesh);
    for (const Bone& bone : body.bones) {
        const Eigen::Index outside =
            (distances_above(skin, bone.mesh.points, 0.0).array() > kSeenCrossing).count();
        report.bones_outside += outside;
        if (outside > 0) {
            report.outside.push_back(bone.name);
        }
    }
}

void add_warnings(const CompositionTargets& targets, PersonFitReport& report) {
    if (!report.layers.is_fat_reached) {
        report.warnings.push_back(fmt::format(
            "fat is {:.1f} kg: this skin and these bones allow {:.1f} to {:.1f} kg",
            report.layers.fat_kg, report.layers.least_fat_kg, report.layers.most_fat_kg));
    }
    if (targets.weight_kg && std::abs(*targets.weight_kg / report.mass_kg - 1.0) > 0.05) {
        report.warnings.push_back(
            fmt::format("the body has {:.1f} kg, not {:.1f}: its volume is that of the skin",
                        report.mass_kg, *targets.weight_kg));
    }
    if (report.inverted_tets > 0) {
        report.warnings.push_back(
            fmt::format("{} tetrahedra are inside out", report.inverted_tets));
    }
    if (report.transfer.skin_moved > kSkinMoved) {
        report.warnings.push_back(
            fmt::format("the skin moved by up to {:.1f} mm where it was folded",
                        1e3 * report.transfer.skin_moved));
    }
    if (report.skin_crossings > 0) {
        report.warnings.push_back(
            fmt::format("the skin crosses itself in {} pairs of triangles", report.skin_crossings));
    }
    if (report.crossings + report.bones_outside > 0) {
        report.warnings.push_back(fmt::format(
            "layers cross at {} vertices, bones leave the skin at {}{}{}", report.crossings,
            report.bones_outside, report.outside.empty() ? "" : ": ", join(report.outside, ", ")));
    }
}

}  // namespace

std::vector<std::pair<std::string, double>> bone_lengths(const Body& body) {
    std::vector<std::pair<std::string, double>> lengths;
    for (const BodyPart& part : body_parts(body)) {
        if (part.is_long) {
            lengths.emplace_back(part.name, (part.far_end - part.near_end).norm());
        }
    }
    return lengths;
}

PersonFitter::PersonFitter(const Body& body, LayeredTemplate layers,
                           const PersonFitOptions& options, const Progress& progress)
    : body_(&body),
      layers_(std::move(layers)),
      options_(options),
      transfer_(body, layers_, options.transfer, progress) {}

FittedPerson PersonFitter::fit(const Points& skin_rest, const CompositionTargets& targets,
                               const Progress& progress) const {
    FittedPerson person;
    PersonFitReport& report = person.report;
    FittedLayers fitted =
        fit_layers(*body_, layers_, skin_rest, targets, options_.layers, progress);
    TransferredBody moved = transfer_.to(fitted.layers, targets.muscle_kg);
    const Timer timer;
    report.layers = std::move(fitted.report);
    report.transfer = moved.report;
    report.inverted_tets = moved.report.inverted_tets;
    report.skin_crossings = moved.report.skin_crossings;
    person.layers = {.skin = moved.body.skin.mesh.points,
                     .muscle = moved.body.envelope.mesh.points,
                     .bone = std::move(fitted.layers.bone)};
    // Mending moved parts of the muscle surface; what is under it stays under it.
    for (Eigen::Index i = 0; i < person.layers.bone.rows(); ++i) {
        if (layers_.is_kept[at(i)] != 0) {
            person.layers.bone.row(i) = person.layers.muscle.row(i);
        }
    }
    put_inside(person.layers.muscle, layers_.triangles, kUnderMuscle, layers_.is_kept,
               person.layers.bone);
    report.crossings =
        count_crossings(person.layers.skin, person.layers.muscle, layers_.triangles,
                        kSeenCrossing) +
        count_crossings(person.layers.muscle, person.layers.bone, layers_.triangles, kSeenCrossing);
    measure_person(moved.body, report);
    add_warnings(targets, report);
    person.body = std::move(moved.body);
    person.body.provenance.notes.push_back(
        fmt::format("fitted: fat {:.2f} kg, muscle {:.2f} kg", report.fat_kg, report.muscle_kg));
    report.seconds = report.layers.seconds;
    report.seconds.emplace_back("transfer", report.transfer.seconds);
    report.seconds.emplace_back("measures", timer.seconds());
    return person;
}

FittedPerson fit_person(const Body& template_body, const LayeredTemplate& layers,
                        const Points& skin_rest, const CompositionTargets& targets,
                        const PersonFitOptions& options, const Progress& progress) {
    return PersonFitter(template_body, layers, options, progress).fit(skin_rest, targets, progress);
}

}  // namespace sinew
