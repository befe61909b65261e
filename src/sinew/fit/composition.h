#pragma once

#include "sinew/body/body.h"
#include "sinew/body/composition_model.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Somebody whose composition is known.
struct KnownPerson {
    Points skin = Points(0, 3);  ///< of the template's triangulation, in its rest pose, m
    double fat_kg = 0.0;
    double muscle_kg = 0.0;
};

struct CompositionEstimate {
    double fat_kg = 0.0;
    double muscle_kg = 0.0;
    /// Distance from the people it was trained with, in standard deviations (root mean square over
    /// components); beyond 3 the estimate is a guess.
    double strangeness = 0.0;
};

/// How well it estimates people that it was not trained with.
struct CompositionTest {
    int people = 0;
    double fat_error_kg = 0.0;  ///< mean absolute
    double muscle_error_kg = 0.0;
    double fat_r2 = 0.0;
    double muscle_r2 = 0.0;
};

struct CompositionOptions {
    /// Of the areas inside tapes, at most; >= 1. More of them serve the cohort itself ever better
    /// (12: half the error), but those after the first six hold its makers' style: people of
    /// another maker lie 3 to 9 deviations off.
    int components = 6;
};

/// Tapes round trunk, neck, thighs, shanks, arms and forearms of a template, by its joints; where
/// it has no such joints, at ten heights.
std::vector<CompositionTape> composition_tapes(const Body& template_body);

/// Principal components of areas inside tapes and the regressors on them [Komaritzan, section
/// 4.2.3], by ridge regression: the ridge is the one of a few whose errors of people left out are
/// least.
/// @param template_skin  mesh of the template, at rest
/// @throws InputError    with fewer than 6 people, without tapes, or a skin of another
/// triangulation
CompositionModel train_composition(const TriangleMesh& template_skin,
                                   const std::vector<CompositionTape>& tapes, Sex sex,
                                   std::span<const KnownPerson> people,
                                   const CompositionOptions& options = {});

/// Leaves each person out, trains with the others and estimates that one.
CompositionTest test_composition(const TriangleMesh& template_skin,
                                 const std::vector<CompositionTape>& tapes, Sex sex,
                                 std::span<const KnownPerson> people,
                                 const CompositionOptions& options = {});

/// @param template_skin  of the resolution that `skin` has
/// @throws InputError    when the two differ in their numbers of vertices
CompositionEstimate estimate_composition(const CompositionModel& model,
                                         const TriangleMesh& template_skin, const Points& skin);

/// What published formulas say of a person's girths, beside our own estimate.
struct CompositionWitnesses {
    std::optional<double> navy_body_fat = {};  ///< of the mass, in [0, 1]
    std::optional<double> lee_muscle_kg = {};  ///< skeletal muscle, kg
};

/// @param girths   m, as girths() and scan_girths() name them; those that are absent leave a
/// witness
///                 out; men's waist is that at the navel where it is there
/// @param limb_fat_m  mean thickness of fat on upper arms, thighs and calves, m, for the corrected
///                 girths of Lee; nothing: left out
/// @param age      years
CompositionWitnesses composition_witnesses(Sex sex, double stature_m,
                                           std::span<const std::pair<std::string, double>> girths,
                                           std::optional<double> limb_fat_m, double age = 35.0);

/// Body density by girths, all in cm [Hodgdon1984]: men
///   D = 1.0324 - 0.19077 log10(waist - neck) + 0.15456 log10(height)
/// women
///   D = 1.29579 - 0.35004 log10(waist + hips - neck) + 0.22100 log10(height);
/// then the fraction of fat  4.95 / D - 4.5  [Siri1961]. Clamped to [0.02, 0.7].
double navy_body_fat(Sex sex, double stature_m, double neck_m, double waist_m, double hips_m);

/// Skeletal muscle, kg [Lee2000, model 1], for white people:
///   Ht (0.00744 CAG^2 + 0.00088 CTG^2 + 0.00441 CCG^2) + 2.4 male - 0.048 age + 7.8
/// with height in m and girths without skin and fat, C = girth - 2 pi thickness, in cm.
double lee_muscle_mass(Sex sex, double stature_m, double age, double arm_m, double thigh_m,
                       double calf_m);

}  // namespace sinew
