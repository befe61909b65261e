#include "sinew/body/person_measures.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/people_files.h"
#include "sinew/meshing/intersections.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/make_body.h"
#include "sinew/pipeline/people.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

Body preview_body(FigureSex sex) {
    MakeBodyOptions options;
    options.body.resolution = BodyResolution::Preview;
    options.figure.sex = sex;
    options.cache = SINEW_TEST_CACHE;
    return make_body(options).body;
}

const Body& preview_man() {
    static const Body body = preview_body(FigureSex::Male);
    return body;
}

}  // namespace

// 1.80 m and 70 kg, and 1.75 m and 120 kg: an ordinary slim and an ordinary heavy man. 20 measures
// against the regressions of [Gordon2014].
TEST(People, OrdinaryMenAreMadeAsAskedFor) {
    const PeopleTable table = known_people();
    for (const auto& [stature, weight] : {std::pair(1.80, 70.0), std::pair(1.75, 120.0)}) {
        GrowthPlan plan{.stature = stature, .weight = weight};
        plan.people.table = std::make_shared<const PeopleTable>(table);
        const GrowthResult grown = grow_person(preview_man(), plan);
        const BodySummary made = summarise(grown.body);
        EXPECT_NEAR(made.stature, stature, 1e-3);
        EXPECT_NEAR(made.mass, weight, 0.1);
        EXPECT_EQ((tet_volumes(grown.body.tets).array() <= 0.0).count(), 0);
        EXPECT_TRUE(find_self_intersections(grown.body.skin.mesh).pairs.empty());
        const PersonTargets usual = person_targets(table, Sex::Male, stature, weight, 0.2);
        std::vector<double> z;
        const std::vector<double> measures = person_measures(grown.body);
        for (std::size_t m = 0; m < measures.size(); ++m) {
            const auto c =
                static_cast<Eigen::Index>(find_measure(table, person_measure_names()[m], "test"));
            z.push_back(std::abs(measures[m] - usual.measures[c]) / usual.spread[c]);
        }
        std::sort(z.begin(), z.end());
        EXPECT_LT(z[z.size() / 2], 1.0);
        EXPECT_LT(z.back(), 4.0);
    }
}

// 1.48 m with a body mass index of 45: her armpits cross in the bare frame already.
TEST(People, ShortHeavyWomensSkinDoesNotCross) {
    GrowthPlan plan{.stature = 1.48, .weight = 98.57};
    plan.people.table = std::make_shared<const PeopleTable>(known_people());
    const GrowthResult grown = grow_person(preview_body(FigureSex::Female), plan);
    EXPECT_NEAR(summarise(grown.body).mass, 98.57, 0.1);
    EXPECT_EQ((tet_volumes(grown.body.tets).array() <= 0.0).count(), 0);
    EXPECT_TRUE(find_self_intersections(grown.body.skin.mesh).pairs.empty());
}

// Five per cent of fat: what is left lies along columns between envelope and skin.
TEST(People, MenReachFivePerCentOfFat) {
    GrowthPlan plan{.weight = 65.0, .body_fat = 0.05};
    plan.people.table = std::make_shared<const PeopleTable>(known_people());
    const GrowthResult grown = grow_person(preview_man(), plan);
    EXPECT_NEAR(summarise(grown.body).body_fat, 0.05, 2e-3);
    EXPECT_EQ((tet_volumes(grown.body.tets).array() <= 0.0).count(), 0);
}

// First-order masses against those of the shapes themselves, by differences: the adjoint of walls
// and fields is right for lengths, flesh, fat and visceral fat.
TEST(People, MassesNearAFormAgreeWithDifferences) {
    const PersonShaper shaper(preview_man());
    PersonForm form{.visceral = 0.01, .fat_modulus = 1000.0};
    form.frame.thigh = 1.05;
    form.fat[0] = 0.03;
    form.fat[6] = 0.02;
    const PersonShaper::MassesNear near = shaper.masses_near(form);
    const PersonMasses here = shaper.shape(form).masses;
    EXPECT_NEAR(near.here().all, here.all, 1e-9);
    const auto compare = [&](PersonForm beside) {
        const PersonMasses there = shaper.shape(beside).masses;
        const PersonMasses said = near(beside);
        EXPECT_NEAR(said.all - here.all, there.all - here.all,
                    0.02 * std::abs(there.all - here.all) + 1e-5);
        EXPECT_NEAR(said.fat - here.fat, there.fat - here.fat,
                    0.02 * std::abs(there.fat - here.fat) + 1e-5);
    };
    PersonForm beside = form;
    beside.frame.trunk = 1.001;
    compare(beside);
    beside = form;
    beside.frame.thigh_flesh = 1.001;
    compare(beside);
    beside = form;
    beside.fat[5] += 1e-4;
    compare(beside);
    beside = form;
    beside.visceral += 1e-4;
    compare(beside);
}

// Every stratum of 1 kg/m^2 is met once in 23 people, of both sexes.
TEST(People, EvenDrawsCoverBodyMassIndicesFrom17To40) {
    const PeopleTable table = known_people();
    for (const CohortSex sex : {CohortSex::Male, CohortSex::Female}) {
        std::vector<int> met(23, 0);
        for (const DrawnPerson& person :
             drawn_people(table, {.count = 46, .sex = sex, .seed = 1, .even_bmi = true})) {
            const double bmi = person.values[1] / (person.values[0] * person.values[0]);
            ASSERT_GE(bmi, 17.0);
            ASSERT_LT(bmi, 40.0);
            ++met[static_cast<std::size_t>(bmi - 17.0)];
        }
        EXPECT_EQ(*std::min_element(met.begin(), met.end()), 2);
        EXPECT_EQ(*std::max_element(met.begin(), met.end()), 2);
    }
}

TEST(People, DrawsAreTheSameAgainAndWithinTheRange) {
    const PeopleTable table = known_people();
    const auto first = drawn_people(table, {.count = 40, .seed = 3});
    const auto longer = drawn_people(table, {.count = 60, .seed = 3});
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].values, longer[i].values);
        const double bmi = first[i].values[1] / (first[i].values[0] * first[i].values[0]);
        EXPECT_GE(bmi, 16.0);
        EXPECT_LE(bmi, 45.0);
        EXPECT_EQ(first[i].sex, i % 2 == 0 ? Sex::Female : Sex::Male);
    }
    EXPECT_NE(drawn_people(table, {.count = 1, .seed = 4})[0].values, first[0].values);
}

}  // namespace sinew
