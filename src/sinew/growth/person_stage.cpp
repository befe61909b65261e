#include "sinew/growth/person_stage.h"

#include "sinew/base/error.h"
#include "sinew/body/person_measures.h"
#include "sinew/body/summary.h"
#include "sinew/growth/ageing.h"
#include "sinew/growth/composition.h"
#include "sinew/growth/growth_stages.h"

#include <fmt/format.h>

#include <cmath>

// Targets of a person within grow(): stature, weight, body fat, muscle mass, age, measures. What is
// not given is expected of what is (person_size), then a form is fitted (person_fit.h). Muscle mass
// is met by an outer loop over muscle growth, as the form has no number for single muscles: alpha =
// sqrt(wanted / present) for all, four rounds at most.

namespace sinew::growth_stages {

namespace {

constexpr int kMostMuscleRounds = 4;
constexpr double kMuscleMassLimit = 0.005;  // of the mass of muscles

bool has_person_targets(const GrowthPlan& plan) {
    return plan.stature || plan.weight || plan.body_fat || plan.muscle_mass || plan.age ||
           !plan.measures.empty();
}

double muscle_mass(const Body& body) {
    double density = 0.0;
    for (const TissueMaterial& material : body.materials) {
        density = material.tissue == Tissue::Muscle ? material.density : density;
    }
    return density * summarise(body).tissue_volume[at(Tissue::Muscle)];
}

/// Stature, mass and body fat, given or to be expected.
struct PersonSize {
    double stature = 0.0;
    double mass = 0.0;
    double body_fat = 0.0;
};

PersonSize person_size(const Body& body, const GrowthPlan& plan) {
    const BodySummary now = summarise(body);
    PersonSize size{
        .stature = plan.stature.value_or(now.stature), .mass = now.mass, .body_fat = now.body_fat};
    const double ratio = size.stature / now.stature;
    // Mass goes with stature squared where nothing else is said, as in the body mass index.
    size.mass *= ratio * ratio;
    if (plan.weight) {
        size.mass = *plan.weight;
    } else if (plan.body_fat) {
        size.mass *= (1.0 - now.body_fat) / (1.0 - *plan.body_fat);
    }
    if (plan.body_fat) {
        size.body_fat = *plan.body_fat;
    } else if (plan.weight || plan.age) {
        size.body_fat =
            expected_composition(body.sex, size.stature, size.mass, plan.age).fat / size.mass;
    }
    return size;
}

// Muscles of the frame before the person's, so that theirs have the mass asked for, or their age.
Body with_muscle_factors(const Body& body, const std::vector<NamedValue>& words,
                         const GrowthPlan& plan, const Progress& progress) {
    MuscleGrowthOptions options;
    options.solver.max_iterations = plan.iterations;
    MuscleGrowth growth(body, options);
    growth.set_growth(muscle_alphas(body, words));
    growth.settle(progress);
    return growth.body();
}

}  // namespace

bool makes_person(const Body& body, const GrowthPlan& plan) {
    return plan.people.table && has_person_targets(plan) && body.sex != Sex::Unknown &&
           !body.attachments.bone.empty() && has_person_measures(body);
}

void check_person(const Body& body, const GrowthPlan& plan) {
    if (makes_person(body, plan)) {
        if (plan.stature && *plan.stature < kLeastStature) {
            throw InputError(
                {.where = "stature of the person",
                 .found = fmt::format("{:.2f} m", *plan.stature),
                 .needs = fmt::format("{:.2f} m or more: smaller people are children, whose heads, "
                                      "trunks and limbs are not those of adults",
                                      kLeastStature),
                 .remedy = "scale the finished body instead: 'sinew build --stature'"});
        }
        for (const auto& [name, value] : plan.measures) {
            find_measure(*plan.people.table, name, "growth.measures");
        }
        return;
    }
    if (plan.weight && plan.body_fat) {
        throw InputError({.where = "growth targets",
                          .found = "both a weight and a body fat",
                          .needs = "one of them: of this body only fat can change",
                          .remedy = "use the built-in human, or give one of them"});
    }
    if (plan.muscle_mass || plan.age || !plan.measures.empty()) {
        throw InputError({.where = "growth targets",
                          .found = "a muscle mass, an age or a measure",
                          .needs = "a woman or a man with the skeleton of the built-in human",
                          .remedy = "make the body with 'sinew build'"});
    }
}

Body with_person(const Body& body, const GrowthPlan& plan, GrowthResult& result,
                 const Progress& progress) {
    const PeopleTable& table = *plan.people.table;
    Body base = body;
    if (plan.age && !muscles_of_age(*plan.age).empty()) {
        base = with_kyphosis(base, kyphosis_of_age(*plan.age));
        base = with_muscle_factors(base, muscles_of_age(*plan.age), plan, progress);
    }
    base = with_fat_regions(base, plan, result, progress);
    const PersonSize size = person_size(base, plan);
    std::vector<std::pair<std::size_t, double>> known;
    for (const auto& [name, value] : plan.measures) {
        known.emplace_back(find_measure(table, name, "growth.measures"), value);
    }
    PersonTargets targets =
        person_targets(table, body.sex, size.stature, size.mass, size.body_fat, known, plan.age);
    if (!plan.fat_distribution.empty()) {
        targets.fat_pattern = fat_pattern_named(plan.fat_distribution);
    }
    if (has_muscles_of_people(base)) {
        targets.muscles = plan.people.muscles;
    }
    targets.keeps_fat_pattern = !plan.fat.empty() || !plan.fat_transfer.empty();

    MadePerson person = make_person(base, targets, table, progress);
    for (int round = 0; plan.muscle_mass; ++round) {
        const double ratio = *plan.muscle_mass / muscle_mass(person.body);
        if (std::abs(ratio - 1.0) <= kMuscleMassLimit) {
            break;
        }
        if (round == kMostMuscleRounds || ratio < 0.3 || ratio > 3.0) {
            refuse_target(fmt::format("a muscle mass of {:.1f} kg", *plan.muscle_mass),
                          fmt::format("{:.1f} kg", muscle_mass(person.body)));
        }
        base = with_muscle_factors(base, {{"all", std::sqrt(ratio)}}, plan, progress);
        person = make_person(base, targets, table, progress);
    }
    const double bmi = size.mass / (size.stature * size.stature);
    constexpr double kShown = 0.05;  // what rounding hides
    if (bmi < kLeastBmi - kShown || bmi > kMostBmi + kShown) {
        result.warnings.push_back(
            fmt::format("a body mass index of {:.1f} lies beyond the people that measures and "
                        "composition were taken from ({:.0f} to {:.0f})",
                        bmi, kLeastBmi, kMostBmi));
    }
    // What was asked of muscles counts within the new frame.
    // A muscle that was asked to double does so in the body that the person is made of; the
    // person's own scale must not count as a miss.
    std::vector<MuscleMeasure> before = result.muscles;
    std::vector<MuscleMeasure> after = result.muscles;
    measure_after(body, before);
    measure_after(person.body, after);
    for (std::size_t m = 0; m < result.muscles.size(); ++m) {
        const double ratio =
            before[m].belly_after > 0.0 ? after[m].belly_after / before[m].belly_after : 1.0;
        result.muscles[m].before *= ratio;
        result.muscles[m].belly_before *= ratio;
    }
    result.person = person.report;
    return std::move(person.body);
}

}  // namespace sinew::growth_stages
