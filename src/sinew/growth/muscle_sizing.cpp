#include "sinew/growth/muscle_sizing.h"

#include "sinew/base/error.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/summary.h"
#include "sinew/growth/fat_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Muscles as large as people have them. The built-in anatomy has the relations of one specimen;
// tables give the volume of each muscle for a person's sex, stature and mass (body/muscle_sizes.h).
// alpha = sqrt(wanted / present), as growth is across fibres only. Fat then gives way until the
// mass is what it was.

namespace sinew {

namespace {

constexpr double kLeastAlpha = 0.6;
constexpr double kMostAlpha = 2.0;
constexpr int kSizingIterations = 60;

// The same for every muscle of a body.
double muscle_density(const Body& body) {
    double density = 0.0;
    for (const TissueMaterial& material : body.materials) {
        density = material.tissue == Tissue::Muscle ? material.density : density;
    }
    return density;
}

// Soles and scalp keep what they have: a body that gets leaner is not shorter.
std::vector<double> away_from_soles_and_vertex(const TriangleMesh& skin) {
    constexpr double kKept = 0.02;   // m of height, at both ends
    constexpr double kFades = 0.04;  // m
    const double low = skin.points.col(1).minCoeff();
    const double high = skin.points.col(1).maxCoeff();
    std::vector<double> map(at(skin.points.rows()));
    for (std::size_t i = 0; i < map.size(); ++i) {
        const double y = skin.points(static_cast<Eigen::Index>(i), 1);
        map[i] = std::clamp((std::min(y - low, high - y) - kKept) / kFades, 0.0, 1.0);
    }
    return map;
}

}  // namespace

SizedMuscles with_muscles_of_people(const Body& body, const MuscleSizes& sizes,
                                    const Progress& progress) {
    if (body.sex == Sex::Unknown) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = "no sex",
                          .needs = "a woman or a man, whose muscles are known",
                          .remedy = "keep the muscles as they are: --muscles specimen"});
    }
    const BodySummary before = summarise(body);
    MuscleGrowth growth(body);
    std::vector<double> bellies;
    for (const MuscleMeasure& m : growth.measures()) {
        bellies.push_back(m.belly_before);
    }
    const std::vector<double> wanted = expected_bellies(
        sizes, body.muscles, bellies, body.sex, before.stature, before.mass, muscle_density(body));
    std::vector<double> alpha(bellies.size(), 1.0);
    for (std::size_t m = 0; m < alpha.size(); ++m) {
        if (bellies[m] > 0.0) {
            alpha[m] = std::clamp(std::sqrt(wanted[m] / bellies[m]), kLeastAlpha, kMostAlpha);
        }
    }
    growth.set_growth(alpha);
    SizedMuscles result;
    result.report = growth.iterate(kSizingIterations, progress);
    result.muscles = growth.measures();
    result.body = growth.body();
    // Fat gives way as far as it can: the mass stays.
    FatPlan fat;
    fat.total = fat_volume_for_mass(result.body, before.mass);
    fat.loss = away_from_soles_and_vertex(result.body.skin.mesh);
    result.body = grow_fat(result.body, fat, {}, progress).body;
    fit_muscle_meshes(body, result.body);
    measure_after(result.body, result.muscles);
    result.mass = summarise(result.body).mass;
    return result;
}

}  // namespace sinew
